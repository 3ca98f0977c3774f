/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in kinds as lists of nodes and links. */
#include "dataplane/fabric/topo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/fabric/topo_file.h"

/* A list under construction; arrays are sized before anything is added. */
struct plan {
	struct topo_node *node;
	struct topo_link *link;
	uint32_t n_nodes, n_hosts, n_links;
};

static void add_node(struct plan *p, const char *prefix, uint32_t number, uint8_t tier)
{
	struct topo_node *n = &p->node[p->n_nodes];

	*n = (struct topo_node){.tier = tier, .outside_id = p->n_nodes};
	(void)snprintf(n->name, sizeof(n->name), "%s%u", prefix, number);
	p->n_nodes++;
}

static void add_hosts(struct plan *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		add_node(p, "host", i, 0);
	p->n_hosts = n;
}

static void add_host_link(
        struct plan *p, const struct topo_cfg *cfg, uint32_t host, uint32_t sw)
{
	p->link[p->n_links++] = (struct topo_link){.a = host,
	        .b = sw,
	        .rate_bps = cfg->host_rate_bps,
	        .delay_ps = cfg->host_delay_ps};
}

static void add_fabric_link(struct plan *p, const struct topo_cfg *cfg, uint32_t a, uint32_t b)
{
	p->link[p->n_links++] = (struct topo_link){.a = a,
	        .b = b,
	        .rate_bps = cfg->fabric_rate_bps,
	        .delay_ps = cfg->fabric_delay_ps};
}

static void plan_star(struct plan *p, const struct topo_cfg *cfg)
{
	uint32_t hosts = (uint32_t)cfg->hosts;

	add_hosts(p, hosts);
	add_node(p, "sw", 0, 1);
	for (uint32_t h = 0; h < hosts; h++)
		add_host_link(p, cfg, h, hosts);
}

static void plan_dumbbell(struct plan *p, const struct topo_cfg *cfg)
{
	uint32_t hosts = (uint32_t)cfg->hosts;

	add_hosts(p, hosts);
	add_node(p, "sw", 0, 1);
	add_node(p, "sw", 1, 1);
	for (uint32_t h = 0; h < hosts; h++)
		add_host_link(p, cfg, h, h < hosts / 2 ? hosts : hosts + 1);
	add_fabric_link(p, cfg, hosts, hosts + 1);
}

static void plan_leaf_spine(struct plan *p, const struct topo_cfg *cfg)
{
	uint32_t hosts = (uint32_t)cfg->hosts, leaves = (uint32_t)cfg->leaves;
	uint32_t spines = (uint32_t)cfg->spines;

	add_hosts(p, hosts);
	for (uint32_t l = 0; l < leaves; l++)
		add_node(p, "leaf", l, 1);
	for (uint32_t s = 0; s < spines; s++)
		add_node(p, "spine", s, 2);
	for (uint32_t h = 0; h < hosts; h++)
		add_host_link(p, cfg, h, hosts + h / (hosts / leaves));
	for (uint32_t l = 0; l < leaves; l++)
		for (uint32_t s = 0; s < spines; s++)
			add_fabric_link(p, cfg, hosts + l, hosts + leaves + s);
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

static int check_ports(int64_t ports, const char *what, const char *remedy, struct err *e)
{
	if (ports <= TOPO_MAX_SWITCH_PORTS)
		return 0;
	return err_set(e, -EINVAL,
	        "fabric.topology: %s would have %" PRId64 " ports, at most %d are possible: %s",
	        what, ports, TOPO_MAX_SWITCH_PORTS, remedy);
}

static int check_leaf_spine(const struct topo_cfg *cfg, struct err *e)
{
	int64_t below, above;
	int rc;

	if (cfg->leaves < 1 || cfg->leaves > TOPO_MAX_SWITCH_PORTS)
		return err_set(e, -EINVAL,
		        "fabric.topology.leaves: %" PRId64 " is out of range, expected 1 to %d",
		        cfg->leaves, TOPO_MAX_SWITCH_PORTS);
	if (cfg->spines < 1 || cfg->spines >= TOPO_MAX_SWITCH_PORTS)
		return err_set(e, -EINVAL,
		        "fabric.topology.spines: %" PRId64 " is out of range, expected 1 to %d",
		        cfg->spines, TOPO_MAX_SWITCH_PORTS - 1);
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
	rc = check_ports(cfg->hosts / cfg->leaves + cfg->spines, "a leaf",
	        "use more leaves (fabric.topology.leaves)", e);
	return rc;
}

static int check_counts(const struct topo_cfg *cfg, struct err *e)
{
	if (cfg->hosts < 2 || cfg->hosts > TOPO_MAX_HOSTS)
		return err_set(e, -EINVAL,
		        "fabric.topology.hosts: %" PRId64 " is out of range, expected 2 to %d",
		        cfg->hosts, TOPO_MAX_HOSTS);
	switch ((enum topo_kind)cfg->kind) {
	case TOPO_STAR:
		return check_ports(cfg->hosts, "the switch of a star",
		        "use fewer hosts (fabric.topology.hosts) or kind: leaf-spine", e);
	case TOPO_DUMBBELL:
		return check_ports(cfg->hosts - cfg->hosts / 2 + 1, "a switch of a dumbbell",
		        "use fewer hosts (fabric.topology.hosts) or kind: leaf-spine", e);
	case TOPO_LEAF_SPINE:
		return check_leaf_spine(cfg, e);
	case TOPO_FILE:
		break;
	}
	return err_set(e, -EINVAL,
	        "fabric.topology.kind: %" PRId64
	        " is not one of star, dumbbell, leaf-spine, file",
	        cfg->kind);
}

static int plan_alloc(struct plan *p, const struct topo_cfg *cfg, struct err *e)
{
	size_t switches = 2, links = (size_t)cfg->hosts + 1;

	if (cfg->kind == TOPO_LEAF_SPINE) {
		switches = (size_t)(cfg->leaves + cfg->spines);
		links = (size_t)(cfg->hosts + cfg->leaves * cfg->spines);
	}
	p->node = calloc((size_t)cfg->hosts + switches, sizeof(*p->node));
	p->link = calloc(links, sizeof(*p->link));
	if (p->node && p->link)
		return 0;
	return err_set(e, -ENOMEM, "no memory for a topology of %zu links", links);
}

int topo_build(struct topo **out, const struct topo_cfg *cfg, const struct switch_cfg *base,
        struct err *e)
{
	struct plan p = {0};
	int rc;

	if (cfg->kind == TOPO_FILE)
		return topo_from_file(out, cfg->file, base, e);
	rc = check_counts(cfg, e);
	if (!rc)
		rc = check_link_keys("host_link", cfg->host_rate_bps, cfg->host_delay_ps, e);
	if (!rc && cfg->kind != TOPO_STAR)
		rc = check_link_keys(
		        "fabric_link", cfg->fabric_rate_bps, cfg->fabric_delay_ps, e);
	if (!rc)
		rc = plan_alloc(&p, cfg, e);
	if (rc)
		goto out_free;
	if (cfg->kind == TOPO_STAR)
		plan_star(&p, cfg);
	else if (cfg->kind == TOPO_DUMBBELL)
		plan_dumbbell(&p, cfg);
	else
		plan_leaf_spine(&p, cfg);
	rc = topo_from_links(out, p.node, p.n_nodes, p.n_hosts, p.link, p.n_links, base, e);
out_free:
	free(p.node);
	free(p.link);
	return rc;
}
