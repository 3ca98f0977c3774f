/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: the state of a run. Nodes are owned by one thread each; what threads share is
 * constant, or a mailbox that its reader empties one window after its writer filled it.
 */
#ifndef SIM_INT_H
#define SIM_INT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/pfc_log.h"
#include "dataplane/fabric/fswitch.h"
#include "dataplane/fabric/routes.h"
#include "gen/host/host.h"
#include "gen/sim/bytes.h"
#include "gen/sim/order.h"
#include "gen/sim/sim.h"

#define SIM_MAX_HOST_RATES 16

#define SIM_ELSEWHERE (UINT8_MAX - 1) /* owner of nodes that another process runs */

/* Packets that arrive at one node in one window, in the order of sending. */
struct inbox {
	struct desc *d;
	uint32_t n, cap;
};

/* What is known of a window to come, by one thread about its nodes. */
struct slot {
	_Alignas(32) struct inbox *inbox; /* [nodes] */
	uint8_t *active;                  /* [nodes] has something to do */
	bool any;                         /* someone has, or mail was sent for that window */
};

struct mail {
	struct desc d;
	uint32_t node;
};

struct mailbox {
	struct mail *m;
	uint32_t n, cap;
};

/* A switch with the times of its own events. */
struct sw_node {
	struct fsw sw;
	const struct routes *routes; /* the run's, or those around links that are down */
	/* Its own events by sim_key. Services are near and come and go with the packets; pauses
	 * and their refreshes lie far ahead and would only lengthen the way through that heap.
	 */
	uint64_t *service; /* [ports] each port at most once */
	uint64_t *rare;
	uint64_t rare_key; /* the first of them and of watch */
	uint32_t n_service, n_rare, cap_rare;
	uint64_t *watch; /* switch_watch.h */
	uint32_t n_watch, cap_watch;
	uint32_t n_storms;      /* queues that a watchdog holds for stormed */
	uint32_t n_down;        /* ports whose link is down */
	uint32_t reroutes_done; /* reroute.h */
	uint32_t n_paused;      /* ports that are told not to send some priority */
	bool calm;              /* switch_calm.h: no service is scheduled */
	uint64_t *queued;       /* calm: bit per port that may have frames queued */
	bool cut_through;
	bool unusual; /* cut-through, balanced, averaged, stormed or down: arrivals take the
	                 long way */
	struct desc *deferred;  /* [ports] a frame whose head came but whose way was not free */
	uint16_t *deferred_out; /* [ports] and where it goes */
};

struct host_node {
	struct host host;
	int64_t now_ps;
	uint64_t other_key; /* earliest event of its own that is not a transmission */
	int64_t delay_ps;   /* propagation and the switch's pipeline latency */
	int64_t head_bytes;
	int64_t response_ps;
	int64_t propagation_ps;          /* without that latency: what a PFC frame sees */
	int64_t xoff_frames[PRIORITIES]; /* sent for the receive buffer, or by a storm */
	int64_t effect_event_ps, expiry_event_ps;
	struct tx_count tx[PRIORITIES]; /* PFC frames aside; without FCS and gap */
	uint32_t peer;
	uint16_t peer_port;
	uint8_t odd_link;           /* as of a switch port */
	bool is_unsorted;           /* frames overtake each other on the way here */
	uint16_t held;              /* priorities blocked beside those that are paused */
	uint16_t ctl_ignores_pause; /* the NIC's, while its link is down */
	int64_t fault_ps;           /* next SIM_FAULT event; TIME_NEVER */
	struct port_faults *fault;
};

/* Nodes joined by links shorter than a window: run inside it by a plain event heap. */
struct group {
	uint32_t *node;
	uint32_t n_nodes;
	uint64_t visited_window;
};

/* For a capture, in the order in which frames were sent. */
struct capture_notes {
	struct capture_record *at;
	uint64_t n, cap;
};

struct sim_thread {
	struct sim *sim;
	uint32_t id;
	/* the window being run */
	uint64_t window;
	int64_t start_ps, end_ps;
	int64_t full_end_ps; /* end_ps unless the run stops within the window */
	/* packet path */
	struct fifo_pool pool;
	struct slot *slot;   /* [wake_ring] by window; their inboxes repeat after ring */
	struct inbox *inbox; /* [ring][nodes] */
	uint8_t *active;     /* [wake_ring][active_stride] */
	uint64_t *far; /* heap of wake-ups beyond the ring: window << FAR_NODE_BITS | node */
	uint32_t n_far, cap_far;
	uint64_t *key, *key2; /* sorting of arrivals */
	uint32_t cap_key;
	struct mailbox *out;         /* [threads][ring][+ ranks], written by this thread */
	struct bytes opened;         /* connections to other ranks since the last window */
	struct heap_core *heap_core; /* of the group being run; NULL outside */
	/* results */
	struct run_counters n;
	struct hist latency_ps, queue_bytes;
	int64_t max_latency_ps; /* up to the last row: latency_ps.max is that of the interval */
	struct msg_log log;
	struct mark_log marks;
	int64_t delivered_bytes, interval_max_queue_bytes;
	int64_t max_shared_bytes; /* up to the last row */
	struct series_row *row;
	struct row_latency {
		__int128 sum_ps;
		uint64_t packets;
	} * row_latency, /* [n_row] */
	        latency_base;
	uint64_t n_row, cap_row;
	struct run_counters row_base;
	int64_t row_cuts; /* rate cuts up to the last row */
	struct headroom_violation *violation;
	uint64_t n_violation, cap_violation;
	int64_t violations_until_ps;
	struct watchdog_event *watchdog;
	uint64_t n_watchdog, cap_watchdog;
	int64_t watchdog_until_ps;
	struct pfc_log pfc;
	int64_t last_done_ps;
	int64_t next_sample_ps;
	int64_t look_ps;           /* for deadlocks, next */
	int64_t data_packets_late; /* on a link when the run stops */
	uint64_t unfinished;       /* programs and messages of its hosts */
	bool beyond_stop;          /* an event was left undone because it lies after the stop */
	struct capture_notes captured;
	int64_t rest_ps; /* of the frame sent last: what of it comes after its head, to a
	                    switch that goes on with that */
	int failure;
	pthread_t thread;
};

