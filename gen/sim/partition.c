/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows: as long as the shortest link between nodes, so that nothing sent in a window arrives
 * in it. Links much shorter than the longest one would make windows tiny; their ends are joined
 * to groups instead. Processes and threads: hosts with their edge switch, in blocks; switches
 * above with those below them where these are of one part, else in turn.
 */
#include "gen/sim/partition.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/fabric/defect.h"

#include "gen/sim/emit.h"
#include "gen/sim/fault_int.h"
#include "gen/sim/ranks.h"
#include "gen/sim/sort.h"

#define LONGEST_WINDOW_PS        (100 * PS_PER_US)
#define SHORTEST_SHARE           256 /* links shorter than the longest / this are joined */
#define LARGEST_RING             16384
#define SHORTEST_WAKE_RING       64 /* paced QPs sleep for tens of windows */
#define LARGEST_FRAME_WIRE_BYTES 10000

_Static_assert(LONGEST_WINDOW_PS < INT64_C(1) << SORT_TIME_BITS, "sort keys hold a window");

/* How long after a frame starts it can arrive at most. */
static int64_t farthest(const struct sim_cfg *cfg)
{
	const struct topo *t = cfg->topo;
	int64_t farthest_ps = 0;

	for (uint32_t i = 0; i < t->n_ports; i++) {
		const struct topo_port *p = &t->port[i];
		const int64_t defect = t->profile[p->profile].defect;
		int64_t reach_ps =
		        p->delay_ps + fabric_defect_delay_ps(defect) +
		        tx_ps_floor(LARGEST_FRAME_WIRE_BYTES,
		                sim_fault_slowest_bps(
		                        cfg, fabric_defect_rate_bps(defect, p->rate_bps))) +
		        1;

		if (p->peer_node >= t->n_hosts)
			reach_ps += t->profile[t->node[p->peer_node].profile].latency_ps;
		if (reach_ps > farthest_ps)
			farthest_ps = reach_ps;
	}
	return farthest_ps + sim_fault_extra_ps(cfg);
}

/* With k = floor(log2(window)) the reciprocal is 2^(63+k) / window rounded up, at most 2^63: it
 * is too large by less than 1, so that 2 t * reciprocal / 2^(64+k) is too large by less than t
 * / 2^62 / window, and its floor is that of t / window for every t up to 2^62. */
static void set_reciprocal(struct sim *s)
{
	const uint64_t window_ps = (uint64_t)s->window_ps;

	s->window_shift = 63u - (uint32_t)__builtin_clzll(window_ps);
	s->window_reciprocal =
	        (uint64_t)((((unsigned __int128)1 << (63 + s->window_shift)) + window_ps - 1) /
	                   window_ps);
}

static void window_length(struct sim *s, int64_t farthest_ps)
{
	const struct topo *t = s->topo;
	int64_t longest_ps = 0, floor_ps, shortest_ps = LONGEST_WINDOW_PS;

	for (uint32_t i = 0; i < t->n_ports; i++)
		if (t->port[i].delay_ps > longest_ps)
			longest_ps = t->port[i].delay_ps;
	floor_ps = longest_ps / SHORTEST_SHARE;
	if (floor_ps < farthest_ps / (LARGEST_RING / 2))
		floor_ps = farthest_ps / (LARGEST_RING / 2);
	for (uint32_t i = 0; i < t->n_ports; i++) {
		int64_t d = t->port[i].delay_ps;

		if (d > 0 && d >= floor_ps && d < shortest_ps)
			shortest_ps = d;
	}
	if (s->cfg->series_ps) { /* samples fall on window boundaries */
		int64_t parts = (s->cfg->series_ps + shortest_ps - 1) / shortest_ps;

		while (s->cfg->series_ps % parts)
			parts++;
		shortest_ps = s->cfg->series_ps / parts;
	}
	s->window_ps = shortest_ps;
	set_reciprocal(s);
}

static int ring_size(struct sim *s, int64_t farthest_ps, struct err *e)
{
	const int64_t windows = farthest_ps / s->window_ps + 3;
	char have[48];

	for (s->ring = 4; s->ring < windows; s->ring *= 2)
		if (s->ring >= LARGEST_RING)
			return err_set(e, -EINVAL,
			        "measure.series: %s is too short for a fabric in which a frame "
			        "can be on its way for %" PRId64 " us: at least %" PRId64
			        " us, or off",
			        unit_format(have, sizeof(have), UNIT_TIME, s->cfg->series_ps),
			        farthest_ps / PS_PER_US + 1,
			        farthest_ps / (LARGEST_RING / 4) / PS_PER_US + 1);
	s->ring_mask = s->ring - 1;
	s->wake_ring = s->ring < SHORTEST_WAKE_RING ? SHORTEST_WAKE_RING : s->ring;
	s->wake_mask = s->wake_ring - 1;
	return 0;
}

