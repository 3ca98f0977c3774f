/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/tap_ports.h"

#include <string.h>

#include "gen/host/host.h"

#define FIRST_PORT 0xc000 /* RoCEv2 source ports: 49152 to 65535 */
#define PORT_MASK  0x3fff
#define MAX_HOPS   32

struct way {
	struct route_hop hop[MAX_HOPS];
	uint32_t n;
};

int tap_ports_init(struct tap_ports *p, const struct topo *t, uint64_t seed, struct err *e)
{
	*p = (struct tap_ports){.topo = t, .seed = seed};
	return routes_build(&p->routes, t, seed, e);
}

void tap_ports_fini(struct tap_ports *p)
{
	routes_free(p->routes);
	p->routes = NULL;
}

static void find_way(
        struct way *w, const struct tap_ports *p, uint32_t src, uint32_t dst, uint16_t entropy)
{
	w->n = routes_path(p->routes, p->topo, src, dst, entropy, w->hop, MAX_HOPS);
}

static bool same(const struct way *a, const struct way *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->hop[i].node != b->hop[i].node || a->hop[i].port != b->hop[i].port)
			return false;
	return true;
}

/* The way back carries acknowledgements alone, so it gives way where both cannot be met. */
uint16_t tap_ports_find(const struct tap_ports *p, uint32_t src, uint32_t dst, uint16_t entropy)
{
	struct way there, back, other;
	uint16_t second = 0;

	find_way(&there, p, src, dst, entropy);
	find_way(&back, p, dst, src, entropy);
	for (uint32_t i = 0; i <= PORT_MASK; i++) {
		const uint16_t port = (uint16_t)(FIRST_PORT | ((entropy + i) & PORT_MASK));
		const uint16_t as = host_port_entropy(p->seed, src, dst, port);

		find_way(&other, p, src, dst, as);
		if (!same(&other, &there))
			continue;
		find_way(&other, p, dst, src, as);
		if (same(&other, &back))
			return port;
		if (!second)
			second = port;
	}
	return second ? second : (uint16_t)(FIRST_PORT | (entropy & PORT_MASK));
}
