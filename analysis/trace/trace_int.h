/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state behind trace.h. One thread applies observations in order. Flows, views and hosts
 * live in chunks that never move, so that a pointer stays good; lists name each other by index.
 */
#ifndef TRACE_INT_H
#define TRACE_INT_H

#include <stdint.h>

#include "analysis/trace/obs.h"
#include "analysis/trace/psn_track.h"
#include "analysis/trace/trace.h"
#include "gen/cc/dcqcn_rp.h"

/* Stable storage of numbered things, zeroed when they are added. */
struct pool {
	size_t item_bytes;
	uint32_t n, n_chunks;
	uint8_t **chunk;
};
#define POOL_CHUNK 64
void *pool_add(struct pool *p, uint32_t *index); /* NULL: no memory */
static inline void *pool_at(const struct pool *p, uint32_t i)
{
	return p->chunk[i / POOL_CHUNK] + (size_t)(i % POOL_CHUNK) * p->item_bytes;
}
void pool_fini(struct pool *p);

/* Hash to index, open addressing; the caller compares keys. */
struct index_slot {
	uint32_t tag, index; /* index: one more than the item's; 0: empty */
};
struct index_table {
	struct index_slot *slot;
	uint32_t mask, n;
};
NODISCARD int index_init(struct index_table *t);
NODISCARD int index_put(struct index_table *t, uint64_t hash, uint32_t index);
void index_fini(struct index_table *t);

/* What waits until the other direction is known. */
struct pending {
	int64_t t_ns;
	uint64_t number;
	uint32_t psn;
	uint8_t kind, syndrome; /* enum pending_kind */
	bool once;
};
enum pending_kind { PENDING_ACK, PENDING_CNP, PENDING_CE };
#define PENDING_MAX 4096

/* A message that is not complete. Positions of its PSNs. */
struct open_message {
	int64_t first, last; /* last: INT64_MAX while its last packet was not shown */
	int64_t first_ns, last_ns, arrived_ns;
	uint64_t number, bytes;
	uint32_t last_payload;
	uint16_t sport;
	uint8_t verb;
	bool has_reth, has_imm, retransmitted, has_first;
};

struct open_list { /* a ring, oldest first */
	struct open_message *m;
	uint32_t head, n, max; /* max: power of two */
};
#define OPEN_MESSAGES_MAX    65536
#define OPEN_MESSAGES_UNSEEN 1024 /* where no acknowledgement was ever seen */

/* Packets that are being sent again. */
struct recovery {
	bool active, fills_only, by_sack;
	struct trace_loss loss;
	struct obs obs;      /* its first packet */
	int64_t begin, last; /* positions */
	int64_t gap_ns;      /* when the gap was made that it fills */
	int64_t last_ns;     /* the data packet before it */
};

struct read_request {
	int64_t t_ns;
	uint64_t number;
	int64_t from, to; /* positions in the requester's PSNs */
	uint32_t bytes;
};
#define READS_MAX 16
#define VIEWS_MAX (1 << 20)
struct read_ring {
	struct read_request r[READS_MAX];
	uint32_t n;                 /* ever; the latest READS_MAX are there */
	struct open_message answer; /* the response that is under way */
	bool answering;
};

/* A selective acknowledgement names, like a sequence NAK, what is missing; its MSN is the PSN
 * that arrived instead. The code is reserved in the specification (table 45). */
enum nak_kind { NAK_NONE, NAK_SEQUENCE, NAK_RNR, NAK_SELECTIVE };
#define AETH_SACK 2

#define CANDIDATES_MAX 16
/* What is kept of a view until its peer is known. */
struct unpaired {
	struct pending *event;
	uint32_t n_events, max_events, n_candidates, acks;
	uint64_t cnps_at_ce; /* one more than the CNPs of the other direction at the last CE */
	uint32_t candidate[CANDIDATES_MAX]; /* flows that fit all acknowledgements so far */
	bool candidates_set, by_port, late;
};