static uint32_t find(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

/* Union of the ends of all short links; with the heap core, of everything. */
static void join(const struct sim *s, uint32_t *parent)
{
	const struct topo *t = s->topo;

	for (uint32_t n = 0; n < t->n_nodes; n++)
		parent[n] = s->cfg->core == SIM_CORE_HEAP ? 0 : n;
	for (uint32_t n = 0; n < t->n_nodes; n++)
		for (uint32_t i = 0; i < t->node[n].n_ports; i++) {
			const struct topo_port *p = &t->port[t->node[n].first_port + i];
			uint32_t a = find(parent, n), b = find(parent, p->peer_node);

			if (p->delay_ps < s->window_ps && a != b)
				parent[a > b ? a : b] = a > b ? b : a;
		}
}

static int make_groups(struct sim *s, uint32_t *parent)
{
	const uint32_t n_nodes = s->topo->n_nodes;
	uint32_t *size = calloc(n_nodes, sizeof(*size));

	if (!size)
		return -ENOMEM;
	for (uint32_t n = 0; n < n_nodes; n++)
		size[find(parent, n)]++;
	for (uint32_t n = 0; n < n_nodes; n++)
		s->n_groups += size[n] > 1;
	if (s->n_groups) {
		s->group_of = calloc(n_nodes, sizeof(*s->group_of));
		s->group = calloc(s->n_groups, sizeof(*s->group));
		if (!s->group_of || !s->group) {
			free(size);
			return -ENOMEM;
		}
	}
	for (uint32_t n = 0, g = 0; n < n_nodes; n++) {
		uint32_t root = find(parent, n);
		struct group *gr;

		if (size[root] < 2)
			continue;
		if (root == n) {
			s->group[g].node = malloc(size[root] * sizeof(uint32_t));
			if (!s->group[g].node) {
				free(size);
				return -ENOMEM;
			}
			s->group_of[n] = ++g;
		}
		s->group_of[n] = s->group_of[root];
		gr = &s->group[s->group_of[root] - 1];
		gr->node[gr->n_nodes++] = n;
	}
	free(size);
	return 0;
}

#define NOBODY UINT16_MAX

/* Nodes are dealt twice: to processes, then those of this process to its threads. */
struct deal {
	const struct sim *s;
	uint16_t *part;          /* [n_nodes] */
	const uint16_t *rank_of; /* NULL: all nodes take part, else those of `rank` */
	uint32_t rank, n_parts;
	uint32_t first_edge, n_edges; /* that take part: a block of them */
};

static bool takes_part(const struct deal *d, uint32_t node)
{
	return !d->rank_of || d->rank_of[node] == d->rank;
}

/* The part that all neighbours below belong to: a pod's switches stay with their pod. */
static uint32_t part_below(const struct deal *d, uint32_t node)
{
	const struct topo *t = d->s->topo;
	uint32_t part = NOBODY;

	for (uint32_t i = 0; i < t->node[node].n_ports; i++) {
		uint32_t theirs = d->part[t->port[t->node[node].first_port + i].peer_node];

		if (theirs == NOBODY)
			continue;
		if (part != NOBODY && part != theirs)
			return NOBODY;
		part = theirs;
	}
	return part;
}

/* A host that a group has brought here may hang on an edge switch of another process. */
static uint16_t block(const struct deal *d, uint32_t edge)
{
	edge = edge < d->first_edge ? 0 : edge - d->first_edge;
	if (edge >= d->n_edges)
		edge = d->n_edges - 1;
	return (uint16_t)((uint64_t)edge * d->n_parts / d->n_edges);
}

/* Hosts with their edge switch, in blocks; other switches in turn. */
static void deal_nodes(struct deal *d)
{
	const struct topo *t = d->s->topo;
	uint32_t turn = 0;

	for (uint32_t n = 0; n < t->n_nodes; n++)
		d->part[n] = NOBODY;
	for (uint32_t h = 0; h < t->n_hosts; h++) {
		const uint32_t peer = t->port[t->node[h].first_port].peer_node;

		if (!takes_part(d, h))
			continue;
		d->part[h] = block(d, d->s->routes->host[h].edge);
		if (takes_part(d, peer))
			d->part[peer] = d->part[h];
	}
	for (uint32_t n = t->n_hosts; n < t->n_nodes; n++) {
		if (d->part[n] != NOBODY || !takes_part(d, n))
			continue;
		d->part[n] = (uint16_t)part_below(d, n);
		if (d->part[n] == NOBODY)
			d->part[n] = (uint16_t)(turn++ % d->n_parts);
	}
	for (uint32_t g = 0; g < d->s->n_groups; g++)
		for (uint32_t i = 1; i < d->s->group[g].n_nodes; i++)
			d->part[d->s->group[g].node[i]] = d->part[d->s->group[g].node[0]];
}

static int deal_ranks(struct sim *s, struct deal *d, struct err *e)
{
	const struct world *w = s->cfg->world;

	if (w->n_ranks > d->n_edges)
		return err_set(e, -EINVAL,
		        "%u processes for a fabric whose hosts hang on %u switches: each needs "
		        "one of them at least: start %u processes at most",
		        w->n_ranks, d->n_edges, d->n_edges);
	d->part = s->ranks->rank_of;
	d->n_parts = w->n_ranks;
	deal_nodes(d);
	/* edge e goes to rank e * ranks / edges: the first of a rank is the quotient rounded up
	 */
	d->first_edge =
	        (uint32_t)(((uint64_t)w->rank * d->n_edges + w->n_ranks - 1) / w->n_ranks);
	d->n_edges = (uint32_t)((((uint64_t)w->rank + 1) * d->n_edges + w->n_ranks - 1) /
	                        w->n_ranks) -
	             d->first_edge;
	d->rank_of = s->ranks->rank_of;
	d->rank = w->rank;
	return 0;
}

static int assign(struct sim *s, struct err *e)
{
	const uint32_t n_nodes = s->topo->n_nodes;
	struct deal d = {.s = s, .n_edges = s->routes->n_edges};
	uint16_t *part = malloc(n_nodes * sizeof(*part));
	int rc = part ? 0 : err_set(e, -ENOMEM, "no memory for %u nodes", n_nodes);

	if (!rc && s->ranks)
		rc = deal_ranks(s, &d, e);
	if (!rc) {
		if (s->n_threads > d.n_edges)
			s->n_threads = d.n_edges;
		d.part = part;
		d.n_parts = s->n_threads;
		deal_nodes(&d);
		for (uint32_t n = 0; n < n_nodes; n++)
			s->owner[n] = part[n] == NOBODY ? SIM_ELSEWHERE : (uint8_t)part[n];
	}
	free(part);
	return rc;
}

int sim_partition_check(const struct sim_cfg *cfg, struct err *e)
{
	struct sim *s = calloc(1, sizeof(*s));
	const int64_t farthest_ps = farthest(cfg);
	int rc;

	if (!s)
		return err_set(e, -ENOMEM, "no memory for a run");
	s->cfg = cfg;
	s->topo = cfg->topo;
	window_length(s, farthest_ps);
	rc = ring_size(s, farthest_ps, e);
	free(s);
	return rc;
}

int sim_partition(struct sim *s, struct err *e)
{
	const uint32_t n_nodes = s->topo->n_nodes;
	const int64_t farthest_ps = farthest(s->cfg);
	uint32_t *parent = malloc(n_nodes * sizeof(*parent));
	int rc;

	s->owner = malloc(n_nodes);
	if (!parent || !s->owner) {
		free(parent);
		return err_set(e, -ENOMEM, "no memory for %u nodes", n_nodes);
	}
	window_length(s, farthest_ps);
	rc = ring_size(s, farthest_ps, e);
	if (!rc) {
		join(s, parent);
		rc = make_groups(s, parent);
		if (rc)
			(void)err_set(e, rc, "no memory for %u nodes",
			        n_nodes); /* rc is returned below */
	}
	if (!rc)
		rc = assign(s, e);
	free(parent);
	return rc;
}

void sim_first_wake(struct sim *s, uint32_t node, int64_t t_ps)
{
	struct sim_thread *th = s->thread[s->owner[node]];

	th->window = 0;
	th->start_ps = 0;
	sim_wake(th, node, t_ps);
}

/* The largest base round trip of the fabric, one full packet out and the propagation back,
 * times the rate of the fastest NIC: the "maxBdp" of the HPCC model. */
static int64_t bdp_bytes(const struct sim *s)
{
	const struct topo *t = s->topo;
	struct route_hop hop[32];
	int64_t rtt_ps = 0, rate_bps = 0;
	uint32_t step = t->n_hosts > 256 ? t->n_hosts / 256 : 1;

	for (uint32_t a = 0; a < t->n_hosts; a += step) {
		if (t->port[t->node[a].first_port].rate_bps > rate_bps)
			rate_bps = t->port[t->node[a].first_port].rate_bps;
		for (uint32_t b = 0; b < t->n_hosts; b += step) {
			uint32_t n = a == b ? 0 : routes_path(s->routes, t, a, b, 0, hop, 32);
			int64_t sum_ps = 0;

			for (uint32_t i = 0; i < n; i++) {
				const struct topo_port *p =
				        &t->port[t->node[hop[i].node].first_port + hop[i].port];

				sum_ps +=
				        2 * p->delay_ps +
				        tx_ps_floor(s->cfg->frame->path_mtu_bytes, p->rate_bps);
			}
			if (sum_ps > rtt_ps)
				rtt_ps = sum_ps;
		}
	}
	return (int64_t)((__int128)rtt_ps * rate_bps / 8 / PS_PER_S);
}

int64_t sim_window_bytes(const struct sim *s)
{
	if (s->cfg->nic->window_bytes == NIC_WINDOW_BDP)
		return bdp_bytes(s);
	return s->cfg->nic->window_bytes == NIC_WINDOW_OFF ? 0 : s->cfg->nic->window_bytes;
}
