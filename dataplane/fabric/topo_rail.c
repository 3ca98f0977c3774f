/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rail-optimised (NVIDIA DGX SuperPOD reference architecture): a node has one NIC per GPU, and
 * NIC r of every node of a scalable unit hangs on leaf r of that unit, so that GPUs of equal
 * number are one switch apart. Spines join all leaves. Host node * rails + r is NIC r of a
 * node.
 */
#include <errno.h>
#include <inttypes.h>

#include "dataplane/fabric/topo_plan.h"

static int check_counts(const struct topo_cfg *cfg, int64_t *per_unit, struct err *e)
{
	int rc = topo_check_count("nodes", cfg->nodes, 1, TOPO_MAX_HOSTS, e);

	if (!rc)
		rc = topo_check_count("rails", cfg->rails, 1, TOPO_MAX_RAILS, e);
	*per_unit = cfg->nodes_per_unit == TOPO_AUTO ? cfg->nodes : cfg->nodes_per_unit;
	if (!rc)
		rc = topo_check_count("nodes_per_unit", *per_unit, 1, cfg->nodes, e);
	if (!rc)
		rc = topo_check_divides("nodes", cfg->nodes, *per_unit, "nodes_per_unit", e);
	if (!rc && cfg->spines != TOPO_AUTO)
		rc = topo_check_count("spines", cfg->spines, 1, TOPO_MAX_SWITCH_PORTS - 1, e);
	return rc;
}

int topo_plan_rail(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	struct topo_step step = {.below = "a leaf",
	        .above_key = "spines",
	        .ratio_key = "oversubscription",
	        .down_bps = cfg->host_rate_bps,
	        .up_bps = cfg->fabric_rate_bps,
	        .n_up = cfg->spines,
	        .ratio_q32 = cfg->oversubscription_q32};
	int64_t units, leaves;
	uint32_t rails;
	int rc = check_counts(cfg, &step.n_down, e);

	if (!rc)
		rc = topo_step_solve(&step, e);
	if (rc)
		return rc;
	units = cfg->nodes / step.n_down;
	leaves = units * cfg->rails;
	rc = topo_check_ports(step.n_down + step.n_up * step.links, "a leaf",
	        "use smaller units (fabric.topology.nodes_per_unit)", e);
	if (!rc)
		rc = topo_check_ports(leaves * step.links, "a spine",
		        "use larger units (fabric.topology.nodes_per_unit)", e);
	if (!rc)
		rc = topo_plan_open(p, cfg, cfg->nodes * cfg->rails, leaves + step.n_up,
		        cfg->nodes * cfg->rails + leaves * step.n_up * step.links, e);
	if (rc)
		return rc;
	rails = (uint32_t)cfg->rails;
	topo_plan_hosts(p);
	for (uint32_t i = 0; i < (uint32_t)leaves; i++)
		(void)topo_plan_switch(
		        p, 1, "rail%d-leaf%d", (int)(i % rails), (int)(i / rails));
	for (int64_t i = 0; i < step.n_up; i++)
		(void)topo_plan_switch(p, 2, "spine%d", (int)i);
	for (uint32_t h = 0; h < p->n_hosts; h++)
		topo_plan_host_link(p, h,
		        p->n_hosts + h / rails / (uint32_t)step.n_down * rails + h % rails);
	for (uint32_t l = 0; l < (uint32_t)leaves; l++)
		for (uint32_t s = 0; s < (uint32_t)step.n_up; s++)
			topo_plan_fabric_link(p, p->n_hosts + l,
			        p->n_hosts + (uint32_t)leaves + s, step.links);
	return 0;
}
