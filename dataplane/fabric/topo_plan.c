/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/topo_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dataplane/base/units.h"

/* A ratio such as 4/3 is a rounded fraction: uplinks this near to a whole number are whole. */
#define WHOLE_WITHIN 1000000

int topo_check_count(const char *key, int64_t n, int64_t least, int64_t most, struct err *e)
{
	if (n >= least && n <= most)
		return 0;
	return err_set(e, -EINVAL,
	        "fabric.topology.%s: %" PRId64 " is out of range, expected %" PRId64
	        " to %" PRId64,
	        key, n, least, most);
}

int topo_check_ports(int64_t ports, const char *what, const char *remedy, struct err *e)
{
	if (ports <= TOPO_MAX_SWITCH_PORTS)
		return 0;
	return err_set(e, -EINVAL,
	        "fabric.topology: %s would have %" PRId64 " ports, at most %d are possible: %s",
	        what, ports, TOPO_MAX_SWITCH_PORTS, remedy);
}

int topo_check_divides(
        const char *key, int64_t n, int64_t by, const char *by_what, struct err *e)
{
	int64_t below = n - n % by;

	if (below == n)
		return 0;
	if (below)
		return err_set(e, -EINVAL,
		        "fabric.topology.%s: %" PRId64 " do not divide by %" PRId64
		        " %s; the nearest that do are %" PRId64 " and %" PRId64,
		        key, n, by, by_what, below, below + by);
	return err_set(e, -EINVAL,
	        "fabric.topology.%s: %" PRId64 " do not divide by %" PRId64
	        " %s; the nearest that do are %" PRId64,
	        key, n, by, by_what, by);
}

/* The uplinks of a switch by its ratio. */
static int uplinks_of_ratio(int64_t *out, const struct topo_step *s, struct err *e)
{
	__int128 down = (__int128)s->n_down * s->down_bps * Q32_ONE;
	__int128 up = (__int128)s->up_bps * s->ratio_q32;
	__int128 n = (down + up / 2) / up;
	__int128 off = down - n * up;
	char down_text[48], up_text[48], ratio[48];

	if (n >= 1 && n <= TOPO_MAX_SWITCH_PORTS &&
	        (off < 0 ? -off : off) < down / WHOLE_WITHIN) {
		*out = (int64_t)n;
		return 0;
	}
	return err_set(e, -EINVAL,
	        "fabric.topology.%s: %s:1 cannot be had: %s has %" PRId64
	        " links of %s below, and its uplinks have %s each: change the ratio, the "
	        "counts or the rates so that a whole number of uplinks, 1 to %d, makes it",
	        s->ratio_key, unit_format(ratio, sizeof(ratio), UNIT_FRACTION, s->ratio_q32),
	        s->below, s->n_down,
	        unit_format(down_text, sizeof(down_text), UNIT_RATE, s->down_bps),
	        unit_format(up_text, sizeof(up_text), UNIT_RATE, s->up_bps),
	        TOPO_MAX_SWITCH_PORTS);
}

int topo_step_solve(struct topo_step *s, struct err *e)
{
	bool has_ratio = s->ratio_q32 != TOPO_RATIO_AUTO;
	int64_t uplinks = 0;
	int rc;

	s->links = 1;
	if (!has_ratio && s->n_up != TOPO_AUTO)
		return 0;
	if (!has_ratio)
		s->ratio_q32 = Q32_ONE;
	rc = uplinks_of_ratio(&uplinks, s, e);
	if (rc)
		return rc;
	if (s->n_up == TOPO_AUTO) {
		s->n_up = uplinks;
		return 0;
	}
	if (uplinks % s->n_up)
		return err_set(e, -EINVAL,
		        "fabric.topology.%s: %s needs %" PRId64
		        " uplinks for it, which do not divide by %" PRId64
		        " %s: change either, or leave %s out",
		        s->ratio_key, s->below, uplinks, s->n_up, s->above_key, s->above_key);
	s->links = uplinks / s->n_up;
	return 0;
}

int topo_plan_open(struct topo_plan *p, const struct topo_cfg *cfg, int64_t hosts,
        int64_t switches, int64_t links, struct err *e)
{
	*p = (struct topo_plan){.cfg = cfg};
	if (hosts < 2 || hosts > TOPO_MAX_HOSTS)
		return err_set(e, -EINVAL,
		        "fabric.topology: %" PRId64 " hosts in all, expected 2 to %d", hosts,
		        TOPO_MAX_HOSTS);
	if (switches > TOPO_MAX_SWITCHES)
		return err_set(e, -EINVAL,
		        "fabric.topology: %" PRId64 " switches in all, at most %d are possible",
		        switches, TOPO_MAX_SWITCHES);
	if (links > UINT32_MAX / 2)
		return err_set(e, -EINVAL,
		        "fabric.topology: %" PRId64 " links in all, too many", links);
	p->n_hosts = (uint32_t)hosts;
	p->node = calloc((size_t)(hosts + switches), sizeof(*p->node));
	p->link = calloc((size_t)links, sizeof(*p->link));
	if (p->node && p->link)
		return 0;
	return err_set(e, -ENOMEM, "no memory for a topology of %" PRId64 " links", links);
}

void topo_plan_close(struct topo_plan *p)
{
	free(p->node);
	free(p->link);
}

static uint32_t add_node(struct topo_plan *p, uint8_t tier)
{
	p->node[p->n_nodes] = (struct topo_node){.tier = tier, .outside_id = p->n_nodes};
	return p->n_nodes++;
}

void topo_plan_hosts(struct topo_plan *p)
{
	while (p->n_nodes < p->n_hosts) {
		struct topo_node *n = &p->node[add_node(p, 0)];

		(void)snprintf(n->name, sizeof(n->name), "host%u", n->outside_id);
	}
}

uint32_t topo_plan_switch(struct topo_plan *p, uint8_t tier, const char *format, ...)
{
	uint32_t at = add_node(p, tier);
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(p->node[at].name, sizeof(p->node[at].name), format, ap);
	va_end(ap);
	return at;
}

static void add_link(struct topo_plan *p, uint32_t a, uint32_t b, int64_t rate_bps,
        int64_t delay_ps, int64_t times)
{
	for (int64_t i = 0; i < times; i++)
		p->link[p->n_links++] = (struct topo_link){
		        .a = a, .b = b, .rate_bps = rate_bps, .delay_ps = delay_ps};
}

void topo_plan_host_link(struct topo_plan *p, uint32_t host, uint32_t sw)
{
	add_link(p, host, sw, p->cfg->host_rate_bps, p->cfg->host_delay_ps, 1);
}

void topo_plan_fabric_link(struct topo_plan *p, uint32_t a, uint32_t b, int64_t times)
{
	add_link(p, a, b, p->cfg->fabric_rate_bps, p->cfg->fabric_delay_ps, times);
}

void topo_plan_core_link(struct topo_plan *p, uint32_t a, uint32_t b, int64_t times)
{
	add_link(p, a, b, p->cfg->core_rate_bps, p->cfg->core_delay_ps, times);
}
