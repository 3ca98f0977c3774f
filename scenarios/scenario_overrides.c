/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies fabric.overrides in order to the built topology. Every port ends with a profile;
 * equal ones are stored once. An override that matches nothing is an
 * error unless it goes by rate alone, and so is --set on a key that an override still decides
 * for some port.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/override.h"
#include "scenarios/override_conflict.h"

#define MAX_OVERRIDES 1024
#define NOT_MAPPED    UINT16_MAX

struct pass {
	struct scenario *s;
	struct override *o;
	uint32_t n;
	bool *matched; /* [n_ports], of the override at hand */
	uint16_t *
	        becomes; /* [n_profiles]: what a profile turns into under it; 0xffff: not yet */
	uint32_t becomes_room;
	struct err *e;
};

static int no_memory(const struct pass *p)
{
	return err_set(p->e, -ENOMEM, "%s: not enough memory for the overrides", p->s->path);
}

/* The profile equal to cfg, added if there is none yet. */
static int intern(struct pass *p, uint16_t *out, const struct switch_cfg *cfg)
{
	struct topo *t = p->s->topo;
	struct switch_cfg *more;

	for (uint32_t i = 0; i < t->n_profiles; i++) {
		if (!memcmp(&t->profile[i], cfg, sizeof(*cfg))) {
			*out = (uint16_t)i;
			return 0;
		}
	}
	if (t->n_profiles >= UINT16_MAX - 1)
		return err_set(p->e, -EINVAL,
		        "%s: fabric.overrides: more than %d different ports", p->s->path,
		        UINT16_MAX - 1);
	more = realloc(t->profile, (t->n_profiles + 1) * sizeof(*more));
	if (!more)
		return no_memory(p);
	t->profile = more;
	more[t->n_profiles] = *cfg;
	*out = (uint16_t)t->n_profiles++;
	return 0;
}

static int map_profile(struct pass *p, const struct override *o, uint16_t *profile)
{
	struct switch_cfg cfg = p->s->topo->profile[*profile];
	uint16_t from = *profile;
	int rc;

	if (p->becomes[from] != NOT_MAPPED) {
		*profile = p->becomes[from];
		return 0;
	}
	override_put(o, &cfg, true);
	rc = intern(p, profile, &cfg);
	if (!rc)
		p->becomes[from] = *profile;
	return rc;
}

static int fresh_map(struct pass *p)
{
	uint32_t n = p->s->topo->n_profiles;

	if (n > p->becomes_room) {
		uint16_t *more = realloc(p->becomes, n * sizeof(*more));

		if (!more)
			return no_memory(p);
		p->becomes = more;
		p->becomes_room = n;
	}
	memset(p->becomes, 0xff, n * sizeof(*p->becomes));
	return 0;
}

static uint32_t match_ports(struct pass *p, const struct override *o)
{
	const struct topo *t = p->s->topo;
	uint32_t n = 0;

	for (uint32_t node = 0; node < t->n_nodes; node++) {
		for (uint16_t port = 0; port < t->node[node].n_ports; port++) {
			bool m = override_matches(o, t, node, port);

			p->matched[t->node[node].first_port + port] = m;
			n += m;
		}
	}
	return n;
}

static uint32_t matched_of_node(const struct pass *p, uint32_t node)
{
	const struct topo_node *n = &p->s->topo->node[node];
	uint32_t matched = 0;

	for (uint16_t i = 0; i < n->n_ports; i++)
		matched += p->matched[n->first_port + i];
	return matched;
}

/* Keys of the switch as a whole need the whole switch. */
static int check_whole(const struct pass *p, const struct override *o, uint32_t node)
{
	const struct topo_node *n = &p->s->topo->node[node];

	for (size_t i = 0; i < switch_knobs.n_rows; i++) {
		const struct knob *row = &switch_knobs.rows[i];

		if (o->is_set[i] && override_row_is_of_node(row))
			return yaml_err(p->e, &override_value_node(o, row)->at,
			        "%s.%s: belongs to a switch as a whole, but only %u of the %u "
			        "ports of "
			        "%s match: match by node or tier",
			        o->shown, row->key, matched_of_node(p, node), n->n_ports,
			        n->name);
	}
	return 0;
}

static int apply_to_switch(struct pass *p, const struct override *o, uint32_t node)
{
	struct topo *t = p->s->topo;
	struct topo_node *n = &t->node[node];
	uint32_t matched = matched_of_node(p, node);
	int rc = 0;

	if (!matched)
		return 0;
	if (matched < n->n_ports)
		rc = check_whole(p, o, node);
	else
		rc = map_profile(p, o, &n->profile);
	for (uint16_t i = 0; i < n->n_ports && !rc; i++) {
		if (p->matched[n->first_port + i])
			rc = map_profile(p, o, &t->port[n->first_port + i].profile);
	}
	return rc;
}

