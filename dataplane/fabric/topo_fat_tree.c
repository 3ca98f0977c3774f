/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three tiers (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008): within a pod every edge switch is
 * linked to every aggregation switch; the core switches fall into as many groups as a pod has
 * aggregation switches, and the n-th of every pod is linked to every core switch of group n.
 */
#include <errno.h>
#include <inttypes.h>

#include "dataplane/fabric/topo_plan.h"

struct shape {
	int64_t pods, hosts_per_pod, edges, aggregations; /* of a pod */
	int64_t cores;                                    /* of a group */
	int64_t up_links, core_links;                     /* between two switches */
};

/* k ports on every switch: k pods of k/2 + k/2 switches and k^2/4 hosts, k^2/4 cores. */
static int shape_of_k(struct shape *s, const struct topo_cfg *cfg, struct err *e)
{
	const int64_t k = cfg->k;

	if (cfg->pods != TOPO_AUTO || cfg->hosts_per_pod != TOPO_AUTO ||
	        cfg->edges_per_pod != TOPO_AUTO || cfg->aggregations_per_pod != TOPO_AUTO ||
	        cfg->cores != TOPO_AUTO)
		return err_set(e, -EINVAL,
		        "fabric.topology.k: gives every count by itself: leave out pods, "
		        "hosts_per_pod, edges_per_pod, aggregations_per_pod and cores, or k");
	if (k % 2)
		return err_set(e, -EINVAL,
		        "fabric.topology.k: %" PRId64
		        " is odd: half of the ports of a switch go up; the nearest are %" PRId64
		        " and %" PRId64,
		        k, k - 1, k + 1);
	*s = (struct shape){.pods = k,
	        .hosts_per_pod = k * k / 4,
	        .edges = k / 2,
	        .aggregations = k / 2,
	        .cores = k / 2,
	        .up_links = 1,
	        .core_links = 1};
	return 0;
}

static int need(const char *key, int64_t n, int64_t most, struct err *e)
{
	if (n == TOPO_AUTO)
		return err_set(e, -EINVAL,
		        "fabric.topology.%s: missing: a fat-tree needs k, or pods, "
		        "hosts_per_pod and edges_per_pod",
		        key);
	return topo_check_count(key, n, 1, most, e);
}

static int edge_step(struct shape *s, const struct topo_cfg *cfg, struct err *e)
{
	struct topo_step step = {.below = "an edge switch",
	        .above_key = "aggregations_per_pod",
	        .ratio_key = "oversubscription",
	        .n_down = s->hosts_per_pod / s->edges,
	        .down_bps = cfg->host_rate_bps,
	        .up_bps = cfg->fabric_rate_bps,
	        .n_up = cfg->aggregations_per_pod,
	        .ratio_q32 = cfg->oversubscription_q32};
	int rc = topo_step_solve(&step, e);

	s->aggregations = step.n_up;
	s->up_links = step.links;
	return rc;
}

static int core_step(struct shape *s, const struct topo_cfg *cfg, struct err *e)
{
	struct topo_step step = {.below = "an aggregation switch",
	        .above_key = "cores of its group",
	        .ratio_key = "core_oversubscription",
	        .n_down = s->edges * s->up_links,
	        .down_bps = cfg->fabric_rate_bps,
	        .up_bps = cfg->core_rate_bps,
	        .n_up = cfg->cores,
	        .ratio_q32 = cfg->core_oversubscription_q32};
	int rc = 0;

	if (cfg->cores != TOPO_AUTO) {
		rc = topo_check_divides(
		        "cores", cfg->cores, s->aggregations, "aggregations_per_pod", e);
		step.n_up = cfg->cores / s->aggregations;
	}
	if (!rc)
		rc = topo_step_solve(&step, e);
	s->cores = step.n_up;
	s->core_links = step.links;
	return rc;
}

