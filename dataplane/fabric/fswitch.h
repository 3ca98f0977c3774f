/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One switch as a pure state machine: admission, queues, marking, scheduling and pause
 * decisions. It knows no clock and sends nothing: the caller asks for the next frame of a port
 * when that port is free, and sends PFC frames for the bits that appear in pfc_xoff / pfc_xon.
 * The simulator drives it in virtual time, the software switch in real time. One thread per
 * switch at a time.
 */
#ifndef FABRIC_FSWITCH_H
#define FABRIC_FSWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/fifo.h"
#include "dataplane/base/hist.h"
#include "dataplane/base/link_rate.h"
#include "dataplane/base/pause.h"
#include "dataplane/base/record.h"
#include "dataplane/base/tx_count.h"
#include "dataplane/fabric/ecn.h"
#include "dataplane/fabric/mmu.h"
#include "dataplane/fabric/topo.h"

/* A switch_cfg in the form that the packet path wants; shared by all ports with that profile.
 */
struct fsw_profile {
	struct ecn_marker ecn;
	struct mmu_limits limits;
	int64_t lossy_alpha_q16;
	uint8_t lossless; /* priorities under PFC */
	uint8_t strict;
	bool expires;
	int64_t quanta; /* of an XOFF; 0 with expires false */
	int64_t refresh_percent;
	uint8_t defect;              /* enum fabric_defect */
	uint8_t wred;                /* priorities with the ECN profile */
	int64_t average_q32;         /* weight; 0: none */
	bool by_packets;             /* weights are packets per turn, not bytes */
	int32_t quantum[PRIORITIES]; /* DWRR: bytes or packets */
};

/* One priority of a port: its egress queue and what its ingress has in the buffer. */
struct fsw_class {
	struct fifo q;
	struct mmu_ingress in;
	int64_t max_queue_bytes;
};

_Static_assert(sizeof(struct fsw_class) == CACHE_LINE, "a packet touches one line per side");

/* odd_link: the peer cuts through, frames arrive there by their head. */
#define FSW_CUT_THROUGH 1

struct port_faults;

/* Of a port: counters for the record of a run, and what few frames ask for. */
struct fsw_cold {
	struct tx_count tx[PRIORITIES]; /* the caller's: PFC frames aside */
	int64_t marked_packets[PRIORITIES];
	int64_t dropped_packets[PRIORITIES]; /* bound for this egress */
	int64_t xoff_frames[PRIORITIES];     /* the caller's: sent for this ingress */
	int64_t pfc_received[PRIORITIES];    /* valid pause frames that name it */
	int64_t head_bytes;    /* of a frame, after which it counts as arrived at the peer */
	int64_t head_in_bytes; /* the same for what arrives here */
	struct port_faults *fault; /* the caller's */
	uint8_t held;              /* the caller's: priorities blocked beside those paused */
	int64_t resumed_ps[PRIORITIES]; /* the caller's: when it was last allowed to go on */
};

struct fsw_port {
	/* one line for every packet */
	_Alignas(CACHE_LINE) int64_t
	        busy_until_ps;     /* the caller's: end of the frame being sent */
	uint8_t backlog;           /* priorities with packets queued */
	uint8_t blocked;           /* pause.blocked */
	uint8_t pfc_xoff, pfc_xon; /* PFC frames waiting for their turn, by priority */
	bool scheduled;            /* the caller's: a service of this port is pending */
	uint8_t odd_link;          /* the caller's: frames on the link need a closer look; bits
	                              of its own, and FSW_CUT_THROUGH */
	uint16_t peer_port;
	int64_t delay_ps;    /* propagation and the peer's pipeline latency */
	int64_t ps_per_byte; /* of rate */
	const struct fsw_profile *profile;
	uint64_t draw_state; /* ECN draws */
	struct fsw_cold *cold;
	uint32_t peer;
	uint8_t cursor;    /* DWRR position */
	uint8_t xoff_sent; /* priorities of the peer that we hold paused */
	struct fsw_class cls[PRIORITIES];
	/* less often */
	int64_t headroom_bytes; /* per lossless priority */
	struct link_rate rate;
	struct pause_rx pause;
	int32_t deficit[PRIORITIES]; /* DWRR */
	int64_t propagation_ps;      /* without pipeline latency: what a PFC frame sees */
	int64_t response_ps;         /* of this end, when it is told to stop */
	int64_t refresh_due_ps;      /* the caller's */
	int64_t effect_event_ps,
	        expiry_event_ps; /* the caller's: earliest pause events in its heap */
};

_Static_assert(offsetof(struct fsw_port, cls) == CACHE_LINE, "one line for every packet");
_Static_assert(sizeof(struct fsw_port) == 1024,
        "ports are found by a shift: what is seldom needed belongs to struct fsw_cold");

