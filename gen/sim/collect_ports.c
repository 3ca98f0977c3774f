/* SPDX-License-Identifier: Apache-2.0 */
/* After the run: what each port did, and who paused whom and why. */
#include "gen/sim/sim_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool did_something(const struct port_record *p)
{
	return p->tx_packets || p->max_queue_bytes || p->marked_packets || p->dropped_packets ||
	       p->paused_ps || p->pause_episodes || p->xoff_frames || p->pfc_received;
}

static int add_port(struct run_record *r, const struct port_record *p, uint64_t *cap)
{
	if (!did_something(p))
		return 0;
	if (r->n_port == *cap) {
		uint64_t n = *cap ? *cap * 2 : 256;
		void *grown = reallocarray(r->port, n, sizeof(*r->port));

		if (!grown)
			return -ENOMEM;
		r->port = grown;
		*cap = n;
	}
	r->port[r->n_port++] = *p;
	return 0;
}

static struct port_record of_class(
        const struct tx_count *tx, const struct pause_rx *pause, int pr, int64_t t_end_ps)
{
	return (struct port_record){
	        .priority = (uint8_t)pr,
	        .tx_packets = tx[pr].packets,
	        .tx_bytes = tx[pr].bytes,
	        .paused_ps = pause_rx_total_ps(pause, pr, t_end_ps),
	        .pause_episodes = pause->episodes[pr],
	};
}

static int collect_host(const struct sim *s, uint32_t n, struct run_record *r, uint64_t *cap)
{
	const struct host_node *h = &s->host[n];

	for (int pr = 0; pr < PRIORITIES; pr++) {
		struct port_record p = of_class(h->tx, &h->host.nic.pause, pr, r->t_end_ps);

		p.node = n;
		p.tx_bytes += p.tx_packets * s->fcs_gap_bytes;
		p.xoff_frames = h->xoff_frames[pr];
		if (add_port(r, &p, cap))
			return -ENOMEM;
	}
	return 0;
}

static int collect_switch_port(
        const struct fsw *sw, uint16_t port, struct run_record *r, uint64_t *cap)
{
	const struct fsw_port *from = &sw->port[port];

	for (int pr = 0; pr < PRIORITIES; pr++) {
		struct port_record p = of_class(from->cold->tx, &from->pause, pr, r->t_end_ps);

		p.node = sw->node;
		p.port = port;
		p.max_queue_bytes = from->cls[pr].max_queue_bytes;
		p.marked_packets = from->cold->marked_packets[pr];
		p.dropped_packets = from->cold->dropped_packets[pr];
		p.xoff_frames = from->cold->xoff_frames[pr];
		p.pfc_received = from->cold->pfc_received[pr];
		if (add_port(r, &p, cap))
			return -ENOMEM;
	}
	return 0;
}

int sim_collect_ports(const struct sim *s, struct run_record *r)
{
	uint64_t cap = 0;

	for (uint32_t n = 0; n < s->topo->n_hosts; n++)
		if (collect_host(s, n, r, &cap))
			return -ENOMEM;
	for (uint32_t n = s->topo->n_hosts; n < s->topo->n_nodes; n++) {
		const struct fsw *sw = &s->sw[n - s->topo->n_hosts].sw;

		for (uint16_t i = 0; i < sw->n_ports; i++)
			if (collect_switch_port(sw, i, r, &cap))
				return -ENOMEM;
	}
	return 0;
}

#define COMPARE(a, b)                                                                          \
	if ((a) != (b))                                                                        \
	return (a) < (b) ? -1 : 1

static int event_order(const void *pa, const void *pb)
{
	const struct pfc_event *a = pa, *b = pb;

	COMPARE(a->t_ps, b->t_ps);
	COMPARE(a->node, b->node);
	COMPARE(a->port, b->port);
	COMPARE(a->priority, b->priority);
	return 0;
}

/* One thread's events are in order but for those of one window. */
static void sort_events(struct pfc_event *ev, uint64_t n)
{
	uint64_t moves = 0;

	for (uint64_t i = 1; i < n; i++) {
		const struct pfc_event e = ev[i];
		uint64_t k = i;

		for (; k > 0 && event_order(&ev[k - 1], &e) > 0; k--)
			ev[k] = ev[k - 1];
		ev[k] = e;
		moves += i - k;
		if (moves > n * 8) { /* several threads, or a storm in one window */
			qsort(ev, n, sizeof(*ev), event_order);
			return;
		}
	}
}

static int edge_order(const void *pa, const void *pb)
{
	const struct pause_edge *a = pa, *b = pb;

	COMPARE(a->node, b->node);
	COMPARE(a->port, b->port);
	COMPARE(a->priority, b->priority);
	COMPARE(a->cause_port, b->cause_port);
	COMPARE(a->cause_paused, b->cause_paused);
	COMPARE(a->injected, b->injected);
	return 0;
}

static int collect_events(struct sim *s, struct run_record *r)
{
	uint64_t total = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		total += s->thread[t]->pfc.n_event;
	if (!total)
		return 0;
	r->pfc = malloc(total * sizeof(*r->pfc));
	if (!r->pfc)
		return -ENOMEM;
	for (uint32_t t = 0; t < s->n_threads; t++) {
		const struct pfc_log *l = &s->thread[t]->pfc;

		if (l->n_event)
			memcpy(&r->pfc[r->n_pfc], l->event, l->n_event * sizeof(*r->pfc));
		r->n_pfc += l->n_event;
	}
	return 0;
}

static int collect_edges(struct sim *s, struct run_record *r)
{
	uint64_t total = 0;

	for (uint32_t t = 0; t < s->n_threads; t++)
		total += s->thread[t]->pfc.n_cause;
	if (!total)
		return 0;
	r->edge = malloc(total * sizeof(*r->edge));
	if (!r->edge)
		return -ENOMEM;
	for (uint32_t t = 0; t < s->n_threads; t++)
		r->n_edge +=
		        pfc_log_edges(&s->thread[t]->pfc, r->t_end_ps, &r->edge[r->n_edge]);
	return 0;
}

void sim_order_pfc(struct run_record *r)
{
	sort_events(r->pfc, r->n_pfc);
	if (r->n_pfc > RUN_PFC_EVENTS_KEPT)
		r->n_pfc = RUN_PFC_EVENTS_KEPT;
	if (r->n_edge)
		qsort(r->edge, r->n_edge, sizeof(*r->edge), edge_order);
}

int sim_collect_pfc(struct sim *s, struct run_record *r)
{
	int rc = collect_events(s, r);

	if (!rc)
		rc = collect_edges(s, r);
	sim_order_pfc(r);
	return rc;
}

static int port_order(const void *pa, const void *pb)
{
	const struct port_record *a = pa, *b = pb;

	COMPARE(a->node, b->node);
	COMPARE(a->port, b->port);
	COMPARE(a->priority, b->priority);
	return 0;
}

void sim_order_ports(struct run_record *r)
{
	if (r->n_port)
		qsort(r->port, r->n_port, sizeof(*r->port), port_order);
}
