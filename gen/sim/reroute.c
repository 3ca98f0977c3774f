/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/reroute.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/sim/partition.h"
#include "gen/sim/switch_port.h"

#define MAX_TABLES      64
#define MAX_TABLE_BYTES (INT64_C(1) << 30)

/* Routes without one set of links. */
struct table {
	struct routes *routes;
	uint8_t *down; /* [topo.n_ports] */
	uint64_t hash;
};

struct step {
	int64_t at_ps;
	const struct routes *routes;
};

struct reroutes {
	struct step *step; /* by time */
	uint32_t n_steps;
	struct table table[MAX_TABLES];
	uint32_t n_tables;
	int64_t table_bytes;
};

static bool reroutes(const struct sim_fault *f)
{
	return f->kind == FAULT_LINK_DOWN && f->reroute_ps != TIME_NEVER;
}

static int64_t later(int64_t t_ps, int64_t by_ps)
{
	return t_ps == TIME_NEVER ? TIME_NEVER : t_ps + by_ps;
}

static int step_order(const void *pa, const void *pb)
{
	const struct step *a = pa, *b = pb;

	return a->at_ps < b->at_ps ? -1 : a->at_ps > b->at_ps;
}

/* Every time at which some fault changes what the switches avoid. */
static int list_steps(struct reroutes *rr, const struct sim_cfg *cfg)
{
	uint32_t n = 0;

	rr->step = malloc((2 * (size_t)cfg->n_faults + 1) * sizeof(*rr->step));
	if (!rr->step)
		return -ENOMEM;
	for (uint32_t i = 0; i < cfg->n_faults; i++) {
		const struct sim_fault *f = &cfg->fault[i];

		if (!reroutes(f))
			continue;
		rr->step[n++].at_ps = later(f->from_ps, f->reroute_ps);
		if (f->until_ps != TIME_NEVER)
			rr->step[n++].at_ps = later(f->until_ps, f->reroute_ps);
	}
	if (n)
		qsort(rr->step, n, sizeof(*rr->step), step_order);
	for (uint32_t i = 0; i < n; i++)
		if (!rr->n_steps || rr->step[i].at_ps != rr->step[rr->n_steps - 1].at_ps)
			rr->step[rr->n_steps++] = rr->step[i];
	return 0;
}

/* A link that lost one direction is no neighbour any more, at either end. */
static bool avoid(const struct topo *t, uint8_t *down, const struct fault_place *at)
{
	const uint32_t here = t->node[at->node].first_port + at->port;
	const struct topo_port *p = &t->port[here];

	if (at->node < t->n_hosts || p->peer_node < t->n_hosts || down[here])
		return false;
	down[here] = down[t->node[p->peer_node].first_port + p->peer_port] = 1;
	return true;
}

/* What is avoided from t_ps on; a sum of hashes that tells sets apart, 0: nothing. */
static uint64_t links_down(const struct sim *s, uint8_t *down, int64_t t_ps)
{
	const struct topo *t = s->topo;
	uint64_t hash = 0;

	memset(down, 0, t->n_ports);
	for (uint32_t i = 0; i < s->cfg->n_faults; i++) {
		const struct sim_fault *f = &s->cfg->fault[i];

		if (!reroutes(f) || t_ps < later(f->from_ps, f->reroute_ps) ||
		        t_ps >= later(f->until_ps, f->reroute_ps))
			continue;
		for (uint32_t k = 0; k < f->n_places; k++)
			(void)avoid(t, down, &f->place[k]);
	}
	for (uint32_t i = 0; i < t->n_ports; i++)
		if (down[i])
			hash += hash_combine(i, 1) | 1;
	return hash;
}

static const struct routes *known_table(
        const struct reroutes *rr, const struct sim *s, const uint8_t *down, uint64_t hash)
{
	if (!memchr(down, 1, s->topo->n_ports))
		return s->routes;
	for (uint32_t i = 0; i < rr->n_tables; i++)
		if (rr->table[i].hash == hash &&
		        !memcmp(rr->table[i].down, down, s->topo->n_ports))
			return rr->table[i].routes;
	return NULL;
}