struct balance;
struct watchdog;
struct fsw_average;

struct fsw_counters {
	uint64_t admitted, sent, discarded;
};

struct fsw {
	struct mmu mmu;
	int64_t cell_bytes;
	int64_t fcs_bytes;
	uint32_t node;
	uint16_t n_ports;
	struct fsw_port *port;
	struct fsw_cold *cold;   /* [n_ports] */
	struct fifo_pool *pool;  /* of the thread that runs the switch */
	struct hist *queue_hist; /* that thread's */
	struct run_counters *n;  /* that thread's */
	int64_t *interval_max_queue_bytes;
	struct fsw_counters count;
	uint32_t n_xoff;             /* ingresses whose peer was told to stop */
	struct fsw_average *average; /* [ports]; NULL: no port has averages */
	struct watchdog *watchdog;   /* [ports], watchdog.h; NULL: no port has one */
	struct balance *balance;     /* balance.h; NULL: ECMP */
};

enum fsw_verdict {
	FSW_PASS, /* goes out at once, nothing was accounted: the caller sends it */
	FSW_QUEUED,
	FSW_DROPPED_LOSSY,
	FSW_DROPPED_LOSSLESS, /* a headroom violation */
	FSW_DROPPED_WRED,     /* not ECN-capable */
	FSW_UNSURE,
};

/* Precomputes a profile. -EINVAL if Kmax < Kmin and the like. */
NODISCARD int fsw_profile_init(
        struct fsw_profile *p, const struct switch_cfg *cfg, struct err *e);

/* Builds the switch of one node; profiles are indexed as topo->profile. Refuses reservations
 * above the buffer with the sum. The caller gives pool, hist and counters afterwards. */
NODISCARD int fsw_init(struct fsw *sw, const struct topo *t, uint32_t node,
        const struct fsw_profile *profiles, const struct frame_cfg *frame, uint64_t seed,
        struct err *e);
void fsw_fini(struct fsw *sw);

/* How long this port takes to stop when it is told to; hosts take the value of their switch
 * port. */
int64_t fsw_response_ps(const struct topo *t, uint32_t node, uint16_t port);

/* Wire bytes after which a frame counts as arrived at `peer`: 0 when it must be whole. */
int64_t fsw_head_bytes(const struct topo *t, uint32_t peer, const struct frame_cfg *frame);

static ALWAYS_INLINE int64_t fsw_buffer_bytes(const struct fsw *sw, uint32_t frame_bytes)
{
	int64_t bytes = (int64_t)frame_bytes + sw->fcs_bytes;

	if (LIKELY(sw->cell_bytes == 0))
		return bytes;
	return (bytes + sw->cell_bytes - 1) / sw->cell_bytes * sw->cell_bytes;
}

static ALWAYS_INLINE uint8_t fsw_ready(const struct fsw_port *p)
{
	return (uint8_t)(p->backlog & ~p->blocked);
}

/* Could a packet of this priority leave the moment it arrives? */
static ALWAYS_INLINE bool fsw_port_idle(const struct fsw_port *p, int64_t now_ps, int priority)
{
	return p->busy_until_ps <= now_ps && !(p->backlog | p->pfc_xoff | p->pfc_xon) &&
	       !(p->blocked & (1u << priority));
}

/* May this frame, of so many buffer bytes, go through an idle port without a trace? */
static ALWAYS_INLINE bool fsw_passes(
        const struct fsw *sw, uint16_t out, const struct desc *d, int64_t bytes)
{
	const struct fsw_port *ing = &sw->port[d->in_port];

	if (LIKELY(ing->profile->lossless & (1u << d->priority)))
		return mmu_passes(
		        &sw->mmu, &ing->cls[d->priority].in, &ing->profile->limits, bytes);
	return mmu_fits_lossy(&sw->mmu, sw->port[out].profile->lossy_alpha_q16, 0, bytes);
}

/* A queue's averages, where marking goes by them. */
struct fsw_average {
	int64_t avg_q16[PRIORITIES];
	int64_t idle_frame_ps; /* what a small frame takes; 0: this port has none */
};

static inline bool fsw_averages(const struct fsw *sw, uint16_t port)
{
	return sw->average && sw->average[port].idle_frame_ps;
}

/* A frame comes to this queue: its average moves. Before fsw_arrival, which must not let a
 * frame through without a trace then. */
void fsw_average_arrival(struct fsw *sw, uint16_t port, int priority, int64_t now_ps);

/* By which length the queue of this priority marks: its average, or 0 without a profile. */
int64_t fsw_wred_bytes(
        const struct fsw *sw, const struct fsw_port *p, int priority, int64_t queue_bytes);

/* Is this frame one to mark, or to drop, by a queue of queue_bytes or its average? Draws. */
bool fsw_wred_hits(
        const struct fsw *sw, struct fsw_port *eg, const struct desc *d, int64_t queue_bytes);