/* The reaction point that a sender would be, fed with its CNPs and packets. */
struct model {
	struct trace_rate *rate; /* NULL: none */
	struct dcqcn_rp rp;
	const struct dcqcn_rp_params *params;
	int64_t origin_ns, last_ps; /* its time never goes back */
};

/* Transmissions that one view has shown and another one next. */
struct view_edge {
	uint32_t to, path; /* view; index in trace_result.path or TRACE_NONE */
	uint64_t n;
	int64_t first_ns, last_ns; /* at the first of both */
	int64_t latency_ns;        /* of the last one */
};

struct view {
	/* Key. */
	uint64_t hash;
	uint32_t interface, dqp, src_qp, flow;
	struct trace_addr src, dst;

	uint32_t index, ordinal; /* ordinal: among the views of its flow */
	uint32_t next;           /* of the flow */
	uint32_t peer;           /* view of the peer flow at the same interface */
	bool home;               /* messages are followed here */
	bool selected;           /* by only_qp */
	uint8_t transport;
	bool seen_data, seen_any, has_ack, has_cnp;
	uint8_t direction; /* of its first packet */

	struct trace_counts shown, *once; /* once NULL: the same */
	int64_t first_ns, last_ns, first_data_ns, last_data_ns;

	/* The requester's stream and, where it answers READs, the responder's. */
	struct psn_track request, response;
	bool response_open; /* within a READ response */
	uint32_t mtu_bytes;
	uint64_t new_bytes; /* payload but for what was sent again */
	struct trace_span rtt_ns;

	/* What the path says. Ways part and come together: a view has several next ones. */
	uint64_t position_sum, position_n, lost_after;
	struct view_edge *edge;
	uint32_t n_edges;
	bool on_set, newest_set;
	int64_t on_first_ns, on_last_ns; /* when packets were here that went on */
	int64_t newest_ns; /* of those that came in, the latest at the first interface */

	/* Acknowledgements for this view's requests. */
	int64_t acked; /* position behind the last one acknowledged */
	bool acked_any;
	bool probe_set, probe_ack_req;
	int64_t probe_at, probe_ns;
	uint8_t nak_kind; /* enum nak_kind: waits for what is sent again */
	int64_t nak_at, nak_ns;
	int64_t heard_ns; /* the last acknowledgement of any kind, if ack_visible */
	bool ack_visible;
	uint64_t loss_packets[4], loss_events[4];
	uint32_t max_reorder, max_reorder_now;
	int64_t data_ns, last_data_before_ns; /* the present data packet, that before it */
	uint32_t last_psn;
	uint16_t last_ip_id;

	struct recovery *recovery; /* NULL until something was sent again */
	struct open_list open;
	struct read_ring *reads; /* NULL until there was one */

	/* The control loop of the sender of this view's data. */
	int64_t first_ce_ns;  /* since the last CNP; TRACE_UNKNOWN */
	int64_t last_cnp_ns;  /* of the CNPs for it */
	int64_t last_loss_ns; /* NAK or gap since the last CNP */
	struct trace_loop loop;
	struct {
		int64_t mark_ns; /* spacing is measured from here */
		uint64_t mark_bytes, bytes;
		uint32_t packets;
		int64_t last_ns;
		int64_t cnp_ns, slow_ns; /* TRACE_UNKNOWN: none is being watched */
		int64_t before_ps_per_byte;
		uint32_t slow, watched;
	} cut;

	struct unpaired *unpaired; /* NULL unless something waits */
	struct model *model;       /* NULL until the first CNP */
};

struct flow {
	uint32_t index, first_view, last_view, n_views;
	uint32_t peer, cell, next_in_cell;
	uint8_t pairing, kind, transport;
	struct trace_addr src, dst;
	uint32_t dqp, deth_src_qp, src_qp; /* src_qp: TRACE_NONE until the peer is known */
	uint16_t sport, n_sports, sport_seen[8];
	uint8_t dscp, pcp, ack_dscp, cnp_dscp, cnp_pcp;
	bool has_data;
	uint64_t dscps;
	uint32_t open_messages;
	uint32_t last_lost; /* index + 1 into lost[] */
	/* Of what ends of its paths show, all together. */
	struct psn_track end_request, end_response;
	int64_t last_cnp_ns;
	struct trace_span latency_ns, net_fct_ns;
	struct trace_span cnp_gap_ns; /* CNPs that this flow carries */
};

