/* SPDX-License-Identifier: Apache-2.0 */
/* Faults before and after the run: instances are handed to ports, and their counts added up. */
#include "gen/sim/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"
#include "gen/sim/partition.h"
#include "gen/sim/switch_port.h"

int64_t sim_fault_extra_ps(const struct sim_cfg *cfg)
{
	int64_t extra_ps = 0;

	for (uint32_t i = 0; i < cfg->n_faults; i++)
		if (cfg->fault[i].kind == FAULT_HOLD || cfg->fault[i].kind == FAULT_LINK_DELAY)
			extra_ps += cfg->fault[i].delay_ps;
	return extra_ps;
}

int64_t sim_fault_slowest_bps(const struct sim_cfg *cfg, int64_t usual_bps)
{
	for (uint32_t i = 0; i < cfg->n_faults; i++)
		if (cfg->fault[i].kind == FAULT_LINK_RATE && cfg->fault[i].rate_bps < usual_bps)
			usual_bps = cfg->fault[i].rate_bps;
	return usual_bps;
}

/* Kinds whose frames are looked at, be it to count them. */
static bool on_frames(enum fault_kind k)
{
	return k != FAULT_ECN_OFF && k != FAULT_PFC_STORM;
}

/* Kinds whose begin and end are events of the sending node. */
static bool has_events(enum fault_kind k)
{
	return k == FAULT_LINK_DOWN || k == FAULT_LINK_RATE || k >= FAULT_PFC_STORM;
}

static struct port_faults **slot_of(const struct sim *s, uint32_t node, uint16_t port)
{
	return node < s->topo->n_hosts
	               ? &s->host[node].fault
	               : &s->sw[node - s->topo->n_hosts].sw.port[port].cold->fault;
}

static int add_instance(struct sim *s, uint32_t index, uint32_t node, uint16_t port)
{
	const struct sim_fault *f = &s->cfg->fault[index];
	struct port_faults **slot = slot_of(s, node, port), *pf = *slot;
	struct fault_instance *inst;

	if (!pf) {
		const struct topo_port *p =
		        &s->topo->port[s->topo->node[node].first_port + port];

		pf = *slot = calloc(1, sizeof(*pf));
		if (!pf)
			return -ENOMEM;
		pf->usual_bps = p->rate_bps;
		pf->fastest_bps = p->rate_bps;
		if (p->peer_node >= s->topo->n_hosts)
			pf->latency_ps = s->topo->profile[s->topo->node[p->peer_node].profile]
			                         .latency_ps;
	}
	if (f->kind == FAULT_LINK_RATE && f->rate_bps > pf->fastest_bps)
		pf->fastest_bps = f->rate_bps;
	inst = reallocarray(pf->inst, pf->n + 1, sizeof(*inst));
	if (!inst)
		return -ENOMEM;
	pf->inst = inst;
	inst[pf->n++] = (struct fault_instance){
	        .f = f,
	        .index = index,
	        .next_ps = has_events(f->kind) ? f->from_ps : TIME_NEVER,
	        .seed = hash_combine(hash_combine(s->cfg->seed, node),
	                (uint64_t)index << 24 | (uint64_t)port << 8 | RNG_FAULT),
	        .first_ps = TIME_NEVER,
	        .last_ps = TIME_NEVER,
	};
	return 0;
}

/* The same profile without marking. */
static int setup_profile(struct sim *s, uint32_t node, uint16_t port, struct err *e)
{
	const struct topo *t = s->topo;
	struct fsw_port *p = &s->sw[node - t->n_hosts].sw.port[port];
	struct switch_cfg cfg = t->profile[t->port[t->node[node].first_port + port].profile];
	struct port_faults *pf = p->cold->fault;

	pf->usual_profile = p->profile;
	if (pf->marks_not)
		return 0;
	pf->marks_not = malloc(sizeof(*pf->marks_not));
	if (!pf->marks_not)
		return -ENOMEM;
	cfg.ecn_enabled = 0;
	return fsw_profile_init(pf->marks_not, &cfg, e);
}

/* Frames that are held or sent at another rate do not arrive at a cut-through switch as it
 * reckons from their heads: such a link counts them when they are whole. */
static void count_whole(struct sim *s, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &s->topo->port[s->topo->node[node].first_port + port];

	if (s->owner[node] == SIM_ELSEWHERE) {
		/* its process does that */
	} else if (node < s->topo->n_hosts) {
		s->host[node].head_bytes = 0;
		s->host[node].odd_link &= (uint8_t)~ODD_CUT_THROUGH;
	} else {
		struct fsw_port *e = &s->sw[node - s->topo->n_hosts].sw.port[port];

		e->cold->head_bytes = 0;
		e->odd_link &= (uint8_t)~ODD_CUT_THROUGH;
	}
	if (p->peer_node >= s->topo->n_hosts && s->owner[p->peer_node] != SIM_ELSEWHERE)
		s->sw[p->peer_node - s->topo->n_hosts]
		        .sw.port[p->peer_port]
		        .cold->head_in_bytes = INT32_MAX;
}

static void arm(struct sim *s, const struct sim_fault *f, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &s->topo->port[s->topo->node[node].first_port + port];

	if (s->owner[node] == SIM_ELSEWHERE) {
		/* its process does that */
	} else if (node < s->topo->n_hosts) {
		s->host[node].odd_link |= ODD_FAULT;
	} else {
		s->sw[node - s->topo->n_hosts].sw.port[port].odd_link |= ODD_FAULT;
	}
	if (f->kind != FAULT_HOLD && f->kind != FAULT_LINK_DELAY && f->kind != FAULT_LINK_RATE)
		return;
	count_whole(s, node, port);
	if (p->peer_node < s->topo->n_hosts && s->owner[p->peer_node] != SIM_ELSEWHERE)
		s->host[p->peer_node].is_unsorted = true;
}

