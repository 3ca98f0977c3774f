/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/override_conflict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_LINK_KEYS 4

/* A key of the base that --set decided. */
static const struct yaml_node *set_by_hand(const struct scenario *s, const char *path)
{
	const struct yaml_node *n = yaml_find(s->doc->yaml.root, path);

	return n && n->rank == YAML_SET ? n : NULL;
}

static const struct knob *override_row(const char *key)
{
	const struct knob *row = override_knobs.rows;

	while (strcmp(row->key, key))
		row++;
	return row;
}

static int add(struct override_conflicts *cs, const struct override_conflict *c,
        const struct scenario *s, struct err *e)
{
	size_t bytes = s->topo->n_ports * sizeof(*c->last);
	uint16_t *last = malloc(bytes);

	if (!last)
		return err_set(e, -ENOMEM, "%s: not enough memory for the overrides", s->path);
	memset(last, 0xff, bytes);
	cs->c[cs->n] = *c;
	cs->c[cs->n++].last = last;
	return 0;
}

int override_conflicts_init(
        struct override_conflicts *cs, const struct scenario *s, struct err *e)
{
	static const char *const link_key[N_LINK_KEYS][2] = {
	        {"fabric.host_link.rate", "link.rate"},
	        {"fabric.host_link.delay", "link.delay"},
	        {"fabric.fabric_link.rate", "link.rate"},
	        {"fabric.fabric_link.delay", "link.delay"},
	};
	int rc = 0;

	cs->c = calloc(switch_knobs.n_rows + N_LINK_KEYS, sizeof(*cs->c));
	if (!cs->c)
		return err_set(e, -ENOMEM, "%s: not enough memory for the overrides", s->path);
	for (size_t i = 0; i < switch_knobs.n_rows && !rc; i++) {
		struct override_conflict c = {.row = &switch_knobs.rows[i]};
		char path[KNOB_PATH_BYTES];

		if (knob_join(path, switch_knobs.path, c.row->key))
			c.base = set_by_hand(s, path);
		if (c.base)
			rc = add(cs, &c, s, e);
	}
	for (size_t i = 0; i < N_LINK_KEYS && !rc; i++) {
		struct override_conflict c = {.base = set_by_hand(s, link_key[i][0]),
		        .row = override_row(link_key[i][1]),
		        .is_link = true,
		        .of_hosts = i < 2};

		if (c.base)
			rc = add(cs, &c, s, e);
	}
	return rc;
}

static bool decides(const struct override_conflict *c, const struct override *o)
{
	const int64_t *v =
	        (const int64_t *)(const void *)((const char *)&o->cfg + c->row->offset);

	return c->is_link ? *v >= 0 : o->is_set[c->row - switch_knobs.rows];
}

static bool is_host_link(const struct topo *t, uint32_t node, const struct topo_port *p)
{
	return node < t->n_hosts || p->peer_node < t->n_hosts;
}

static void note_port(struct override_conflict *c, const struct topo *t, uint32_t node,
        uint32_t port, uint16_t i)
{
	const struct topo_port *p = &t->port[port];

	if (!c->is_link) {
		if (node >= t->n_hosts)
			c->last[port] = i;
		return;
	}
	if (is_host_link(t, node, p) != c->of_hosts)
		return;
	c->last[port] = i;
	c->last[t->node[p->peer_node].first_port + p->peer_port] = i;
}

void override_conflicts_note(struct override_conflicts *cs, const struct topo *t,
        const struct override *o, uint32_t i, const bool *matched)
{
	for (uint32_t k = 0; k < cs->n; k++) {
		if (!decides(&cs->c[k], &o[i]))
			continue;
		for (uint32_t node = 0; node < t->n_nodes; node++) {
			uint32_t first = t->node[node].first_port;

			for (uint32_t p = first; p < first + t->node[node].n_ports; p++) {
				if (matched[p])
					note_port(&cs->c[k], t, node, p, (uint16_t)i);
			}
		}
	}
}

static int report(const struct override_conflict *c, const struct topo *t,
        const struct override *o, uint32_t port, struct err *e)
{
	uint32_t node = 0;

	while (port >= t->node[node].first_port + t->node[node].n_ports)
		node++;
	return yaml_err(e, &c->base->at,
	        "%s (%s:%u) still sets %s on %s port %u: set %s.%s as well, or remove it there",
	        o->shown, o->node->at.name, o->node->at.line, c->row->key, t->node[node].name,
	        port - t->node[node].first_port, o->shown, c->row->key);
}

int override_conflicts_check(const struct override_conflicts *cs, const struct topo *t,
        const struct override *o, struct err *e)
{
	for (uint32_t k = 0; k < cs->n; k++) {
		const struct override_conflict *c = &cs->c[k];

		for (uint32_t i = 0; i < t->n_ports; i++) {
			if (c->last[i] == UINT16_MAX)
				continue;
			if (override_value_node(&o[c->last[i]], c->row)->rank != YAML_SET)
				return report(c, t, &o[c->last[i]], i, e);
		}
	}
	return 0;
}

void override_conflicts_fini(struct override_conflicts *cs)
{
	for (uint32_t k = 0; k < cs->n; k++)
		free(cs->c[k].last);
	free(cs->c);
}
