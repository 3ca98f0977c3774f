/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank programs. A workload entry is, for each rank, an ordered stream of operations that its
 * pattern produces lazily: state per rank is a few words, so memory grows with ranks and not
 * with messages. A pattern is one file with one ops table. Entries are constant while a run is
 * going on; each rank's state is touched by the thread that owns the host alone. Every host is
 * one rank with the same number.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/knob.h"

enum load_op_kind {
	LOAD_SEND, /* post a message; never blocks */
	LOAD_RECV, /* block until `count` messages of `stream` from `peer` (of this entry) have
	              arrived in all */
	LOAD_WAIT_SENDS,  /* block until at most `count` of this program's own messages are
	                     unfinished */
	LOAD_STEP,        /* this lane's step counter is now `count` (it only rises) */
	LOAD_WAIT_LANE,   /* block until the step counter of lane `lane` of the same host and
	                     entry   has reached `count` */
	LOAD_SLEEP_UNTIL, /* block until t_ps */
	LOAD_COMPUTE,     /* block for t_ps */
	LOAD_MARK, /* an iteration (tag) or a part of it (stream) begins (count 0) or ends
	              (count 1) on this rank: struct iteration_record */
	LOAD_END,
};

#define LOAD_MAX_HOSTS    65535
#define LOAD_MAX_QPS      1024 /* per pair */
#define LOAD_MAX_LANES    4096 /* per host and entry */
#define LOAD_MAX_CHANNELS 64
#define LOAD_MAX_PARTS    256 /* of an iteration, from 1 */
#define LOAD_MAX_REPEAT   INT64_C(1000000000)
#define LOAD_MAX_FLOWS    INT64_C(16777216) /* rows of a list; flows of a Poisson entry */
#define LOAD_MAX_MESSAGE_PACKETS                                                               \
	(INT64_C(1) << 30) /* half of what serial PSN arithmetic can tell apart */
#define LOAD_MAX_MTU_BYTES 9216
#define LOAD_MAX_TIME_PS   (INT64_C(1) << 62) /* 53 days */

#define LOAD_SENDERS_ALL (-1) /* every host from first_host on but the receiver */

#define LOAD_QP_FRESH                                                                          \
	UINT32_MAX /* a QP of its own that starts at line rate, as after a reconnect */

struct load_op {
	enum load_op_kind kind;
	uint32_t peer;   /* SEND: destination host; RECV: source host */
	uint32_t qp;     /* SEND: which QP of this (entry, peer), 0.. qps-1, or LOAD_QP_FRESH */
	uint32_t tag;    /* SEND: goes into the message record */
	uint16_t stream; /* SEND, RECV: messages are counted by (entry, source, stream); one
	                    connection belongs to one stream */
	uint16_t lane;   /* WAIT_LANE */
	uint64_t count;
	int64_t bytes;
	int64_t t_ps; /* SLEEP_UNTIL, COMPUTE; SEND: intended send time (<= now), or -1: now */
	int8_t priority; /* SEND: -1: the entry's */
	uint16_t port; /* SEND: what the fabric hashes beside the addresses, for the QP's first
	                  message; 0: the entry's */
};

/* One row of a flow list. */
struct load_flow {
	int64_t start_ps;
	int64_t bytes;
	uint32_t src, dst;
	int8_t priority; /* -1: the entry's */
	uint16_t dport;  /* 0: default; carried through to FCT output */
};

enum load_pattern_kind {
	LOAD_INCAST,
	LOAD_ALL_TO_ALL,
	LOAD_RING,
	LOAD_FLOWS,
	LOAD_POISSON,
	LOAD_SCHEDULE,
	LOAD_ALL_REDUCE,
	LOAD_ALL_GATHER,
	LOAD_REDUCE_SCATTER,
	LOAD_BROADCAST,
	LOAD_MOE,
	LOAD_PERMUTATION,
	LOAD_HOTSPOT,
	LOAD_ON_OFF,
	LOAD_TRAINING,
	LOAD_REPLAY,
};

enum load_placement { PLACE_PACKED, PLACE_STRIPED, PLACE_RANDOM, PLACE_RAILS };

enum load_algorithm {
	ALGORITHM_RING,
	ALGORITHM_TREE,
	ALGORITHM_DOUBLE_TREE,
	ALGORITHM_HALVING_DOUBLING
};

