/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/override.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/nearest.h"
#include "dataplane/fabric/topo_ends.h"

static int no_such_node(const struct scenario *s, const struct yaml_node *at, const char *key,
        const char *name, const char *what, struct err *e)
{
	char shown[YAML_SHOWN_BYTES];
	struct nearest n;

	nearest_init(&n, name);
	for (uint32_t i = 0; i < s->topo->n_nodes; i++)
		nearest_offer(&n, s->topo->node[i].name);
	if (nearest_get(&n) && !strchr(name, '-'))
		return yaml_err(e, &at->at, "%s: \"%s\": no such %s; did you mean %s?", key,
		        yaml_shown(shown, name), what, nearest_get(&n));
	return yaml_err(e, &at->at,
	        "%s: \"%s\": no such %s: the fabric has %s to %s and %s to %s", key,
	        yaml_shown(shown, name), what, s->topo->node[0].name,
	        s->topo->node[s->topo->n_hosts - 1].name, s->topo->node[s->topo->n_hosts].name,
	        s->topo->node[s->topo->n_nodes - 1].name);
}

static int resolve_link(struct override *o, const struct scenario *s,
        const struct yaml_node *at, const char *key, struct err *e)
{
	const struct topo_node *node = s->topo->node;
	const char *text = o->cfg.link;
	char shown[YAML_SHOWN_BYTES];
	struct topo_ends l;

	if (!topo_ends_find(&l, s->topo, text) || l.one_way)
		return no_such_node(
		        s, at, key, text, "link, expected two nodes such as leaf0-host3", e);
	if (!l.joined)
		return yaml_err(e, &at->at, "%s: \"%s\": no link joins these two nodes", key,
		        yaml_shown(shown, text));
	if (l.other_a != UINT32_MAX)
		return yaml_err(e, &at->at,
		        "%s: \"%s\": %s to %s or %s to %s? name one of these nodes otherwise",
		        key, yaml_shown(shown, text), node[l.a].name, node[l.b].name,
		        node[l.other_a].name, node[l.other_b].name);
	o->link_a = l.a;
	o->link_b = l.b;
	return 0;
}

static int resolve_names(struct override *o, const struct scenario *s, struct err *e)
{
	const struct yaml_node *match = yaml_get(o->node, "match");
	char key[64];
	int rc = 0;

	o->match_node = o->link_a = o->link_b = UINT32_MAX;
	if (*o->cfg.node) {
		(void)snprintf(key, sizeof(key), "%s.match.node", o->shown);
		o->match_node = topo_find(s->topo, o->cfg.node);
		if (o->match_node == UINT32_MAX)
			rc = no_such_node(
			        s, yaml_get(match, "node"), key, o->cfg.node, "node", e);
	}
	if (!rc && *o->cfg.link) {
		(void)snprintf(key, sizeof(key), "%s.match.link", o->shown);
		rc = resolve_link(o, s, yaml_get(match, "link"), key, e);
	}
	return rc;
}

static int check_form(const struct override *o, struct err *e)
{
	const struct yaml_node *match = yaml_get(o->node, "match");

	if (!match || match->kind != YAML_MAP || !match->n_children)
		return yaml_err(e, match ? &match->at : &o->node->at,
		        "%s.match: expected a mapping with at least one of node, port, tier, "
		        "rate, link",
		        o->shown);
	if (o->node->n_children < 2)
		return yaml_err(e, &o->node->at,
		        "%s: nothing to change: expected keys of fabric.switch, such as ecn: "
		        "{kmin: "
		        "400KB}, or link: {rate: 400Gbps}",
		        o->shown);
	return 0;
}

int override_read(struct override *o, const struct scenario *s, const struct yaml_node *node,
        uint32_t index, struct err *e)
{
	struct bind own = {.section = "fabric.overrides[]",
	        .shown = o->shown,
	        .group = &override_knobs,
	        .base = &o->cfg,
	        .e = e};
	struct bind sw = {.section = "fabric.switch",
	        .shown = o->shown,
	        .group = &switch_knobs,
	        .base = &o->value,
	        .is_set = o->is_set,
	        .e = e};
	int rc = 0;

	CHECK(switch_knobs.n_rows <= OVERRIDE_MAX_ROWS);
	*o = (struct override){.node = node};
	(void)snprintf(o->shown, sizeof(o->shown), "fabric.overrides[%u]", index);
	if (node->kind != YAML_MAP)
		return yaml_err(
		        e, &node->at, "%s: expected a mapping {match: {...}, ...}", o->shown);
	rc = check_form(o, e);
	if (rc)
		return rc;
	rc = scenario_bind_split(&own, &sw, node);
	for (size_t i = 0; i < switch_knobs.n_rows; i++)
		o->sets_switch |= o->is_set[i];
	return rc ? rc : resolve_names(o, s, e);
}

bool override_matches(
        const struct override *o, const struct topo *t, uint32_t node, uint16_t port)
{
	const struct topo_port *p = &t->port[t->node[node].first_port + port];
	const struct override_cfg *c = &o->cfg;

	if (o->match_node != UINT32_MAX && o->match_node != node)
		return false;
	if (c->port >= 0 && c->port != port)
		return false;
	if (c->tier != TIER_ANY && c->tier != t->node[node].tier)
		return false;
	if (c->rate_bps && c->rate_bps != p->rate_bps)
		return false;
	if (o->link_a == UINT32_MAX)
		return true;
	return (node == o->link_a && p->peer_node == o->link_b) ||
	       (node == o->link_b && p->peer_node == o->link_a);
}

void override_put(const struct override *o, struct switch_cfg *cfg, bool with_node_keys)
{
	for (size_t i = 0; i < switch_knobs.n_rows; i++) {
		const struct knob *row = &switch_knobs.rows[i];
		size_t bytes = row->type == KNOB_EACH_PRIORITY ? sizeof(cfg->weights)
		                                               : sizeof(int64_t);

		if (!o->is_set[i] || (!with_node_keys && override_row_is_of_node(row)))
			continue;
		memcpy((char *)cfg + row->offset, (const char *)&o->value + row->offset, bytes);
	}
}

const struct yaml_node *override_value_node(const struct override *o, const struct knob *row)
{
	const struct yaml_node *n = yaml_find(o->node, row->key);

	return n ? n : o->node;
}
