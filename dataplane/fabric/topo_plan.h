/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside dataplane/fabric: a built-in topology as a list of nodes and links under construction.
 * The arrays are sized before anything is added; topo_plan_close frees them. One thread.
 */
#ifndef FABRIC_TOPO_PLAN_H
#define FABRIC_TOPO_PLAN_H

#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

struct topo_plan {
	const struct topo_cfg *cfg;
	struct topo_node *node;
	struct topo_link *link;
	uint32_t n_nodes, n_hosts, n_links;
};

/* Refuses more hosts or switches than there can be. */
NODISCARD int topo_plan_open(struct topo_plan *p, const struct topo_cfg *cfg, int64_t hosts,
        int64_t switches, int64_t links, struct err *e);
void topo_plan_close(struct topo_plan *p);

void topo_plan_hosts(struct topo_plan *p); /* as many as were announced */
/* Returns the node's index. */
uint32_t topo_plan_switch(struct topo_plan *p, uint8_t tier, const char *format, ...)
        PRINTF_LIKE(3, 4);
void topo_plan_host_link(struct topo_plan *p, uint32_t host, uint32_t sw);
void topo_plan_fabric_link(struct topo_plan *p, uint32_t a, uint32_t b, int64_t times);
void topo_plan_core_link(struct topo_plan *p, uint32_t a, uint32_t b, int64_t times);

/*
 * The step from one tier to the next. Each switch below has n_down links of down_bps and is
 * joined to each of n_up switches above by `links` links of up_bps. Of n_up and links what is
 * not given follows from the ratio: n_down down_bps = ratio n_up links up_bps.
 */
struct topo_step {
	const char *below, *above_key, *ratio_key; /* "a leaf", "spines", "oversubscription" */
	int64_t n_down, down_bps, up_bps;
	int64_t n_up;      /* or TOPO_AUTO */
	int64_t ratio_q32; /* or TOPO_RATIO_AUTO: whatever the counts make, else 1:1 */
	int64_t links;     /* result, 1 unless the ratio asks for more */
};
NODISCARD int topo_step_solve(struct topo_step *s, struct err *e);

/* "hosts_per_pod: 30 do not divide by 4 edges_per_pod; the nearest that do are 28 and 32" */
NODISCARD int topo_check_divides(
        const char *key, int64_t n, int64_t by, const char *by_what, struct err *e);
NODISCARD int topo_check_count(
        const char *key, int64_t n, int64_t least, int64_t most, struct err *e);
NODISCARD int topo_check_ports(
        int64_t ports, const char *what, const char *remedy, struct err *e);

/* Each checks its counts, opens and fills the plan. */
NODISCARD int topo_plan_fat_tree(
        struct topo_plan *p, const struct topo_cfg *cfg, struct err *e);
NODISCARD int topo_plan_rail(struct topo_plan *p, const struct topo_cfg *cfg, struct err *e);

#endif
