/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in kinds as lists of nodes and links: those of at most two tiers here. */
#include "dataplane/fabric/topo.h"

#include <errno.h>
#include <inttypes.h>

#include "dataplane/fabric/topo_file.h"
#include "dataplane/fabric/topo_plan.h"

static int plan_star(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	int rc = topo_check_ports(cfg->hosts, "the switch of a star",
	        "use fewer hosts (fabric.topology.hosts) or kind: leaf-spine", e);

	if (!rc)
		rc = topo_plan_open(p, cfg, cfg->hosts, 1, cfg->hosts, e);
	if (rc)
		return rc;
	topo_plan_hosts(p);
	(void)topo_plan_switch(p, 1, "sw0");
	for (uint32_t h = 0; h < p->n_hosts; h++)
		topo_plan_host_link(p, h, p->n_hosts);
	return 0;
}

static int plan_dumbbell(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	int rc = topo_check_ports(cfg->hosts - cfg->hosts / 2 + 1, "a switch of a dumbbell",
	        "use fewer hosts (fabric.topology.hosts) or kind: leaf-spine", e);

	if (!rc)
		rc = topo_plan_open(p, cfg, cfg->hosts, 2, cfg->hosts + 1, e);
	if (rc)
		return rc;
	topo_plan_hosts(p);
	(void)topo_plan_switch(p, 1, "sw0");
	(void)topo_plan_switch(p, 1, "sw1");
	for (uint32_t h = 0; h < p->n_hosts; h++)
		topo_plan_host_link(p, h, h < p->n_hosts / 2 ? p->n_hosts : p->n_hosts + 1);
	topo_plan_fabric_link(p, p->n_hosts, p->n_hosts + 1, 1);
	return 0;
}

static int check_leaf_spine(const struct topo_cfg *cfg, struct topo_step *up, struct err *e)
{
	int64_t below, above;
	int rc = topo_check_count("leaves", cfg->leaves, 1, TOPO_MAX_SWITCH_PORTS, e);

	if (!rc && cfg->spines != TOPO_AUTO)
		rc = topo_check_count("spines", cfg->spines, 1, TOPO_MAX_SWITCH_PORTS - 1, e);
	if (rc)
		return rc;
	below = cfg->hosts - cfg->hosts % cfg->leaves;
	above = below + cfg->leaves;
	if (below >= 2 && below != cfg->hosts && above <= TOPO_MAX_HOSTS)
		return err_set(e, -EINVAL,
		        "fabric.topology.hosts: %" PRId64 " hosts do not divide by %" PRId64
		        " leaves; the nearest that do are %" PRId64 " and %" PRId64,
		        cfg->hosts, cfg->leaves, below, above);
	if (below != cfg->hosts)
		return err_set(e, -EINVAL,
		        "fabric.topology.hosts: %" PRId64 " hosts do not divide by %" PRId64
		        " leaves; the nearest that do are %" PRId64,
		        cfg->hosts, cfg->leaves, below >= 2 ? below : above);
	*up = (struct topo_step){.below = "a leaf",
	        .above_key = "spines",
	        .ratio_key = "oversubscription",
	        .n_down = cfg->hosts / cfg->leaves,
	        .down_bps = cfg->host_rate_bps,
	        .up_bps = cfg->fabric_rate_bps,
	        .n_up = cfg->spines,
	        .ratio_q32 = cfg->oversubscription_q32};
	rc = topo_step_solve(up, e);
	if (!rc)
		rc = topo_check_ports(up->n_down + up->n_up * up->links, "a leaf",
		        "use more leaves (fabric.topology.leaves)", e);
	if (!rc)
		rc = topo_check_ports(cfg->leaves * up->links, "a spine",
		        "use fewer leaves (fabric.topology.leaves)", e);
	return rc;
}

