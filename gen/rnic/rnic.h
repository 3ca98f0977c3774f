/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The endpoint of one host: NIC scheduler, requesters, responders, notification point. A pure
 * state machine in descriptors: it is told the time, asked for the next frame when the port is
 * free, and given what arrives. The thread that owns the host calls it; set-up calls may
 * allocate, the packet path does not (its FIFOs draw from the thread's pool).
 */
#ifndef RNIC_H
#define RNIC_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/base/fifo.h"
#include "dataplane/base/hist.h"
#include "dataplane/base/link_rate.h"
#include "dataplane/base/pause.h"
#include "dataplane/base/record.h"
#include "gen/rnic/conn.h"
#include "gen/rnic/rnic_behaviour.h"
#include "gen/rnic/rnic_cfg.h"
#include "gen/rnic/rnic_receive.h"

#define RNIC_SLOT_BITS 14
#define RNIC_MAX_QPS   (1u << RNIC_SLOT_BITS)

/* Beyond the eight priorities in rnic.ctl_mask; no pause blocks them. */
#define RNIC_CTL_PFC  8    /* a PFC frame waits */
#define RNIC_SLOW     0x80 /* the bit of DESC_CORRUPT: one look tells of both */
#define RNIC_CTL_HOLD 9    /* answers are queued even if the port is free */

/* What the endpoint needs of fabric.frame, copied so that this module stands alone. */
struct rnic_frame {
	uint32_t header_bytes, reth_bytes, min_bytes, ack_bytes, cnp_bytes;
	uint32_t fcs_bytes, gap_bytes;
	uint32_t mtu_bytes;
	uint32_t full_bytes; /* of a frame with all of that, RETH apart */
	uint32_t pad_mask;   /* 3: payload is padded to four bytes; 0: it is not */
	int64_t time_step_ps;
};

/* Constant during the run, shared by all hosts. */
struct rnic_shared {
	const struct rnic_cfg *cfg;
	const struct np_cfg *np;
	struct rnic_frame frame;
	struct conn *conn; /* the arena, by connection index */
	uint64_t seed;
	bool dcqcn;
	bool pacing_follows; /* nic.pacing, where rates change at all */
};

/* A message that ended, for the host to collect after each call. */
struct rnic_done {
	uint32_t conn;
	uint8_t status; /* enum msg_status */
	int64_t done_ps;
	struct qp_msg msg;
};

struct rnic {
	/* the first lines hold what every packet touches */
	int64_t busy_until_ps;
	int64_t timer_ps;    /* earliest timer: delayed CNP or retransmission; TIME_NEVER */
	uint16_t ctl_mask;   /* priorities with control frames queued, and RNIC_CTL_* */
	uint16_t ready_mask; /* priorities with ready QPs */
	uint16_t blocked;    /* pause.blocked */
	uint16_t ctl_ignores_pause;
	uint32_t n_done;
	uint32_t received;  /* connection + 1 whose message was just completed here; the host
	                       clears it, and takes those of `more` behind it */
	uint32_t last_slot; /* served last */
	uint32_t n_slots;
	uint32_t n_pace;
	uint8_t rx_slow; /* RNIC_SLOW: data packets go through the receive buffer */
	uint64_t *pace;  /* heap: next_ps << RNIC_SLOT_BITS | slot */
	uint32_t *slot_conn;
	_Alignas(CACHE_LINE) struct link_rate rate;
	const struct rnic_shared *sh;
	const struct dcqcn_rp_params *rp_params;
	struct run_counters *n; /* these four: of the thread */
	struct fifo_pool *pool;
	struct hist *latency;
	int64_t *delivered_bytes;
	uint64_t *ready[PRIORITIES]; /* bit per slot; NULL where the priority has no QP */
	uint32_t ready_count[PRIORITIES];
	struct fifo ctl[PRIORITIES];
	/* less often */
	struct pause_rx pause;
	struct np_cfg np; /* as configured, but for what the NIC does to it */
	uint8_t cnp_priority;
	struct fifo gone;     /* last packets of UC and UD messages; t_ps: when they are out */
	struct fifo cnp_wait; /* CNPs under np.delay; t_ps: when due */
	uint64_t *rto;        /* heap: time << RNIC_SLOT_BITS | slot */
	uint32_t n_rto, cap_rto;
	int64_t np_last_port_ps;
	int64_t *np_last_ip_ps; /* [hosts] with np.scope ip */
	struct rnic_done *done;
	uint32_t cap_done;
	uint32_t cap_slots;
	uint32_t host;
	uint32_t *more; /* like received, when one call completes several */
	uint32_t n_more, cap_more;
	uint32_t n_gaps; /* QPs that keep packets ahead of a gap */
	struct rnic_port port;
	struct rnic_behaviour behave;
	struct rnic_rx rx;
	struct rnic_pfc_tx pfc;
};

NODISCARD int rnic_init(struct rnic *nic, const struct rnic_shared *sh,
        const struct dcqcn_rp_params *rp, uint32_t host, uint32_t n_hosts, int64_t rate_bps,
        struct err *e);
void rnic_fini(struct rnic *nic);

/* Opens a QP as connection `conn` (its memory zeroed); returns 0 or -ENOMEM / -ENOSPC. */
NODISCARD int rnic_open_qp(struct rnic *nic, uint32_t conn, uint32_t dst, uint8_t priority,
        uint16_t entropy, int64_t window_bytes);

/* Of a QP just opened that is not RC. */
void rnic_set_transport(struct rnic *nic, uint32_t conn, enum qp_transport transport);

/* How long a message's packets take on the wire: what one of UC or UD needs alone. */
int64_t rnic_serial_ps(const struct rnic *nic, const struct qp_req *q, int64_t bytes);

/* A finished fresh QP starts again at line rate with a new path. */
void rnic_renew_qp(struct rnic *nic, uint32_t conn, uint16_t entropy);

/* Posts a message; a QP that failed ends it at once as failed. -ENOMEM when the queue cannot
 * grow. */
NODISCARD int rnic_post(
        struct rnic *nic, uint32_t conn, const struct qp_msg *m, int64_t now_ps);

/* The port is free: the next frame in *d, true; false if nothing may be sent now. Sets
 * busy_until_ps. */
bool rnic_transmit(struct rnic *nic, int64_t now_ps, struct desc *d);

/* A frame other than PFC arrived whole. True: the answer is in *out and leaves at once
 * (busy_until_ps is set); other answers wait for rnic_transmit. */
bool rnic_receive(struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out);

void rnic_pfc(struct rnic *nic, const struct desc *d, int64_t now_ps, int64_t response_ps);

/* Changes how the NIC behaves. -ENOMEM leaves it as it was. The caller then brings the pause
 * state up to now and looks at nic->timer_ps. */
NODISCARD int rnic_behave(struct rnic *nic, const struct rnic_behaviour *b, int64_t now_ps);

/* Brings the pause state up to now. */
void rnic_pause_update(struct rnic *nic, int64_t now_ps);

/* Runs the timers that are due; the next one is at nic->timer_ps. */
void rnic_timers(struct rnic *nic, int64_t now_ps);

/* When it could send next, busy port or not; TIME_NEVER: not by itself. */
static ALWAYS_INLINE int64_t rnic_next_tx_ps(const struct rnic *nic)
{
	const uint16_t open = (uint16_t)~nic->blocked;

	if ((nic->ctl_mask & (open | nic->ctl_ignores_pause)) | (nic->ready_mask & open))
		return nic->busy_until_ps;
	if (nic->n_pace) {
		int64_t t_ps = (int64_t)(nic->pace[0] >> RNIC_SLOT_BITS);

		return t_ps > nic->busy_until_ps ? t_ps : nic->busy_until_ps;
	}
	return TIME_NEVER;
}

static ALWAYS_INLINE uint32_t rnic_padded(const struct rnic_frame *f, uint32_t payload_bytes)
{
	return (payload_bytes + f->pad_mask) & ~f->pad_mask;
}

/* Shared by the files of this folder. */
void rnic_rx_init(struct rnic *nic);
void rnic_rx_set_rate(struct rnic *nic, int64_t rate_bps, int64_t now_ps);
void rnic_rx_arrival(struct rnic *nic, const struct desc *d, int64_t now_ps);
void rnic_rx_drain(struct rnic *nic, int64_t now_ps);
void rnic_pfc_xoff(struct rnic *nic, uint8_t classes);
void rnic_pfc_xon(struct rnic *nic, uint8_t classes);
void rnic_pfc_storm(struct rnic *nic, const struct rnic_behaviour *was, int64_t now_ps);
void rnic_pfc_timers(struct rnic *nic, int64_t now_ps);
void rnic_pfc_build(struct rnic *nic, int64_t now_ps, struct desc *d);
void rnic_arrived_more(struct rnic *nic, uint32_t conn);
void rnic_requester_move(struct rnic *nic, struct qp_req *q, uint8_t priority);
uint16_t rnic_entropy(const struct rnic *nic, const struct qp_req *q);
void rnic_requester_ack(struct rnic *nic, const struct desc *d, int64_t now_ps);
void rnic_requester_timeout(struct rnic *nic, struct qp_req *q, int64_t now_ps);
void rnic_requester_wake(struct rnic *nic, struct qp_req *q, int64_t now_ps);
bool rnic_responder_data(
        struct rnic *nic, const struct desc *d, int64_t now_ps, struct desc *out);
void rnic_responder_late(struct rnic *nic, const struct desc *d, int64_t now_ps);
void rnic_arm_rto(struct rnic *nic, struct qp_req *q, int64_t now_ps);
void rnic_finish(struct rnic *nic, struct qp_req *q, const struct qp_msg *m, uint8_t status,
        int64_t now_ps);

bool rnic_responder_special(struct rnic *nic, struct conn *c, const struct desc *d,
        int64_t now_ps, struct desc *out);
bool rnic_out_of_order(struct rnic *nic, struct conn *c, const struct desc *d, uint32_t epsn,
        int64_t now_ps, struct desc *out);
bool rnic_accept(struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps,
        struct desc *out);
void rnic_requester_rnr(struct rnic *nic, const struct desc *d, int64_t now_ps);
int32_t rnic_unacknowledged_last(struct rnic *nic, const struct qp_req *q, int64_t now_ps);
void rnic_delay_begin(
        const struct rnic *nic, const struct qp_req *q, struct qp_msg *m, int64_t now_ps);
void rnic_delay_sent(
        const struct rnic *nic, const struct qp_req *q, struct qp_msg *m, int64_t now_ps);
int64_t rnic_delay_recovery_ps(const struct qp_req *q, const struct qp_msg *m, int64_t now_ps);

/* A loss was noticed, or is made up for: snd_nxt is where it had been. */
static inline void rnic_recovery_begins(struct qp_req *q, int64_t now_ps)
{
	if (q->recovering_ps == TIME_NEVER)
		q->recovering_ps = now_ps;
}

static inline void rnic_recovery_ends(struct qp_req *q, int64_t now_ps)
{
	if (q->recovering_ps == TIME_NEVER)
		return;
	q->recovered_ps += now_ps - q->recovering_ps;
	q->recovering_ps = TIME_NEVER;
}
void rnic_unacknowledged_done(struct rnic *nic, int64_t now_ps);
int64_t rnic_timeout_ps(const struct rnic *nic, const struct qp_req *q);
void rnic_arm_sooner(struct rnic *nic, struct qp_req *q);
void rnic_requester_rest(struct rnic *nic, struct qp_req *q);
void rnic_requester_sack(struct rnic *nic, const struct desc *d, int64_t now_ps);
bool rnic_requester_retry(struct rnic *nic, struct qp_req *q, int64_t now_ps);
bool rnic_reply(struct rnic *nic, struct conn *c, const struct desc *d, uint8_t kind,
        uint32_t psn, int64_t now_ps, struct desc *out);
bool rnic_selective_data(struct rnic *nic, struct conn *c, const struct desc *d, int64_t now_ps,
        struct desc *out);
void rnic_selective_sack(struct rnic *nic, struct qp_req *q, uint32_t arrived, int64_t now_ps);
void rnic_selective_timeout(struct rnic *nic, struct qp_req *q, int64_t now_ps);
void rnic_selective_sent(struct rnic *nic, struct qp_req *q);
void rnic_selective_resume(struct rnic *nic, struct qp_req *q);
void rnic_selective_end(struct rnic *nic, struct qp_req *q);

/* PSNs wrap; distances are far below 2^31. */
static ALWAYS_INLINE bool psn_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* While rsp.epsn is this far from the PSN that is expected the packet path finds no packet in
 * order: all of the QP's go the long way. */
#define RNIC_PSN_ASIDE UINT32_C(0x80000000)

/* The last packet of a message of `conn` was accepted. */
static ALWAYS_INLINE void rnic_message_arrived(struct rnic *nic, uint32_t conn)
{
	if (LIKELY(!nic->received))
		nic->received = conn + 1;
	else
		rnic_arrived_more(nic, conn);
}

static inline void rnic_timer_at(struct rnic *nic, int64_t t_ps)
{
	if (t_ps < nic->timer_ps)
		nic->timer_ps = t_ps;
}

/* A deadline that moves away leaves its heap entry behind; it is looked at when it comes up. */
static ALWAYS_INLINE void rnic_arm(struct rnic *nic, struct qp_req *q, int64_t deadline_ps)
{
	q->deadline_ps = deadline_ps;
	if (UNLIKELY(deadline_ps < q->armed_ps))
		rnic_arm_sooner(nic, q);
}

/* A frame starts now: the port is busy until it is out. Returns its bytes on the wire. */
static ALWAYS_INLINE int64_t rnic_occupy(struct rnic *nic, uint32_t frame_bytes, int64_t now_ps)
{
	const struct rnic_frame *f = &nic->sh->frame;
	const int64_t wire_bytes = (int64_t)frame_bytes + f->fcs_bytes + f->gap_bytes;

	nic->busy_until_ps = now_ps + link_rate_tx_ps(&nic->rate, wire_bytes);
	return wire_bytes;
}

/* A frame that the receiver throws away; data packets count as dropped. */
static inline void rnic_drop(struct rnic *nic, const struct desc *d, int64_t *counter)
{
	++*counter;
	nic->n->data_packets_dropped += d->kind == DESC_DATA;
	nic->n->lossless_lost += d->kind != DESC_PFC && (nic->port.lossless >> d->priority & 1);
}

static ALWAYS_INLINE void rnic_send_control(struct rnic *nic, const struct desc *d)
{
	fifo_push(nic->pool, &nic->ctl[d->priority], d, d->frame_bytes);
	nic->ctl_mask |= (uint16_t)(1u << d->priority);
}

#endif
