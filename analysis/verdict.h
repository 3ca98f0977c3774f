/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a qualification run leaves behind: one verdict per case, with the checks that led to it
 * and the figures that were measured. The JUnit, JSON and HTML writers read nothing else. Plain
 * data; texts are the owner's (the arena of whoever filled it). One thread.
 */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#define VERDICT_FORMAT "squall.verdict/1"

enum verdict_status {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_EXPECTED_FAIL,   /* the switch is known to deviate, and does */
	VERDICT_UNEXPECTED_PASS, /* it is said to deviate, and does not */
	VERDICT_INVALID,         /* the stimulus was not what it should have been */
	VERDICT_NOT_RUN,         /* interrupted before */
	VERDICT_NOT_APPLICABLE,  /* the switch has not what the case needs */
	VERDICT_N_STATUS,
};

struct verdict_check {
	const char *rule;     /* "loss" */
	const char *what;     /* of whom: "stream a, port 1 to port 0, priority 3" */
	const char *measured; /* with its unit */
	const char *expected; /* the model's figure and its band */
	bool holds;
	bool is_stimulus; /* about what was offered, not about the switch */
};

/* One stream at the tester's ports; times are ps. */
struct verdict_stream {
	const char *name;
	uint32_t from, to;
	uint8_t priority;
	int64_t offered_packets, sent_packets, received_packets, lost_packets, marked_packets;
	int64_t rate_bps; /* received in the measured window, on the wire */
	/* one way: start at the tester's port to last bit at the other; -1: no packet */
	int64_t min_ps, p50_ps, p99_ps, p999_ps, max_ps;
};

/* Something that happened, for who wants to see it. */
struct verdict_event {
	int64_t t_ps;
	const char *text;
};

struct verdict_case {
	const char *suite, *name, *doc, *follows;
	enum verdict_status status;
	const char
	        *reason; /* of a known deviation, or why the case is not for this switch; "" */
	const struct verdict_check *check;
	uint32_t n_checks;
	const struct verdict_stream *stream;
	uint32_t n_streams;
	const struct verdict_event *event;
	uint32_t n_events;
	uint64_t events_seen; /* those kept are the first */
	double wall_s;        /* JUnit alone: the rest is a function of the suite */
};

/* A key of the switch that was given another value for all cases. */
struct verdict_set {
	const char *key, *value;
};

struct verdict {
	const char *suite, *asic, *asic_doc;
	const char *version, *machine, *started;
	const struct verdict_set *set;
	uint32_t n_set;
	const char *defect; /* planted in the switch by one of them; NULL: none */
	struct verdict_case *c;
	uint32_t n_cases;
	uint32_t count[VERDICT_N_STATUS];
	bool interrupted;
	double wall_s;
};

/* "pass", "fail", "expected-fail" ... */
const char *verdict_word(enum verdict_status s);

/* Of the checks that do not hold the first, or NULL. */
const struct verdict_check *verdict_first_failed(const struct verdict_case *c);

/* Counts the cases again. */
void verdict_count(struct verdict *v);

/* Does it make the run fail? */
bool verdict_is_bad(enum verdict_status s);

#endif