static void apply_to_links(struct pass *p, const struct override *o)
{
	struct topo *t = p->s->topo;

	for (uint32_t i = 0; i < t->n_ports; i++) {
		struct topo_port *a = &t->port[i], *b;

		if (!p->matched[i])
			continue;
		b = &t->port[t->node[a->peer_node].first_port + a->peer_port];
		if (o->cfg.link_rate_bps >= 0)
			a->rate_bps = b->rate_bps = o->cfg.link_rate_bps;
		if (o->cfg.link_delay_ps >= 0)
			a->delay_ps = b->delay_ps = o->cfg.link_delay_ps;
	}
}

static int matches_nothing(const struct pass *p, const struct override *o)
{
	const struct topo *t = p->s->topo;
	const struct yaml_node *at = yaml_get(o->node, "match");
	char rate[48];

	if (o->cfg.rate_bps && o->match_node == UINT32_MAX && o->link_a == UINT32_MAX) {
		/* thresholds per speed are often kept in one file for several fabrics */
		scenario_note(p->s, &at->at,
		        "%s.match: matches no port; %s port 0, for one, has %s", o->shown,
		        t->node[t->n_hosts].name,
		        unit_format(rate, sizeof(rate), UNIT_RATE,
		                t->port[t->node[t->n_hosts].first_port].rate_bps));
		return 0;
	}
	if (o->cfg.rate_bps)
		return yaml_err(p->e, &at->at,
		        "%s.match: matches no port; %s port 0, for one, has %s", o->shown,
		        t->node[t->n_hosts].name,
		        unit_format(rate, sizeof(rate), UNIT_RATE,
		                t->port[t->node[t->n_hosts].first_port].rate_bps));
	return yaml_err(p->e, &at->at,
	        "%s.match: matches no port: all its conditions must hold at once", o->shown);
}

static int apply_one(struct pass *p, const struct override *o)
{
	const struct topo *t = p->s->topo;
	bool has_switch_port = false;
	int rc = 0;

	if (!match_ports(p, o))
		return matches_nothing(p, o);
	for (uint32_t i = t->node[t->n_hosts].first_port; i < t->n_ports; i++)
		has_switch_port |= p->matched[i];
	if (o->sets_switch && !has_switch_port)
		return yaml_err(p->e, &yaml_get(o->node, "match")->at,
		        "%s.match: matches hosts alone, but its keys are those of switch "
		        "ports: match "
		        "the switch's end, for example by link",
		        o->shown);
	apply_to_links(p, o);
	if (!o->sets_switch)
		return 0;
	rc = fresh_map(p);
	for (uint32_t node = t->n_hosts; node < t->n_nodes && !rc; node++)
		rc = apply_to_switch(p, o, node);
	return rc;
}

static int read_all(struct pass *p, const struct yaml_node *list)
{
	int rc = 0;

	p->o = calloc(list->n_children, sizeof(*p->o));
	p->matched = calloc(p->s->topo->n_ports, sizeof(*p->matched));
	if (!p->o || !p->matched)
		return no_memory(p);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next) {
		rc = override_read(&p->o[p->n], p->s, n, p->n, p->e);
		p->n++;
	}
	return rc;
}

static int apply_all(struct pass *p)
{
	struct override_conflicts c = {0};
	int rc;

	rc = override_conflicts_init(&c, p->s, p->e);
	for (uint32_t i = 0; i < p->n && !rc; i++) {
		rc = apply_one(p, &p->o[i]);
		if (!rc)
			override_conflicts_note(&c, p->s->topo, p->o, i, p->matched);
	}
	if (!rc)
		rc = override_conflicts_check(&c, p->s->topo, p->o, p->e);
	override_conflicts_fini(&c);
	return rc;
}

int scenario_apply_overrides(struct scenario *s, struct err *e)
{
	const struct yaml_node *list = yaml_find(s->doc->yaml.root, "fabric.overrides");
	struct pass p = {.s = s, .e = e};
	int rc;

	if (!list)
		return 0;
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at,
		        "fabric.overrides: expected a list of mappings, such as [{match: "
		        "{tier: leaf}, "
		        "ecn: {kmin: 400KB}}]");
	if (list->n_children > MAX_OVERRIDES)
		return yaml_err(e, &list->at,
		        "fabric.overrides: %u entries, at most %d are possible",
		        list->n_children, MAX_OVERRIDES);
	if (!list->n_children)
		return 0;
	rc = read_all(&p, list);
	if (!rc)
		rc = apply_all(&p);
	free(p.becomes);
	free(p.matched);
	free(p.o);
	return rc;
}
