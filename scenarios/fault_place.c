/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fault_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "dataplane/fabric/topo.h"
#include "dataplane/fabric/topo_ends.h"

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

static int find_link(struct search *s, const char *text, const struct topo_ends *l,
        const struct yaml_node *at, const char *key, struct err *e)
{
	const struct topo_node *node = s->t->node;
	char shown[YAML_SHOWN_BYTES];

	if (!l->joined)
		return yaml_err(e, &at->at, "%s: \"%s\": no link joins these two nodes", key,
		        yaml_shown(shown, text));
	if (l->other_a != UINT32_MAX)
		return yaml_err(e, &at->at,
		        "%s: \"%s\": %s to %s or %s to %s? write an entry for each direction, "
		        "such as %s->%s",
		        key, yaml_shown(shown, text), node[l->a].name, node[l->b].name,
		        node[l->other_a].name, node[l->other_b].name, node[l->a].name,
		        node[l->b].name);
	if (!room_for(s, (uint32_t)node[l->a].n_ports + node[l->b].n_ports))
		return no_memory(e);
	add_direction(s, l->a, l->b);
	if (!l->one_way)
		add_direction(s, l->b, l->a);
	return 0;
}

int fault_places_find(struct fault_places *out, const struct topo *t, const char *text,
        unsigned targets, const struct yaml_node *n, const char *key, struct arena *arena,
        struct err *e)
{
	struct search s = {.t = t, .out = out, .arena = arena};
	uint32_t a = topo_find(t, text);
	struct topo_ends l;

	*out = (struct fault_places){0};
	if (!strcmp(text, "all"))
		return find_all(&s, targets, e);
	if (a != UINT32_MAX &&
	        (targets & (a < t->n_hosts ? FAULT_TARGET_HOST : FAULT_TARGET_SWITCH))) {
		if (!room_for(&s, 1))
			return no_memory(e);
		add(&s, a, 0);
		return 0;
	}
	if ((targets & (FAULT_TARGET_LINK | FAULT_TARGET_DIRECTION)) &&
	        topo_ends_find(&l, t, text) && (l.one_way || (targets & FAULT_TARGET_LINK)))
		return find_link(&s, text, &l, n, key, e);
	return unknown(t, text, targets, n, key, e);
}