/* What a thread tells the others at a barrier; two copies, used in turn. */
struct sim_vote {
	_Alignas(CACHE_LINE) uint64_t next_window;
	uint64_t unfinished; /* programs and messages */
	int64_t on_way; /* data packets sent less those that ended, by this thread's nodes */
	uint64_t packet_hops, events, messages_done; /* for the progress display */
	uint64_t captured;                           /* records that wait */
	bool stop, failed, beyond_stop;
};

struct sim {
	const struct sim_cfg *cfg;
	const struct topo *topo;
	struct routes *routes;
	struct fsw_profile *profile;
	struct dcqcn_rp_params *rp[SIM_MAX_HOST_RATES];
	int64_t rp_rate_bps[SIM_MAX_HOST_RATES];
	uint32_t n_rp;
	struct rnic_shared rnic_shared;
	struct host_shared host_shared;
	struct conn_arena arena;
	struct host_node *host; /* [n_hosts] */
	struct sw_node *sw;     /* [n_nodes - n_hosts] */
	uint8_t *owner;         /* [n_nodes] thread, or SIM_ELSEWHERE */
	struct group *group;
	uint32_t n_groups;
	uint32_t *group_of;   /* [n_nodes] index + 1, 0: none; NULL when there is none */
	uint64_t *far_window; /* [n_nodes] earliest wake-up in the far heap */
	int64_t window_ps;
	uint64_t window_reciprocal; /* of window_ps, with window_shift */
	uint32_t window_shift;
	uint32_t ring, ring_mask;      /* of inboxes */
	uint32_t wake_ring, wake_mask; /* of activity: longer, for wake-ups */
	size_t active_stride;          /* n_nodes rounded up to 8 */
	int64_t stop_ps;
	struct sim_thread **thread;
	uint32_t n_threads;
	bool unacknowledged;   /* some entry is UC or UD */
	struct sim_vote *vote; /* [2][threads] */
	struct sim_barrier *barrier;
	struct deadlocks *deadlocks; /* deadlock.h */
	struct reroutes *reroutes;   /* reroute.h; NULL: routes stay */
	struct ranks *ranks;         /* NULL: one process */
	bool tapped;                 /* by cfg.tap or cfg.capture */
	int64_t run_ps;              /* end of the last window that was run; thread 0 */
	uint32_t fcs_gap_bytes;
	uint32_t pfc_bytes;
	enum run_end end;
};

/* Mailboxes of a thread. */
size_t sim_mailboxes(const struct sim *s);

/* setup.c */
NODISCARD int sim_setup(struct sim *s, const struct sim_cfg *cfg, struct err *e);
void sim_teardown(struct sim *s);
/* windows.c: the main loop of one thread. */
/* A frame is lost: does its priority, as the fabric has it, promise that none is? */
static inline void sim_count_lossless(struct sim_thread *th, const struct desc *d)
{
	const int64_t lossless = th->sim->topo->profile[0].pfc_priorities;

	th->n.lossless_lost += d->kind != DESC_PFC && (lossless >> d->priority & 1);
}

void sim_thread_run(struct sim_thread *th);
/* collect.c */
NODISCARD int sim_collect(struct sim *s, struct run_record **out, struct err *e);
void sim_counters_add(struct run_counters *to, const struct run_counters *from);
void sim_series_add(struct series_row *to, const struct series_row *from); /* same t_ps */
/* collect_iterations.c: when everything of all processes is here */
NODISCARD int sim_collect_iterations(struct sim *s, struct run_record *r);
/* collect_ports.c */
NODISCARD int sim_collect_ports(const struct sim *s, struct run_record *r);
NODISCARD int sim_collect_pfc(struct sim *s, struct run_record *r);
void sim_order_ports(struct run_record *r); /* once more, of several processes */
void sim_order_pfc(struct run_record *r);
/* alone.c */
int64_t sim_alone_ps(const void *sim, uint32_t src, uint32_t dst, uint16_t entropy,
        int64_t bytes, bool completed);
/* series.c: closes every interval that ends at or before t_ps. */
void sim_series_advance(struct sim_thread *th, int64_t t_ps);
void sim_series_finish(struct sim_thread *th);
/* barrier.c */
struct sim_barrier *sim_barrier_open(uint32_t threads);
void sim_barrier_wait(struct sim_barrier *b);
void sim_barrier_close(struct sim_barrier *b);
/* heap_core.c: runs the nodes of a group up to the end of the window. */
void sim_group_visit(struct sim_thread *th, struct group *g, const struct slot *slot);
void sim_heap_core_push(struct sim_thread *th, uint32_t node, const struct desc *d);

#endif