enum load_order { ORDER_PARALLEL, ORDER_SHIFTED, ORDER_RANDOM };
enum load_skew { SKEW_NONE, SKEW_ZIPF, SKEW_HOT };
enum load_spread { SPREAD_ALL, SPREAD_SPLIT };
enum load_channel_order { CHANNELS_SAME, CHANNELS_ALTERNATE, CHANNELS_STRIDE };

/* A collective of a training iteration. */
enum load_job_kind { LOAD_JOB_ALL_REDUCE, LOAD_JOB_ALL_GATHER, LOAD_JOB_REDUCE_SCATTER };
struct load_job {
	enum load_job_kind kind;
	int64_t bytes;
};

/* "all-reduce", or NULL; and back, or -EINVAL. */
const char *load_job_name(enum load_job_kind kind);
NODISCARD int load_job_parse(
        struct load_job *job, const char *name, const char *bytes, struct err *e);

/* What a schedule carries out, so that its bandwidth can be told. */
enum load_collective {
	LOAD_NOT_ONE,
	LOAD_IS_ALL_REDUCE,
	LOAD_IS_ALL_GATHER,
	LOAD_IS_REDUCE_SCATTER,
	LOAD_IS_BROADCAST,
	LOAD_IS_REDUCE,
	LOAD_IS_ALL_TO_ALL,
};

enum load_transport { TRANSPORT_RC, TRANSPORT_UC, TRANSPORT_UD };

/* workload[]: one entry as written, canonical units; rows in load_knobs.c. */
struct load_cfg {
	int64_t pattern; /* enum load_pattern_kind */
	int64_t start_ps;
	int64_t message_bytes;
	int64_t repeat;    /* messages (rounds) per sender */
	int64_t period_ps; /* 0: the next round starts when the sender's last one is done */
	int64_t senders,
	        receiver; /* incast: first_host, first_host + 1 ... without the receiver */
	int64_t first_host, ranks; /* the hosts that take part: first_host and those after it;
	                              ranks 0: all */
	const char *hosts;         /* instead of first_host: "0-7,16-23"; "": not given */
	int64_t placement;         /* enum load_placement: which of them, in which order */
	int64_t share;             /* 0: none that an earlier entry uses */
	int64_t jitter_ps;         /* each sender starts up to this much later */
	int64_t receivers, spread; /* incast: from receiver on; enum load_spread */
	int64_t order, skew;       /* enum load_order, load_skew */
	int64_t zipf_q32;          /* exponent */
	int64_t hot_ranks, hot_share_q32;
	int64_t reshuffle;      /* draw partners or popularity anew for each round */
	int64_t compute_ps;     /* between communications */
	int64_t on_ps, off_ps;  /* on-off: means */
	int64_t bursts;         /* on-off: per rank; 0: until stop */
	int64_t overlap;        /* training: collectives begin during the backward pass */
	int64_t bucket_bytes;   /* training: cuts collectives; 0: whole */
	const char *stragglers; /* training: ranks, "3,8-9" */
	int64_t slowdown_q32;   /* theirs; may be beyond 1 */
	int64_t straggle_ps;    /* and this much more */
	int64_t straggle_from;  /* iteration */
	struct load_job *job;   /* training; owned by the entry */
	int64_t n_jobs;
	int64_t buffer_bytes;  /* collectives: the size that nccl-tests prints */
	int64_t algorithm;     /* enum load_algorithm */
	int64_t channels;      /* lanes, each with its slice of the buffer */
	int64_t channel_order; /* enum load_channel_order */
	int64_t chunk_bytes;   /* what a step moves at most; 0: as NCCL */
	int64_t slices;        /* messages that a chunk is cut into */
	int64_t in_flight;     /* trees and broadcasts: unacknowledged messages per neighbour */
	int64_t root;          /* broadcast: rank */
	int64_t qps;           /* per pair */
	int64_t priority;      /* -1: the NIC's */
	int64_t dscp;          /* -1: the NIC's */
	int64_t transport;     /* enum load_transport */
	int64_t udp_source_port;  /* 0: derived per QP */
	int64_t load_q32;         /* poisson: share of each sender's link rate, in wire bytes */
	int64_t flows;            /* poisson: stop after this many in all; 0: until stop */
	const char *cdf_file;     /* flow-size CDF file or the name of a shipped one */
	const char *file;         /* flows, replay: CSV file; schedule: GOAL text */
	int64_t collective;       /* schedule: enum load_collective */
	int64_t collective_bytes; /* schedule: its size; 0: not given */
	int64_t calc_unit_ps; /* schedule: one unit of a calc; 0: calculations take no time */
	struct load_cdf_point
	        *cdf; /* inline cdf: [[bytes, probability], ...]; owned by the entry */
	int64_t n_cdf;
	struct load_flow *flow; /* flows given in memory (imports); owned by the entry */
	int64_t n_flows;
};