/* Source and destination. */
struct cell {
	struct trace_cell pub;
	uint32_t reverse, first_flow, last_flow, open_messages;
	uint64_t cnps;
};

struct host {
	struct trace_host pub;
	uint32_t degree;
	int64_t last_cnp_to_ns, last_cnp_from_ns;
};

struct cm_request {
	uint32_t id, qpn;
	struct trace_addr addr;
};
struct cm_pair {
	struct trace_addr a, b;
	uint32_t a_qpn, b_qpn;
};
#define CM_MAX 1024

struct pauser {
	struct trace_pauser pub;
	struct {
		int64_t begin_ns, until_ns; /* begin TRACE_UNKNOWN: not paused */
		uint32_t xoffs;
		uint64_t number;
	} run[TRACE_PRIORITIES + 1];
	uint64_t repeated_nearer;
	uint16_t waits; /* bit per priority whose pauses wait for a speed */
	uint32_t next;  /* of its interface; one more than the index, 0: none */
};
struct pause_edge {
	int64_t t_ns;
	uint64_t number;
	uint32_t pauser;
	uint16_t quanta;
	uint8_t priority;
};
#define PAUSERS_MAX     4096
#define PAUSE_EDGES_MAX (1 << 20)

#define SPEEDS 10
struct iface {
	struct trace_interface pub;
	uint32_t first_pauser; /* one more than its index; 0: none */
	bool mac_seen;
	/* Speed: runs of frames of one size in one direction, back to back. */
	struct {
		int64_t last_ns, begin_ns, gap_ns;
		uint32_t wire_bytes, n;
	} run[3];
	uint32_t votes[SPEEDS];
	struct dcqcn_rp_params *model; /* of this speed; NULL until needed */
	struct {
		int64_t slot, end_ns, burst_from; /* slots of 10 us */
		uint64_t bytes, burst_bytes;
	} slot[3];
};

/* A transmission that was seen and may be seen again elsewhere. */
#define MATCH_LATEST 3
#define MATCH_PLACES 12
struct match_entry {
	uint64_t key;
	int64_t first_ns;
	/* The last of its way that have shown it, the last one first. */
	struct {
		uint32_t view;
		int32_t after_ns; /* after first_ns */
	} latest[MATCH_LATEST];
	uint32_t previous; /* of the same bucket */
	uint32_t flow, first_view, psn;
	uint16_t place[MATCH_PLACES]; /* ordinals of the views that have shown it */
	uint8_t n_places;
	bool hop; /* latency from latest[1] to latest[0] was not counted yet */
	bool ce, cnp, data;
};
struct match_ring {
	struct match_entry *entry;
	uint32_t *head;      /* 2 * size: of CNPs in the second half */
	uint32_t size;       /* a power of two; 0: not in use */
	uint32_t begin, end; /* free running, wrap */
};

/* A transmission that got lost, and between which interfaces. */
struct lost_place {
	int64_t t_ns;
	uint32_t psn, after, before, previous; /* previous: of the flow, index + 1 */
};
#define LOST_MAX (1 << 18)

struct timeline {
	struct trace_timeline pub;
	uint32_t max;
	bool fixed;
	int64_t begin_ns, end_ns;    /* of the current bin */
	struct trace_bin *now, none; /* none: where there is no memory */
};
#define TIMELINE_AUTO_BINS  4096
#define TIMELINE_FIXED_BINS (1 << 18)