static int64_t bytes_of(const struct sim *s, const struct routes *r)
{
	return (int64_t)r->n_switches * r->n_edges * (int64_t)sizeof(*r->set) +
	       (int64_t)r->n_pool * (int64_t)sizeof(*r->pool) + s->topo->n_ports;
}

static int add_table(
        struct reroutes *rr, const struct sim *s, uint8_t *down, uint64_t hash, struct err *e)
{
	struct table *tb = &rr->table[rr->n_tables];
	struct err why = {0};
	int rc;

	if (rr->n_tables == MAX_TABLES)
		return err_set(e, -EINVAL,
		        "faults: link_down with reroute makes more than %d different sets of "
		        "links that are down: let fewer of them overlap, or leave reroute out",
		        MAX_TABLES);
	if (rr->table_bytes + bytes_of(s, s->routes) > MAX_TABLE_BYTES)
		return err_set(e, -EINVAL,
		        "faults: the routes around the links that are down (link_down with "
		        "reroute) need more than 1 GiB: let fewer of them overlap");
	tb->down = malloc(s->topo->n_ports);
	if (!tb->down)
		return -ENOMEM;
	memcpy(tb->down, down, s->topo->n_ports);
	tb->hash = hash;
	rr->n_tables++; /* to be freed */
	rc = routes_build_without(
	        &tb->routes, s->topo, s->cfg->seed, tb->down, s->routes, &why);
	if (rc)
		return err_set(
		        e, rc, "faults: around the links that are down (reroute), %s", why.msg);
	rr->table_bytes += bytes_of(s, tb->routes);
	return 0;
}

static int fill_steps(struct reroutes *rr, const struct sim *s, struct err *e)
{
	uint8_t *down = malloc(s->topo->n_ports);
	int rc = down ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < rr->n_steps && !rc; i++) {
		uint64_t hash = links_down(s, down, rr->step[i].at_ps);

		rr->step[i].routes = known_table(rr, s, down, hash);
		if (rr->step[i].routes)
			continue;
		rc = add_table(rr, s, down, hash, e);
		if (!rc)
			rr->step[i].routes = rr->table[rr->n_tables - 1].routes;
	}
	free(down);
	return rc;
}

static void schedule(struct sw_node *w, const struct reroutes *rr)
{
	if (w->reroutes_done < rr->n_steps)
		switch_rare_push(
		        w, sim_key_or_never(rr->step[w->reroutes_done].at_ps, SIM_FAULT, 0));
}

int sim_reroute_setup(struct sim *s, struct err *e)
{
	const struct topo *t = s->topo;
	uint32_t n = 0;
	int rc;

	for (uint32_t i = 0; i < s->cfg->n_faults; i++)
		n += reroutes(&s->cfg->fault[i]);
	if (!n)
		return 0;
	s->reroutes = calloc(1, sizeof(*s->reroutes));
	rc = s->reroutes ? list_steps(s->reroutes, s->cfg) : -ENOMEM;
	if (!rc)
		rc = fill_steps(s->reroutes, s, e);
	if (rc == -ENOMEM)
		return err_set(e, rc, "no memory for the routes around %u links", n);
	for (uint32_t node = t->n_hosts; node < t->n_nodes && !rc; node++) {
		if (s->owner[node] == SIM_ELSEWHERE)
			continue;
		schedule(&s->sw[node - t->n_hosts], s->reroutes);
		sim_first_wake(s, node, s->reroutes->step[0].at_ps);
	}
	return rc;
}

void sim_reroute(const struct sim *s, struct sw_node *w, int64_t now_ps)
{
	const struct reroutes *rr = s->reroutes;
	const uint32_t done = w->reroutes_done;

	while (w->reroutes_done < rr->n_steps && rr->step[w->reroutes_done].at_ps <= now_ps)
		w->routes = rr->step[w->reroutes_done++].routes;
	if (w->reroutes_done > done)
		schedule(w, rr);
}

void sim_reroute_teardown(struct sim *s)
{
	if (!s->reroutes)
		return;
	for (uint32_t i = 0; i < s->reroutes->n_tables; i++) {
		routes_free(s->reroutes->table[i].routes);
		free(s->reroutes->table[i].down);
	}
	free(s->reroutes->step);
	free(s->reroutes);
}
