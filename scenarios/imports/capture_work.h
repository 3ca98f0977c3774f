/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What captures show of the work that hosts did: messages on queue pairs, and what each was
 * posted after. Made of a struct trace_result, then on its own; capture_work_fini frees. One
 * thread.
 */
#ifndef SCENARIO_CAPTURE_WORK_H
#define SCENARIO_CAPTURE_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/trace/trace_result.h"
#include "gen/load/load.h"
#include "gen/load/replay_csv.h"

#define CAPTURE_MAX_MESSAGES (UINT32_C(1) << 21)

enum capture_post {
	POST_AT,    /* a time: the queue pair was idle, and nothing that it followed is known */
	POST_AFTER, /* messages that it has followed again and again */
	POST_TOGETHER, /* right behind the former one: both posted at once */
	POST_BEHIND,   /* the same, so many behind that a former one was acknowledged by then */
	POSTS,
};

struct capture_message {
	int64_t first_ns, last_ns, arrived_ns, acked_ns; /* from the origin; TRACE_UNKNOWN */
	uint64_t number, bytes;
	uint32_t flow, src, dst; /* src, dst: hosts of the scenario */
	uint32_t pair, packets;
	int64_t start_ps; /* its time, or with after the time behind the last of them */
	int64_t turn_ns;  /* rows are in this order: first_ns, but see capture_turns.c */
	uint32_t after[REPLAY_MAX_AFTER]; /* messages */
	uint8_t n_after, how;             /* how: enum capture_post */
	uint8_t transport;                /* enum load_transport */
	int8_t priority;
	uint16_t port;
};

/* The k-th message of a queue pair followed the (k - shift)-th of pair. */
struct capture_rule {
	uint32_t pair;
	int64_t shift;
};

/* One queue pair, from one connection to the next: its messages are neighbours. */
struct capture_pair {
	uint32_t src, dst, flow;
	uint32_t qp; /* its number at src, from 0, in the order in which they were opened */
	uint32_t first, n; /* messages */
	struct capture_rule rule[REPLAY_MAX_AFTER];
	uint8_t n_rules;
	bool at_once; /* some of its messages came within a packet's time of what they followed
	               */
};

struct capture_work {
	struct capture_message *message; /* by pair, then by time */
	uint32_t n_messages;
	struct capture_pair *pair; /* by source */
	uint32_t n_pairs;
	uint32_t n_hosts;    /* highest number and 1 */
	int64_t *rate_bps;   /* [n_hosts]: of the sender's port; 0: unknown */
	int64_t packet_wire; /* wire bytes of a full packet */
	int64_t end_ns;      /* of the capture */
	bool virtual_time;   /* of the simulator: hosts and times are those of the run */
	uint64_t empty, reads, unended, reconnected, dropped_after;
	uint64_t posts[POSTS];
};

/* name is that of the first file. priority: of a flow's messages, -1: none of its own. */
NODISCARD int capture_work_init(struct capture_work *w, const struct trace_result *r,
        const char *name, int8_t (*priority)(const void *arg, const struct trace_flow *f),
        const void *arg, struct err *e);
void capture_work_fini(struct capture_work *w);

/* Finds for every message when it was posted (capture_posts.c). */
NODISCARD int capture_posts_find(struct capture_work *w, struct err *e);

/* The message that the rule puts before i; UINT32_MAX: none. */
uint32_t capture_rule_before(
        const struct capture_work *w, const struct capture_rule *c, uint32_t i);

/* When that message was done, for what waits for it: acknowledged, or arrived. */
int64_t capture_rule_done_ns(const struct capture_work *w, uint32_t on, uint32_t by);

/* Had the queue pair nothing to send when the message came? */
bool capture_found_idle(const struct capture_work *w, uint32_t i);

/* Adds rules to those that messages of a queue pair alone support (capture_rules.c). */
NODISCARD int capture_rules_complete(struct capture_work *w, struct err *e);

/* Then in which order queue pairs are opened (capture_turns.c). */
NODISCARD int capture_turns_find(struct capture_work *w, struct err *e);

/* The messages of one transport as pattern replay reads them. */
void capture_work_write(FILE *f, const struct capture_work *w, enum load_transport transport);

#endif