struct trace {
	struct trace_options opt;
	struct obs_options obs_opt;
	struct trace_result r;
	struct pool views, flows, cells, hosts;
	struct index_table view_index, flow_index, cell_index, host_index;
	struct iface **iface;
	uint32_t n_ifaces, max_ifaces;
	struct timeline total, *per_iface; /* per_iface: n_ifaces */
	struct match_ring match;

	struct lost_place *lost;
	uint32_t n_lost, max_lost;

	struct pauser *pauser;
	uint32_t n_pausers;
	struct pause_edge *edge; /* those that wait for a speed */
	uint32_t n_edges, max_edges;
	struct pfc_seen {
		int64_t t_ns;
		uint32_t pauser;
		uint64_t content;
		bool repeated;
	} pfc_seen[64];
	uint32_t n_pfc_seen;

	struct cm_request cm_request[CM_MAX];
	struct cm_pair cm_pair[CM_MAX];
	uint32_t n_cm_requests, n_cm_pairs;

	int failed; /* -ENOMEM once memory ran out; reported by the next call */
	bool finished;
	uint32_t max_loss, max_message, max_pause; /* allocated */
};

static inline struct view *view_at(const struct trace *t, uint32_t i)
{
	return pool_at(&t->views, i);
}
static inline struct flow *flow_at(const struct trace *t, uint32_t i)
{
	return pool_at(&t->flows, i);
}
static inline struct cell *cell_at(const struct trace *t, uint32_t i)
{
	return pool_at(&t->cells, i);
}
static inline struct host *host_at(const struct trace *t, uint32_t i)
{
	return pool_at(&t->hosts, i);
}

static inline void span_add(struct trace_span *s, int64_t v)
{
	if (!s->n || v < s->min)
		s->min = v;
	if (!s->n || v > s->max)
		s->max = v;
	s->n++;
	s->sum += v;
}
void span_merge(struct trace_span *into, const struct trace_span *from);

/* trace.c: one observation, in its turn. */
void trace_apply(struct trace *t, struct obs *o);
/* The first packets of a kind. */
void trace_evidence(struct trace *t, enum trace_event kind, const struct obs *o, uint32_t flow);
void trace_evidence_at(
        struct trace *t, enum trace_event kind, const struct view *v, const struct pending *p);

/* flow_table.c: the view that a packet belongs to, made when it is new; NULL: no memory. */
struct view *flow_table_view(struct trace *t, const struct obs *o);
/* The view of a flow at an interface, or NULL. */
struct view *flow_view_at(const struct trace *t, uint32_t flow, uint32_t interface);

/* roce.c: one RoCE packet. */
void roce_apply(struct trace *t, struct view *v, const struct obs *o);
/* An acknowledgement for g's requests, in the peer's packet; t_ns may be of the past. */
void roce_acked(struct trace *t, struct view *g, uint32_t psn, uint8_t syndrome, int64_t t_ns,
        uint64_t number);

/* recovery.c */
void recovery_packet(struct trace *t, struct view *v, const struct obs *o,
        const struct psn_seen *seen, int64_t last_position);
void recovery_forward(struct trace *t, struct view *v, const struct obs *o);
void recovery_end(struct trace *t, struct view *v);

/* message.c */
/* The last packet of a message, at another interface than that where messages are followed. */
void message_arrived(struct trace *t, const struct view *v, const struct obs *o);
void message_packet(
        struct trace *t, struct view *v, const struct obs *o, const struct psn_seen *seen);
void message_acked(struct trace *t, struct view *v, int64_t behind, int64_t t_ns);
void message_response(
        struct trace *t, struct view *v, const struct obs *o, const struct psn_seen *seen);
void message_end_all(struct trace *t, struct view *v);

void message_read(struct trace *t, struct view *v, const struct obs *o,
        const struct psn_seen *seen, int64_t n);

/* loop.c: CE, CNPs and what rates did. */
void loop_ce(struct trace *t, struct view *v, int64_t t_ns, uint64_t number);
void loop_cnp(struct trace *t, struct view *g, const struct pending *cnp);
void loop_data(struct trace *t, struct view *v, const struct obs *o);