/* Is there a question whether it is dropped? */
static ALWAYS_INLINE bool fsw_wred_looks(const struct fsw_port *eg, const struct desc *d)
{
	return UNLIKELY(eg->cls[d->priority].q.bytes > eg->profile->ecn.looks_above_bytes) &&
	       !(d->flags & DESC_ECT) && (eg->profile->ecn.drops >> d->priority & 1);
}

/* Marks a frame that finds queue_bytes before or behind it, as the port is set. */
static ALWAYS_INLINE void fsw_mark(
        struct fsw *sw, struct fsw_port *eg, struct desc *d, int64_t queue_bytes)
{
	const struct ecn_marker *k = &eg->profile->ecn;

	if (LIKELY(queue_bytes <= k->looks_above_bytes) ||
	        (d->flags & (DESC_ECT | DESC_CE)) != DESC_ECT)
		return;
	if (UNLIKELY(k->special & (1u << d->priority))
	                ? fsw_wred_hits(sw, eg, d, queue_bytes)
	                : ecn_marks_above(k, queue_bytes, &eg->draw_state)) {
		d->flags |= DESC_CE;
		sw->n->ecn_marked_packets++;
		eg->cold->marked_packets[d->priority]++;
	}
}

void fsw_count_drop(struct fsw *sw, uint16_t out, const struct desc *d, enum fsw_verdict v);

/* The frame has tipped its ingress. */
void fsw_wants_xoff(struct fsw *sw, uint16_t out, const struct desc *d);

/* An admitted frame joins its queue. */
static ALWAYS_INLINE void fsw_enqueue(
        struct fsw *sw, uint16_t out, struct desc *d, int64_t bytes)
{
	struct fsw_port *eg = &sw->port[out];
	const int pr = d->priority;
	struct fifo *q = &eg->cls[pr].q;

	sw->count.admitted++;
	if (UNLIKELY(eg->profile->ecn.on_enqueue))
		fsw_mark(sw, eg, d, q->bytes);
	fifo_push(sw->pool, q, d, bytes);
	eg->backlog |= (uint8_t)(1u << pr);
	hist_add(sw->queue_hist, q->bytes);
	if (q->bytes > eg->cls[pr].max_queue_bytes)
		eg->cls[pr].max_queue_bytes = q->bytes;
	if (q->bytes > *sw->interval_max_queue_bytes)
		*sw->interval_max_queue_bytes = q->bytes;
}

/*
 * A data, ACK or CNP frame arrived on d->in_port for egress port `out`. may_pass: the caller
 * has seen fsw_port_idle and lets it go at once. On FSW_QUEUED or FSW_DROPPED_LOSSLESS a PFC
 * frame may now wait on d->in_port.
 */
static ALWAYS_INLINE enum fsw_verdict fsw_arrival(
        struct fsw *sw, uint16_t out, struct desc *d, bool may_pass)
{
	struct fsw_port *eg = &sw->port[out];
	struct fsw_port *ing = &sw->port[d->in_port];
	const int pr = d->priority;
	const uint8_t bit = (uint8_t)(1u << pr);
	const int64_t bytes = fsw_buffer_bytes(sw, d->frame_bytes);

	if (may_pass && fsw_passes(sw, out, d, bytes))
		return FSW_PASS;
	if (UNLIKELY(fsw_wred_looks(eg, d)) && fsw_wred_hits(sw, eg, d, eg->cls[pr].q.bytes)) {
		fsw_count_drop(sw, out, d, FSW_DROPPED_WRED);
		return FSW_DROPPED_WRED;
	}
	if (LIKELY(ing->profile->lossless & bit)) {
		struct mmu_ingress *in = &ing->cls[pr].in;

		if (UNLIKELY(!mmu_admit_lossless(
		            &sw->mmu, in, &ing->profile->limits, ing->headroom_bytes, bytes))) {
			fsw_count_drop(sw, out, d, FSW_DROPPED_LOSSLESS);
			return FSW_DROPPED_LOSSLESS;
		}
		if (UNLIKELY(mmu_wants_xoff(&sw->mmu, in, &ing->profile->limits)))
			fsw_wants_xoff(sw, out, d);
	} else {
		if (UNLIKELY(!mmu_admit_lossy(&sw->mmu, eg->profile->lossy_alpha_q16,
		            eg->cls[pr].q.bytes, bytes))) {
			fsw_count_drop(sw, out, d, FSW_DROPPED_LOSSY);
			return FSW_DROPPED_LOSSY;
		}
	}
	fsw_enqueue(sw, out, d, bytes);
	return FSW_QUEUED;
}