struct load_cdf_point {
	int64_t bytes;
	int64_t probability_q32; /* cumulative, non-decreasing, last is Q32_ONE */
};

/* What a pattern may know about the place it runs in. */
struct load_env {
	uint32_t n_hosts;
	uint64_t seed;
	int64_t stop_ps; /* TIME_NEVER if none */
	int64_t path_mtu_bytes;
	int64_t header_wire_bytes;    /* wire bytes of a packet beyond its payload */
	int64_t message_wire_bytes;   /* more in a message's first packet: the RETH */
	bool pads_payload;            /* to a multiple of four */
	const int64_t *host_rate_bps; /* [n_hosts] */
	const uint32_t *host_edge; /* [n_hosts] the switch that it hangs on; NULL: the same */
	uint32_t rails;            /* host h is on rail h mod rails; 0: the fabric has none */
	const uint8_t *used;       /* [n_hosts] an earlier entry uses it; NULL: none */
	const char *base_dir;      /* relative file names start here */
};

struct load_state {
	uint64_t w[8]; /* the pattern's own */
};

/* QPs that a pair comes to use: round k is sent on QP k mod qps. */
static inline int64_t load_pair_qps(const struct load_cfg *c)
{
	return c->qps < c->repeat ? c->qps : c->repeat;
}

/* Who rank r is. Without tables rank r is host first + r. */
struct load_ranks {
	uint32_t n, first;
	uint16_t *host; /* [n] */
	uint16_t *rank; /* [n_hosts], PLACE_NOBODY: takes no part */
};

#define PLACE_NOBODY UINT16_MAX

/* One collective operation as nccl-tests measures it. */
struct load_figure {
	const char *name;
	int64_t bytes;             /* algbw = bytes / time */
	uint32_t bus_num, bus_den; /* busbw = algbw * bus_num / bus_den */
};

struct load_entry {
	const struct load_ops *ops;
	struct load_cfg cfg;
	struct load_env env;
	struct load_ranks ranks;
	uint16_t index; /* in workload[] */
	void *shared;   /* the pattern's own, constant after prepare */
};

struct load_ops {
	const char *name; /* as in the scenario: "incast" */
	const char *doc;
	/* Checks the entry against the place and computes what ranks share. -EINVAL with a
	 * message that names the key ("senders: 64 senders need 65 hosts, the fabric has 33").
	 */
	int (*prepare)(struct load_entry *en, struct err *e);
	/* False if this host has no operations: the host then holds no state for the entry. */
	bool (*involves)(const struct load_entry *en, uint32_t host);
	/* How many programs run side by side on this host, its lanes: NCCL channels, the thread
	 * blocks of an MSCCL schedule, the chains of a dependency graph. NULL: one. */
	uint32_t (*lanes)(const struct load_entry *en, uint32_t host);
	void (*start)(const struct load_entry *en, uint32_t host, uint32_t lane,
	        struct load_state *st);
	/* The next operation. Called only after the former one is complete (SEND: posted). */
	void (*next)(const struct load_entry *en, struct load_state *st, struct load_op *op);
	void (*fini)(struct load_entry *en);
	/* False if part `part` of an iteration (LOAD_MARK) is no collective. NULL: none is. */
	bool (*figure)(const struct load_entry *en, uint16_t part, struct load_figure *f);
	bool receives; /* its programs contain LOAD_RECV */
	/* Who marks part 0 of each iteration, begin and end. */
	enum load_markers { MARKED_BY_NOBODY, MARKED_BY_LANES, MARKED_BY_HOSTS } marks;
};

extern const struct load_ops
        *const load_patterns[];            /* by enum load_pattern_kind, NULL at the end */
extern const struct knob_group load_knobs; /* applies: bit (1 << pattern) */

/* Takes over cfg (its malloc'd cdf, flow and job arrays too, also on failure), prepares it for
 * env. load_entry_fini frees. What env points at and cfg's strings stay the caller's and must
 * outlive the entry. */
NODISCARD int load_entry_init(struct load_entry *en, const struct load_cfg *cfg,
        const struct load_env *env, uint16_t index, struct err *e);
void load_entry_fini(struct load_entry *en);

/* Does the entry send from this host, or to it by its keys? */
bool load_uses_host(const struct load_entry *en, uint32_t host);

#endif