/* model.c */
void model_cnp(struct trace *t, struct view *g, int64_t t_ns);
void model_data(struct trace *t, struct view *v, const struct obs *o, struct trace_bin *bin);
/* Of `bytes` in span_ns, next to the model's rate now. */
void model_compare(struct view *v, uint64_t bytes, int64_t span_ns);

/* pair.c */
void pair_evidence(struct trace *t, struct view *v, const struct obs *o);
void pair_pend(struct trace *t, struct view *v, const struct pending *p);
void pair_flows(struct trace *t, struct flow *f, struct flow *g, enum trace_pairing how);
void pair_new_view(struct trace *t, struct view *v);
void pair_cm(struct trace *t, const struct obs *o);
void pair_new_flow(struct trace *t, struct flow *f);
void pair_rest(struct trace *t);

/* match.c: whether this showing is the first of its transmission; *ce_first: whether CE was not
 * known of it before. */
bool match_show(struct trace *t, struct view *v, const struct obs *o, bool *ce_first);
/* Whether packets come to a later than to b: behind more others, on average. */
bool view_behind(const struct view *a, const struct view *b);
/* The edge of v to view `to`, or NULL. */
struct view_edge *view_edge(const struct view *v, uint32_t to);
/* That by which packets of this time most likely go on from v; NULL: none go on. */
const struct view_edge *view_onward(const struct trace *t, const struct view *v, int64_t t_ns);
/* One more that went so, its latency apart from it; one that did not, whose latency was counted
 * unless TRACE_UNKNOWN. */
void edge_add(struct trace *t, struct view *from, const struct view *to, int64_t at_ns,
        int64_t latency_ns);
void edge_time(
        struct trace *t, const struct view *from, const struct view *to, int64_t latency_ns);
void edge_take(struct trace *t, struct view *from, const struct view *to, int64_t latency_ns);
void match_finish(struct trace *t);
void match_fini(struct trace *t);

/* obeyed.c: a packet that leaves; is its port paused? */
void pause_obeyed(struct trace *t, const struct obs *o, uint32_t priority);

/* lost.c: where what is sent again was lost. */
void lost_add(struct trace *t, const struct match_entry *e, const struct view *shown,
        const struct view *next);
void lost_places(struct trace *t);

/* pfc.c */
void pfc_apply(struct trace *t, const struct obs *o);
void pfc_finish(struct trace *t);
void pfc_result(struct trace *t);
/* Pauses that go on are in it as far as they went. */
struct trace_pauser pfc_pauser(const struct trace *t, uint32_t index);

/* iface.c: what an interface's frames say of its speed and bursts. */
void iface_frame(struct iface *i, const struct obs *o);
int64_t iface_inferred_bps(const struct iface *i);
void iface_finish(struct trace *t, struct iface *i);

/* timeline.c */
void timeline_init(struct timeline *l, int64_t width_ns);
struct trace_bin *timeline_bin_slow(struct timeline *l, int64_t t_ns);
void timeline_pause(struct timeline *l, uint32_t priority, int64_t from_ns, int64_t to_ns);
void timeline_fini(struct timeline *l);
/* Of the bin that t_ns is in; never NULL: without memory the last one that there is. */
static inline struct trace_bin *timeline_bin(struct timeline *l, int64_t t_ns)
{
	if (t_ns >= l->begin_ns && t_ns < l->end_ns)
		return l->now;
	return timeline_bin_slow(l, t_ns);
}

/* rates.c; begin: NULL where there are enough of them. */
struct trace_rate *rate_begin(struct trace *t, const struct view *v, int64_t t_ns);
void rate_add(struct trace_rate *r, int64_t t_ns, uint32_t wire_bytes, int64_t model_bps);
void rates_fini(struct trace *t);

/* sources.c: how evenly a host uses UDP source ports. */
void sources_result(struct trace *t);

/* result.c: struct trace_result out of the state. */
void result_build(struct trace *t);

#endif
