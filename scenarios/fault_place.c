/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fault_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "dataplane/fabric/topo.h"

struct search {
	const struct topo *t;
	struct fault_places *out;
	struct arena *arena;
	uint32_t room;
};

static bool room_for(struct search *s, uint32_t n)
{
	s->out->at = arena_take(s->arena, n * sizeof(*s->out->at));
	s->room = n;
	return s->out->at != NULL;
}

static void add(struct search *s, uint32_t node, uint16_t port)
{
	s->out->at[s->out->n++] = (struct fault_place){node, port};
}

/* The ports of a that lead to b: there may be several cables. */
static void add_direction(struct search *s, uint32_t a, uint32_t b)
{
	const struct topo_node *n = &s->t->node[a];

	for (uint16_t i = 0; i < n->n_ports; i++)
		if (s->t->port[n->first_port + i].peer_node == b)
			add(s, a, i);
}

static uint32_t find_part(const struct topo *t, const char *text, size_t len)
{
	char name[sizeof(t->node[0].name)];

	if (len == 0 || len >= sizeof(name))
		return UINT32_MAX;
	memcpy(name, text, len);
	name[len] = '\0';
	return topo_find(t, name);
}

/* Splits "leaf0-host3" or "leaf0->host3"; names may hold a '-' themselves, so every place is
 * tried. */
static bool split_link(
        const struct topo *t, const char *text, uint32_t *a, uint32_t *b, bool *one_way)
{
	for (const char *p = strchr(text, '-'); p; p = strchr(p + 1, '-')) {
		*one_way = p[1] == '>';
		*a = find_part(t, text, (size_t)(p - text));
		*b = topo_find(t, p + 1 + *one_way);
		if (*a != UINT32_MAX && *b != UINT32_MAX)
			return true;
	}
	return false;
}

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "faults: not enough memory");
}

static int find_all(struct search *s, unsigned targets, struct err *e)
{
	const struct topo *t = s->t;

	if (!room_for(s, t->n_ports))
		return no_memory(e);
	for (uint32_t n = 0; n < t->n_nodes; n++) {
		bool host = n < t->n_hosts;

		if (targets & FAULT_TARGET_LINK)
			for (uint16_t i = 0; i < t->node[n].n_ports; i++)
				add(s, n, i);
		else if (targets & (host ? FAULT_TARGET_HOST : FAULT_TARGET_SWITCH))
			add(s, n, 0);
	}
	return 0;
}

static const char *words_of(unsigned targets)
{
	if (targets & FAULT_TARGET_LINK)
		return "a link such as leaf0-spine1 (both directions) or leaf0->spine1";
	if (targets & FAULT_TARGET_SWITCH)
		return "a switch";
	return targets & FAULT_TARGET_DIRECTION
	               ? "a host, or one direction of a link such as leaf0->leaf1"
	               : "a host";
}

static int unknown(const struct topo *t, const char *text, unsigned targets,
        const struct yaml_node *at, const char *key, struct err *e)
{
	const bool is_link = targets & FAULT_TARGET_LINK;
	char shown[YAML_SHOWN_BYTES];
	struct nearest n;

	nearest_init(&n, text);
	for (uint32_t i = 0; i < t->n_nodes && !strchr(text, '-'); i++)
		if (targets & (i < t->n_hosts ? FAULT_TARGET_HOST : FAULT_TARGET_SWITCH))
			nearest_offer(&n, t->node[i].name);
	if (nearest_get(&n))
		return yaml_err(e, &at->at, "%s: \"%s\": no such node; did you mean %s?", key,
		        yaml_shown(shown, text), nearest_get(&n));
	return yaml_err(e, &at->at,
	        "%s: \"%s\": expected %s%s; the fabric has %s to %s and %s to %s", key,
	        yaml_shown(shown, text), words_of(targets), is_link ? ", or all" : "",
	        t->node[0].name, t->node[t->n_hosts - 1].name, t->node[t->n_hosts].name,
	        t->node[t->n_nodes - 1].name);
}

static int find_link(struct search *s, const char *text, uint32_t a, uint32_t b, bool one_way,
        const struct yaml_node *at, const char *key, struct err *e)
{
	char shown[YAML_SHOWN_BYTES];

	if (!room_for(s, (uint32_t)s->t->node[a].n_ports + s->t->node[b].n_ports))
		return no_memory(e);
	add_direction(s, a, b);
	if (!one_way)
		add_direction(s, b, a);
	if (!s->out->n)
		return yaml_err(e, &at->at, "%s: \"%s\": no link joins these two nodes", key,
		        yaml_shown(shown, text));
	return 0;
}

int fault_places_find(struct fault_places *out, const struct topo *t, const char *text,
        unsigned targets, const struct yaml_node *n, const char *key, struct arena *arena,
        struct err *e)
{
	struct search s = {.t = t, .out = out, .arena = arena};
	uint32_t a = topo_find(t, text), b;
	bool one_way;

	*out = (struct fault_places){0};
	if (!strcmp(text, "all") && a == UINT32_MAX)
		return find_all(&s, targets, e);
	if (a != UINT32_MAX &&
	        (targets & (a < t->n_hosts ? FAULT_TARGET_HOST : FAULT_TARGET_SWITCH))) {
		if (!room_for(&s, 1))
			return no_memory(e);
		add(&s, a, 0);
		return 0;
	}
	if ((targets & (FAULT_TARGET_LINK | FAULT_TARGET_DIRECTION)) &&
	        split_link(t, text, &a, &b, &one_way) &&
	        (one_way || (targets & FAULT_TARGET_LINK)))
		return find_link(&s, text, a, b, one_way, n, key, e);
	return unknown(t, text, targets, n, key, e);
}
