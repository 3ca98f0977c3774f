/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/topo_ends.h"

#include <string.h>

static uint32_t find_part(const struct topo *t, const char *text, size_t len)
{
	char name[sizeof(t->node[0].name)];

	if (len == 0 || len >= sizeof(name))
		return UINT32_MAX;
	memcpy(name, text, len);
	name[len] = '\0';
	return topo_find(t, name);
}

static bool are_joined(const struct topo *t, uint32_t a, uint32_t b)
{
	const struct topo_node *n = &t->node[a];

	for (uint16_t i = 0; i < n->n_ports; i++)
		if (t->port[n->first_port + i].peer_node == b)
			return true;
	return false;
}

bool topo_ends_find(struct topo_ends *out, const struct topo *t, const char *text)
{
	bool found = false;

	*out = (struct topo_ends){.other_a = UINT32_MAX, .other_b = UINT32_MAX};
	for (const char *p = strchr(text, '-'); p; p = strchr(p + 1, '-')) {
		const bool one_way = p[1] == '>';
		const uint32_t a = find_part(t, text, (size_t)(p - text));
		const uint32_t b = topo_find(t, p + 1 + one_way);
		const bool joined = a != UINT32_MAX && b != UINT32_MAX && are_joined(t, a, b);

		if (a == UINT32_MAX || b == UINT32_MAX || (found && !joined))
			continue;
		if (out->joined) {
			out->other_a = a;
			out->other_b = b;
			return true;
		}
		out->a = a;
		out->b = b;
		out->one_way = one_way;
		out->joined = joined;
		found = true;
	}
	return found;
}