static int shape_of_counts(struct shape *s, const struct topo_cfg *cfg, struct err *e)
{
	int rc = need("pods", cfg->pods, TOPO_MAX_PODS, e);

	if (!rc)
		rc = need("hosts_per_pod", cfg->hosts_per_pod, TOPO_MAX_HOSTS, e);
	if (!rc)
		rc = need("edges_per_pod", cfg->edges_per_pod, TOPO_MAX_SWITCH_PORTS, e);
	if (!rc && cfg->aggregations_per_pod != TOPO_AUTO)
		rc = topo_check_count("aggregations_per_pod", cfg->aggregations_per_pod, 1,
		        TOPO_MAX_SWITCH_PORTS, e);
	if (!rc && cfg->cores != TOPO_AUTO)
		rc = topo_check_count("cores", cfg->cores, 1, TOPO_MAX_SWITCHES, e);
	if (!rc)
		rc = topo_check_divides("hosts_per_pod", cfg->hosts_per_pod, cfg->edges_per_pod,
		        "edges_per_pod", e);
	if (rc)
		return rc;
	*s = (struct shape){.pods = cfg->pods,
	        .hosts_per_pod = cfg->hosts_per_pod,
	        .edges = cfg->edges_per_pod};
	rc = edge_step(s, cfg, e);
	return rc ? rc : core_step(s, cfg, e);
}

static int check_ports(const struct shape *s, struct err *e)
{
	int rc = topo_check_ports(s->hosts_per_pod / s->edges + s->aggregations * s->up_links,
	        "an edge switch", "use more edge switches (fabric.topology.edges_per_pod)", e);

	if (!rc)
		rc = topo_check_ports(s->edges * s->up_links + s->cores * s->core_links,
		        "an aggregation switch",
		        "use fewer edge switches (fabric.topology.edges_per_pod) or cores", e);
	if (!rc)
		rc = topo_check_ports(s->pods * s->core_links, "a core switch",
		        "use fewer pods (fabric.topology.pods)", e);
	return rc;
}

static void add_pod(struct topo_plan *p, const struct shape *s, int64_t pod)
{
	const uint32_t first = p->n_nodes;
	const uint32_t edges = (uint32_t)s->edges, hosts = (uint32_t)s->hosts_per_pod;

	for (int64_t i = 0; i < s->edges; i++)
		(void)topo_plan_switch(p, 1, "pod%d-edge%d", (int)pod, (int)i);
	for (int64_t i = 0; i < s->aggregations; i++)
		(void)topo_plan_switch(p, 2, "pod%d-agg%d", (int)pod, (int)i);
	for (uint32_t h = 0; h < hosts; h++)
		topo_plan_host_link(p, (uint32_t)pod * hosts + h, first + h / (hosts / edges));
	for (uint32_t i = 0; i < edges; i++)
		for (uint32_t a = 0; a < (uint32_t)s->aggregations; a++)
			topo_plan_fabric_link(p, first + i, first + edges + a, s->up_links);
}

/* Links to the core come last, so that a switch's lowest ports lead down. */
static void add_core(struct topo_plan *p, const struct shape *s)
{
	const uint32_t in_pod = (uint32_t)(s->edges + s->aggregations);
	const uint32_t first = p->n_hosts + (uint32_t)s->pods * in_pod;
	const uint32_t group = (uint32_t)s->cores;

	for (int64_t i = 0; i < s->aggregations * s->cores; i++)
		(void)topo_plan_switch(p, 3, "core%d", (int)i);
	for (uint32_t pod = 0; pod < (uint32_t)s->pods; pod++)
		for (uint32_t a = 0; a < (uint32_t)s->aggregations; a++)
			for (uint32_t c = 0; c < group; c++)
				topo_plan_core_link(p,
				        p->n_hosts + pod * in_pod + (uint32_t)s->edges + a,
				        first + a * group + c, s->core_links);
}

int topo_plan_fat_tree(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	struct shape s = {0};
	int rc = cfg->k != TOPO_AUTO ? shape_of_k(&s, cfg, e) : shape_of_counts(&s, cfg, e);

	if (!rc)
		rc = check_ports(&s, e);
	if (!rc)
		rc = topo_plan_open(p, cfg, s.pods * s.hosts_per_pod,
		        s.pods * (s.edges + s.aggregations) + s.aggregations * s.cores,
		        s.pods * (s.hosts_per_pod + s.edges * s.aggregations * s.up_links +
		                         s.aggregations * s.cores * s.core_links),
		        e);
	if (rc)
		return rc;
	topo_plan_hosts(p);
	for (int64_t pod = 0; pod < s.pods; pod++)
		add_pod(p, &s, pod);
	add_core(p, &s);
	return 0;
}