static ALWAYS_INLINE bool fsw_admits_early(
        struct fsw *sw, uint16_t out, const struct desc *d, int64_t bytes, bool take)
{
	const struct fsw_port *eg = &sw->port[out];
	struct fsw_port *ing = &sw->port[d->in_port];
	const int pr = d->priority;

	if (LIKELY(ing->profile->lossless & (1u << pr)))
		return mmu_early_lossless(
		        &sw->mmu, &ing->cls[pr].in, &ing->profile->limits, bytes, take);
	return mmu_early_lossy(
	        &sw->mmu, eg->profile->lossy_alpha_q16, eg->cls[pr].q.bytes, bytes, take);
}

/*
 * fsw_arrival for a caller that puts departures off, by which counters are too high and
 * thresholds too low: FSW_PASS or FSW_QUEUED if with exact counters it would be the same, if no
 * PFC frame would be asked for and if the shared pool is not fuller than it has been before.
 * FSW_UNSURE: nothing was done. may_pass: its queue is empty.
 */
static ALWAYS_INLINE enum fsw_verdict fsw_arrival_early(
        struct fsw *sw, uint16_t out, struct desc *d, bool may_pass)
{
	const int64_t bytes = fsw_buffer_bytes(sw, d->frame_bytes);

	if (may_pass) /* and no WRED queue that marks by its average is calm */
		return LIKELY(fsw_admits_early(sw, out, d, bytes, false)) ? FSW_PASS
		                                                          : FSW_UNSURE;
	if (UNLIKELY(fsw_wred_looks(&sw->port[out], d)) || /* no draw is made twice */
	        UNLIKELY(!fsw_admits_early(sw, out, d, bytes, true)))
		return FSW_UNSURE;
	fsw_enqueue(sw, out, d, bytes);
	return FSW_QUEUED;
}

int fsw_pick_slow(struct fsw_port *p, const struct fsw *sw, uint8_t ready);

/* Which priority is served next: strict ones by number, the others by deficit round robin. */
static ALWAYS_INLINE int fsw_pick(struct fsw_port *p, const struct fsw *sw, uint8_t ready)
{
	if (LIKELY((ready & (ready - 1)) == 0))
		return __builtin_ctz(ready);
	return fsw_pick_slow(p, sw, ready);
}

/* What a frame that leaves had of its ingress: given back, and the peer told to go on if that
 * is enough. */
static ALWAYS_INLINE void fsw_release(struct fsw *sw, const struct desc *d, int64_t bytes)
{
	struct fsw_port *ing = &sw->port[d->in_port];
	const int pr = d->priority;
	const uint8_t bit = (uint8_t)(1u << pr);

	if (LIKELY(ing->profile->lossless & bit)) {
		struct mmu_ingress *in = &ing->cls[pr].in;

		mmu_release_lossless(&sw->mmu, in, &ing->profile->limits, bytes);
		if (UNLIKELY(mmu_wants_xon(&sw->mmu, in, &ing->profile->limits))) {
			sw->n_xoff--;
			/* an XOFF may wait for its turn, for the first time or as a repetition:
			 * only a peer that was told to stop is told to go on */
			ing->pfc_xoff &= (uint8_t)~bit;
			ing->pfc_xon |= bit & ing->xoff_sent;
		}
	} else {
		mmu_release_lossy(&sw->mmu, bytes);
	}
}

/*
 * Takes the next frame of a free port: fsw_ready(port) must not be 0. A PFC frame may then wait
 * on d->in_port.
 */
static ALWAYS_INLINE void fsw_departure(struct fsw *sw, uint16_t out, struct desc *d)
{
	struct fsw_port *eg = &sw->port[out];
	const int pr = fsw_pick(eg, sw, fsw_ready(eg));
	const uint8_t bit = (uint8_t)(1u << pr);
	struct fifo *q = &eg->cls[pr].q;
	int64_t bytes;

	*d = *fifo_head(q);
	bytes = fsw_buffer_bytes(sw, d->frame_bytes);
	fifo_pop(sw->pool, q, bytes);
	if (q->packets == 0) {
		eg->backlog &= (uint8_t)~bit;
		eg->deficit[pr] = 0; /* an empty queue saves nothing up */
	} else {
		__builtin_prefetch(
		        fifo_head(q)); /* written long ago; needed when the port is free */
	}
	fsw_release(sw, d, bytes);
	if (!eg->profile->ecn.on_enqueue)
		fsw_mark(sw, eg, d, q->bytes);
	sw->count.sent++;
}

/* Takes the first frame of a queue away, unsent: the caller counts it. A PFC frame may then
 * wait on d->in_port. */
void fsw_discard(struct fsw *sw, uint16_t out, int priority, struct desc *d);

/* Debug: every packet is somewhere and the counters agree with the queues. */
void fsw_check(const struct fsw *sw);

#endif