static int plan_leaf_spine(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	struct topo_step up;
	uint32_t leaves = (uint32_t)cfg->leaves;
	int rc = check_leaf_spine(cfg, &up, e);

	if (!rc)
		rc = topo_plan_open(p, cfg, cfg->hosts, cfg->leaves + up.n_up,
		        cfg->hosts + cfg->leaves * up.n_up * up.links, e);
	if (rc)
		return rc;
	topo_plan_hosts(p);
	for (uint32_t l = 0; l < leaves; l++)
		(void)topo_plan_switch(p, 1, "leaf%u", l);
	for (uint32_t s = 0; s < (uint32_t)up.n_up; s++)
		(void)topo_plan_switch(p, 2, "spine%u", s);
	for (uint32_t h = 0; h < p->n_hosts; h++)
		topo_plan_host_link(p, h, p->n_hosts + h / (p->n_hosts / leaves));
	for (uint32_t l = 0; l < leaves; l++)
		for (uint32_t s = 0; s < (uint32_t)up.n_up; s++)
			topo_plan_fabric_link(
			        p, p->n_hosts + l, p->n_hosts + leaves + s, up.links);
	return 0;
}

static int check_link_keys(const char *key, int64_t rate_bps, int64_t delay_ps, struct err *e)
{
	if (rate_bps < TOPO_MIN_RATE_BPS || rate_bps > TOPO_MAX_RATE_BPS)
		return err_set(e, -EINVAL,
		        "fabric.%s.rate: %" PRId64
		        "bps is out of range, expected 1Mbps to 10Tbps, such as 100Gbps",
		        key, rate_bps);
	if (delay_ps < 0 || delay_ps > TOPO_MAX_DELAY_PS)
		return err_set(e, -EINVAL,
		        "fabric.%s.delay: %" PRId64
		        "ps is out of range, expected 0s to 1s, such as 1us",
		        key, delay_ps);
	return 0;
}

/* Rates come first: an oversubscription is worked out from them. */
static int check_links(const struct topo_cfg *cfg, struct err *e)
{
	int rc = check_link_keys("host_link", cfg->host_rate_bps, cfg->host_delay_ps, e);

	if (!rc && cfg->kind != TOPO_STAR)
		rc = check_link_keys(
		        "fabric_link", cfg->fabric_rate_bps, cfg->fabric_delay_ps, e);
	if (!rc && cfg->kind == TOPO_FAT_TREE)
		rc = check_link_keys("core_link", cfg->core_rate_bps, cfg->core_delay_ps, e);
	return rc;
}

static int plan(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e)
{
	switch ((enum topo_kind)cfg->kind) {
	case TOPO_STAR:
		return plan_star(p, cfg, e);
	case TOPO_DUMBBELL:
		return plan_dumbbell(p, cfg, e);
	case TOPO_LEAF_SPINE:
		return plan_leaf_spine(p, cfg, e);
	case TOPO_FAT_TREE:
		return topo_plan_fat_tree(p, cfg, e);
	case TOPO_RAIL:
		return topo_plan_rail(p, cfg, e);
	case TOPO_FILE:
		break;
	}
	return err_set(e, -EINVAL,
	        "fabric.topology.kind: %" PRId64
	        " is not one of star, dumbbell, leaf-spine, fat-tree, rail, file",
	        cfg->kind);
}

static bool has_hosts_key(const struct topo_cfg *cfg)
{
	return cfg->kind == TOPO_STAR || cfg->kind == TOPO_DUMBBELL ||
	       cfg->kind == TOPO_LEAF_SPINE;
}

int topo_build(struct topo **out, const struct topo_cfg *cfg, const struct switch_cfg *base,
        struct err *e)
{
	struct topo_cfg c = *cfg;
	struct topo_plan p = {0};
	int rc = 0;

	if (cfg->kind == TOPO_FILE)
		return topo_from_file(out, cfg->file, base, e);
	if (c.core_rate_bps == TOPO_AS_FABRIC)
		c.core_rate_bps = c.fabric_rate_bps;
	if (c.core_delay_ps == TOPO_AS_FABRIC)
		c.core_delay_ps = c.fabric_delay_ps;
	if (has_hosts_key(cfg))
		rc = topo_check_count("hosts", cfg->hosts, 2, TOPO_MAX_HOSTS, e);
	if (!rc)
		rc = check_links(&c, e);
	if (!rc)
		rc = plan(&p, &c, e);
	if (!rc)
		rc = topo_from_links(
		        out, p.node, p.n_nodes, p.n_hosts, p.link, p.n_links, base, e);
	topo_plan_close(&p);
	return rc;
}