static int setup_place(
        struct sim *s, uint32_t index, uint32_t node, uint16_t port, struct err *e)
{
	const struct sim_fault *f = &s->cfg->fault[index];
	int rc;

	if (on_frames(f->kind))
		arm(s, f, node, port);
	if (s->owner[node] == SIM_ELSEWHERE)
		return 0;
	rc = add_instance(s, index, node, port);
	if (rc)
		return rc;
	if (f->kind == FAULT_ECN_OFF)
		return setup_profile(s, node, port, e);
	return 0;
}

/* Events of one node go into its own order. */
static void schedule(struct sim *s, uint32_t node, uint16_t port, const struct port_faults *pf)
{
	const int64_t next_ps = pf ? fault_next_ps(pf) : TIME_NEVER;

	if (next_ps == TIME_NEVER)
		return;
	if (node < s->topo->n_hosts) {
		s->host[node].fault_ps = next_ps;
		host_refresh(&s->host[node]);
	} else {
		switch_rare_push(&s->sw[node - s->topo->n_hosts],
		        sim_key_or_never(next_ps, SIM_FAULT, port));
	}
	sim_first_wake(s, node, next_ps);
}

int sim_fault_setup(struct sim *s, struct err *e)
{
	const struct topo *t = s->topo;
	int rc = 0;

	if (!s->cfg->n_faults)
		return 0;
	for (uint32_t i = 0; i < s->cfg->n_faults && !rc; i++) {
		const struct sim_fault *f = &s->cfg->fault[i];

		for (uint32_t k = 0; k < f->n_places && !rc; k++) {
			uint32_t node = f->place[k].node;

			if (f->kind != FAULT_ECN_OFF) {
				rc = setup_place(s, i, node, f->place[k].port, e);
				continue;
			}
			for (uint16_t port = 0; port < t->node[node].n_ports && !rc; port++)
				rc = setup_place(s, i, node, port, e);
		}
	}
	if (rc)
		return err_set(e, rc, "no memory for %u faults", s->cfg->n_faults);
	for (uint32_t node = 0; node < t->n_nodes; node++)
		for (uint16_t port = 0;
		        port < t->node[node].n_ports && s->owner[node] != SIM_ELSEWHERE; port++)
			schedule(s, node, port, *slot_of(s, node, port));
	return 0;
}

static void free_port(struct port_faults *pf)
{
	if (!pf)
		return;
	free(pf->inst);
	free(pf->marks_not);
	free(pf);
}

void sim_fault_teardown(struct sim *s)
{
	const struct topo *t = s->topo;

	if (!s->cfg->n_faults)
		return;
	for (uint32_t node = 0; node < t->n_nodes; node++) {
		if (node < t->n_hosts ? !s->host : !s->sw)
			continue;
		if (node >= t->n_hosts && (!s->sw[node - t->n_hosts].sw.port ||
		                                  !s->sw[node - t->n_hosts].sw.port[0].cold))
			continue;
		for (uint16_t port = 0; port < t->node[node].n_ports; port++)
			free_port(*slot_of(s, node, port));
	}
}

static void add_up(struct fault_record *to, const struct fault_instance *from)
{
	to->packets += from->packets;
	if (from->first_ps < to->first_ps)
		to->first_ps = from->first_ps;
	if (from->last_ps != TIME_NEVER &&
	        (to->last_ps == TIME_NEVER || from->last_ps > to->last_ps))
		to->last_ps = from->last_ps;
}

int sim_fault_collect(const struct sim *s, struct run_record *r)
{
	const struct topo *t = s->topo;

	if (!s->cfg->n_faults)
		return 0;
	r->fault = calloc(s->cfg->n_faults, sizeof(*r->fault));
	if (!r->fault)
		return -ENOMEM;
	r->n_fault = s->cfg->n_faults;
	for (uint32_t i = 0; i < r->n_fault; i++)
		r->fault[i] = (struct fault_record){
		        .fault = i, .first_ps = TIME_NEVER, .last_ps = TIME_NEVER};
	for (uint32_t node = 0; node < t->n_nodes; node++)
		for (uint16_t port = 0; port < t->node[node].n_ports; port++) {
			struct port_faults *pf = s->owner[node] == SIM_ELSEWHERE
			                                 ? NULL
			                                 : *slot_of(s, node, port);

			for (uint32_t k = 0; pf && k < pf->n; k++) {
				if (pf->inst[k].f->kind == FAULT_ECN_OFF && pf->inst[k].active)
					fault_count_unmarked(&pf->inst[k],
					        &s->sw[node - t->n_hosts], r->t_end_ps);
				add_up(&r->fault[pf->inst[k].index], &pf->inst[k]);
			}
		}
	return 0;
}

void sim_fault_order(struct run_record *r, uint32_t n_faults)
{
	for (uint64_t i = n_faults; i < r->n_fault; i++) {
		const struct fault_record *from = &r->fault[i];
		struct fault_record *to = &r->fault[from->fault];

		to->packets += from->packets;
		if (from->first_ps < to->first_ps)
			to->first_ps = from->first_ps;
		if (from->last_ps != TIME_NEVER &&
		        (to->last_ps == TIME_NEVER || from->last_ps > to->last_ps))
			to->last_ps = from->last_ps;
	}
	if (r->n_fault > n_faults)
		r->n_fault = n_faults;
}
