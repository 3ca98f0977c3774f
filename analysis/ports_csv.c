/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/ports_csv.h"

#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/stats.h"

/* What only a switch has is empty on a host. */
static int64_t of_switch(const struct net_view *v, uint32_t node, int64_t value)
{
	return node < v->n_hosts ? STATS_NULL : value;
}

static void write_port(
        FILE *f, struct csv_line *l, const struct port_record *p, const struct net_view *v)
{
	csv_word(l, v->node[p->node].name);
	csv_whole(l, p->port);
	csv_word(l, net_peer_name(v, p->node, p->port));
	csv_whole(l, p->priority);
	csv_whole(l, p->tx_packets);
	csv_whole(l, p->tx_bytes);
	csv_whole(l, of_switch(v, p->node, p->max_queue_bytes));
	csv_whole(l, of_switch(v, p->node, p->marked_packets));
	csv_whole(l, of_switch(v, p->node, p->dropped_packets));
	csv_fixed(l, p->paused_ps, 6);
	csv_whole(l, (int64_t)p->pause_episodes);
	csv_whole(l, p->xoff_frames);
	csv_end(l, f);
}

void ports_csv_write(FILE *f, const struct run_record *r, const struct net_view *v)
{
	struct csv_line l = {0};

	put_text("node,port,peer,priority,tx_packets,tx_bytes,max_queue_bytes,marked_packets,"
	         "dropped_packets,paused_us,pauses,xoff_frames\n",
	        f);
	for (uint64_t i = 0; i < r->n_port; i++)
		write_port(f, &l, &r->port[i], v);
}

static const char *const kind_name[] = {
        [PFC_EVENT_XOFF] = "xoff",
        [PFC_EVENT_REFRESH] = "refresh",
        [PFC_EVENT_XON] = "xon",
};

static void write_event(
        FILE *f, struct csv_line *l, const struct pfc_event *ev, const struct net_view *v)
{
	const bool has_cause =
	        ev->kind == PFC_EVENT_XOFF && !ev->injected && ev->node >= v->n_hosts;

	csv_fixed(l, ev->t_ps, 6);
	csv_word(l, v->node[ev->node].name);
	csv_whole(l, ev->port);
	csv_word(l, net_peer_name(v, ev->node, ev->port));
	csv_whole(l, ev->priority);
	csv_word(l, kind_name[ev->kind]);
	csv_whole(l, has_cause ? ev->cause_port : STATS_NULL);
	csv_word(l, has_cause ? net_peer_name(v, ev->node, ev->cause_port) : "");
	csv_word(l, ev->kind != PFC_EVENT_XOFF ? ""
	            : ev->injected             ? "injected"
	            : ev->node < v->n_hosts    ? "receiver"
	            : ev->cause_paused         ? "paused"
	                                       : "congestion");
	csv_end(l, f);
}

void pfc_csv_write(FILE *f, const struct run_record *r, const struct net_view *v)
{
	struct csv_line l = {0};

	put_text("t_us,node,port,peer,priority,event,cause_port,cause_peer,cause\n", f);
	for (uint64_t i = 0; i < r->n_pfc; i++)
		write_event(f, &l, &r->pfc[i], v);
}
