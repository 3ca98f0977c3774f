/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/balance.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert((BALANCE_FLOWLETS & (BALANCE_FLOWLETS - 1)) == 0, "masked");

int balance_open(struct balance **out, const struct switch_cfg *cfg, uint32_t node,
        uint64_t seed, struct err *e)
{
	struct balance *b;

	*out = NULL;
	if (cfg->load_balancing == BALANCE_ECMP)
		return 0;
	b = calloc(1, sizeof(*b));
	if (!b)
		goto out_nomem;
	b->adaptive = cfg->load_balancing == BALANCE_ADAPTIVE;
	b->draw = rng_make(seed, node, RNG_BALANCE);
	b->flowlet_gap_ps = b->adaptive ? cfg->flowlet_gap_ps : 0;
	if (b->flowlet_gap_ps) {
		b->flowlet = malloc(BALANCE_FLOWLETS * sizeof(*b->flowlet));
		if (!b->flowlet)
			goto out_nomem;
		for (uint32_t i = 0; i < BALANCE_FLOWLETS; i++)
			b->flowlet[i] = (struct flowlet){.last_ps = TIME_NEVER};
	}
	*out = b;
	return 0;
out_nomem:
	balance_close(b);
	return err_set(e, -ENOMEM, "no memory for the flowlets of a switch");
}

void balance_close(struct balance *b)
{
	if (b)
		free(b->flowlet);
	free(b);
}

/* Of the ports with the least to wait for one by a draw. */
static uint16_t least_loaded(const struct fsw *sw, struct balance *b, const uint16_t *port,
        uint32_t n, const struct desc *d, int64_t now_ps)
{
	int64_t best = INT64_MAX;
	uint32_t equal = 0;
	uint16_t tie[TOPO_MAX_SWITCH_PORTS];

	for (uint32_t i = 0; i < n; i++) {
		const struct fsw_port *p = &sw->port[port[i]];
		int64_t load = p->cls[d->priority].q.bytes + (p->busy_until_ps > now_ps);

		if (p->blocked & (1u << d->priority))
			load += INT64_MAX / 2;
		if (load > best)
			continue;
		if (load < best)
			equal = 0;
		best = load;
		tie[equal++] = port[i];
	}
	return tie[equal == 1 ? 0 : rng_below(&b->draw, equal)];
}

static bool is_one_of(uint16_t want, const uint16_t *port, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (port[i] == want)
			return true;
	return false;
}

static uint16_t by_flowlet(const struct fsw *sw, struct balance *b, const uint16_t *port,
        uint32_t n, const struct desc *d, int64_t now_ps)
{
	uint32_t hash = route_mix((uint32_t)d->dst << 16 | d->entropy);
	struct flowlet *f = &b->flowlet[hash & (BALANCE_FLOWLETS - 1)];

	/* a flow that shares the entry may go elsewhere */
	if (f->last_ps == TIME_NEVER || now_ps - f->last_ps > b->flowlet_gap_ps ||
	        !is_one_of(f->port, port, n))
		f->port = least_loaded(sw, b, port, n, d, now_ps);
	f->last_ps = now_ps;
	return f->port;
}

uint16_t balance_port(
        const struct fsw *sw, const struct routes *r, const struct desc *d, int64_t now_ps)
{
	struct balance *b = sw->balance;
	const uint16_t *port = NULL;
	uint16_t one;
	uint32_t n;

	if (d->kind != DESC_DATA)
		return routes_port(r, sw->node, d->dst, d->entropy);
	n = routes_ports(r, sw->node, d->dst, &port, &one);
	ASSERT(n);
	if (n == 1)
		return port[0];
	if (!b->adaptive)
		return port[rng_below(&b->draw, n)];
	return b->flowlet ? by_flowlet(sw, b, port, n, d, now_ps)
	                  : least_loaded(sw, b, port, n, d, now_ps);
}
