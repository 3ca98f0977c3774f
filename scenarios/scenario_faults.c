/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faults[]: each entry is bound through the knob table, then its one kind is found, keys that
 * do not go with it are refused, and names are looked up in the built topology.
 */
#include "scenarios/scenario_faults.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/fault_place.h"
#include "scenarios/knob_value.h"
#include "scenarios/scenario_int.h"
#include "scenarios/yaml_emit.h"

#define MAX_FAULTS 1024
#define MAX_ROWS   128
#define PSN_LAST   INT64_C(0xffffff)

struct entry {
	struct scenario *s;
	const struct yaml_node *node;
	char shown[32]; /* "faults[3]" */
	bool is_set[MAX_ROWS];
	struct scenario_fault *out;
	struct sim_fault *f;
	struct err *e;
};

static const struct yaml_node *where(const struct entry *en, const char *key)
{
	const struct yaml_node *n = yaml_find(en->node, key);

	return n ? n : en->node;
}

static int no_memory(const struct entry *en)
{
	return err_set(en->e, -ENOMEM, "%s: not enough memory", en->s->path);
}

/* "drop, corrupt, ...": the kinds that have a row. */
static const char *list_kinds(char *buf, size_t len)
{
	enum fault_kind last = FAULT_KINDS;
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < fault_knobs.n_rows && used < len; i++) {
		enum fault_kind k = fault_row_kind(&fault_knobs.rows[i]);
		int n;

		if (k == FAULT_KINDS || k == last)
			continue;
		last = k;
		n = snprintf(
		        buf + used, len - used, "%s%s", used ? ", " : "", fault_kind_name(k));
		used += n < 0 ? 0 : (size_t)n;
	}
	return buf;
}

static int find_kind(struct entry *en)
{
	enum fault_kind kind = FAULT_KINDS;
	char kinds[300];

	for (size_t i = 0; i < fault_knobs.n_rows; i++) {
		enum fault_kind k = fault_row_kind(&fault_knobs.rows[i]);

		if (!en->is_set[i] || k == FAULT_KINDS || k == kind)
			continue;
		if (kind != FAULT_KINDS)
			return yaml_err(en->e, &where(en, fault_kind_name(k))->key_at,
			        "%s: %s and %s: one entry holds one fault; write two entries",
			        en->shown, fault_kind_name(kind), fault_kind_name(k));
		kind = k;
	}
	if (kind == FAULT_KINDS)
		return yaml_err(en->e, &en->node->at, "%s: no fault: expected one of %s",
		        en->shown, list_kinds(kinds, sizeof(kinds)));
	en->out->kind = kind;
	return 0;
}

static int not_of_kind(const struct entry *en, const struct knob *row)
{
	char keys[300] = "";
	size_t used = 0;

	for (size_t i = 0; i < fault_knobs.n_rows && used < sizeof(keys); i++) {
		const struct knob *r = &fault_knobs.rows[i];
		int n;

		if (!fault_row_applies(r, en->out->kind) || fault_row_kind(r) != FAULT_KINDS)
			continue;
		n = snprintf(
		        keys + used, sizeof(keys) - used, "%s%s", used ? ", " : "", r->key);
		used += n < 0 ? 0 : (size_t)n;
	}
	return yaml_err(en->e, &where(en, row->key)->key_at,
	        "%s.%s: not a key of %s; beside it stand %s", en->shown, row->key,
	        fault_kind_name(en->out->kind), keys);
}

static int check_keys(const struct entry *en)
{
	for (size_t i = 0; i < fault_knobs.n_rows; i++) {
		const struct knob *r = &fault_knobs.rows[i];
		char expected[256];

		if (en->is_set[i] && !fault_row_applies(r, en->out->kind))
			return not_of_kind(en, r);
		if (!en->is_set[i] && fault_row_required(r, en->out->kind))
			return yaml_err(en->e, &en->node->at, "%s.%s is missing: expected %s",
			        en->shown, r->key,
			        knob_expected(r, expected, sizeof(expected)));
	}
	return 0;
}

static int psn_err(const struct entry *en, const struct yaml_node *at)
{
	return yaml_err(en->e, &at->at,
	        "%s.%s.psn: expected a packet sequence number of 0 to %" PRId64
	        ", or a range such "
	        "as 10-19",
	        en->shown, fault_kind_name(en->out->kind), PSN_LAST);
}

static int read_psn(struct entry *en, struct fault_psns *out, const struct yaml_node *n)
{
	char first[24];
	size_t len;
	int64_t a, b;

	if (n->kind != YAML_SCALAR)
		return psn_err(en, n);
	len = strcspn(n->text, "-");
	if (len >= sizeof(first))
		return psn_err(en, n);
	(void)snprintf(first, sizeof(first), "%.*s", (int)len, n->text);
	if (unit_parse(&a, UNIT_COUNT, first, NULL) || a < 0 || a > PSN_LAST)
		return psn_err(en, n);
	b = a;
	if (n->text[len] &&
	        (unit_parse(&b, UNIT_COUNT, n->text + len + 1, NULL) || b < a || b > PSN_LAST))
		return psn_err(en, n);
	*out = (struct fault_psns){(uint32_t)a, (uint32_t)b};
	return 0;
}

static int read_psns(struct entry *en, const struct yaml_node *n)
{
	struct fault_psns *psn;
	int rc = 0;

	if (!n || (n->kind == YAML_SCALAR && !*n->text))
		return 0;
	if (n->kind == YAML_LIST && n->n_children > FAULT_MAX_PSNS)
		return yaml_err(en->e, &n->at, "%s.%s.psn: more than %d numbers and ranges",
		        en->shown, fault_kind_name(en->out->kind), FAULT_MAX_PSNS);
	psn = arena_take(&en->s->doc->yaml.arena, (n->n_children + 1) * sizeof(*psn));
	if (!psn)
		return no_memory(en);
	en->f->filter.psn = psn;
	if (n->kind != YAML_LIST)
		rc = read_psn(en, &psn[en->f->filter.n_psn++], n);
	else
		for (const struct yaml_node *c = n->first; c && !rc; c = c->next)
			rc = read_psn(en, &psn[en->f->filter.n_psn++], c);
	return rc;
}

static int find_places(struct entry *en, const char *text, unsigned targets, const char *key)
{
	struct fault_places places;
	char shown[96];
	int rc;

	(void)snprintf(shown, sizeof(shown), "%s.%s", en->shown, key);
	rc = fault_places_find(&places, en->s->topo, text, targets, where(en, key), shown,
	        &en->s->doc->yaml.arena, en->e);
	en->f->place = places.at;
	en->f->n_places = places.n;
	en->out->target = text;
	return rc;
}

/* A host of a connection, or any. */
static int find_host(struct entry *en, uint32_t *out, const char *text, const char *key)
{
	int rc;

	*out = FAULT_ANY_HOST;
	if (!*text)
		return 0;
	rc = find_places(en, text, FAULT_TARGET_HOST, key);
	if (!rc && en->f->n_places != 1)
		return yaml_err(
		        en->e, &where(en, key)->at, "%s.%s: expected one host", en->shown, key);
	if (!rc)
		*out = en->f->place[0].node;
	return rc;
}

static uint8_t frames_of(const struct entry *en, const struct fault_frames_cfg *c)
{
	const struct fault_filter *m = &en->f->filter;

	if (c->frames)
		return (uint8_t)c->frames;
	return en->out->kind == FAULT_MARK || m->n_psn || m->src != FAULT_ANY_HOST ||
	                       m->dst != FAULT_ANY_HOST || m->qp != FAULT_ANY_QP
	               ? FAULT_FRAMES_DATA
	               : FAULT_FRAMES_ALL;
}

/* On which link: the one that is named, or the source's own. */
static int frames_place(struct entry *en, const struct fault_frames_cfg *c)
{
	const char *name = fault_kind_name(en->out->kind);
	const uint32_t src = en->f->filter.src;
	struct fault_place *place;
	char key[32];

	(void)snprintf(key, sizeof(key), "%s.link", name);
	if (*c->link)
		return find_places(en, c->link, FAULT_TARGET_LINK, key);
	if (src == FAULT_ANY_HOST)
		return yaml_err(en->e, &where(en, name)->at,
		        "%s.%s: where? expected link: leaf0-host3, or qp: {src: host3}",
		        en->shown, name);
	place = arena_take(&en->s->doc->yaml.arena, 2 * sizeof(*place));
	if (!place)
		return no_memory(en);
	*place = (struct fault_place){.node = src};
	en->f->place = place;
	en->f->n_places = 1;
	en->out->target = c->src;
	return 0;
}

static int build_frames(struct entry *en)
{
	const char *name = fault_kind_name(en->out->kind);
	const struct fault_frames_cfg *c = &en->out->cfg.frames[en->out->kind];
	struct fault_filter *m = &en->f->filter;
	char src[32], dst[32], psn[32];
	int rc;

	(void)snprintf(src, sizeof(src), "%s.qp.src", name);
	(void)snprintf(dst, sizeof(dst), "%s.qp.dst", name);
	(void)snprintf(psn, sizeof(psn), "%s.psn", name);
	rc = find_host(en, &m->src, c->src, src);
	if (!rc)
		rc = find_host(en, &m->dst, c->dst, dst);
	if (!rc && m->src == m->dst && m->src != FAULT_ANY_HOST)
		rc = yaml_err(en->e, &where(en, dst)->at,
		        "%s.%s: is the source too: no host sends to itself", en->shown, dst);
	if (!rc)
		rc = read_psns(en, yaml_find(en->node, psn));
	if (rc)
		return rc;
	m->qp = c->qp == FAULT_ANY ? FAULT_ANY_QP : (uint32_t)c->qp;
	m->every = c->every;
	m->probability_q32 = c->probability_q32;
	m->count = c->count;
	m->frames = frames_of(en, c);
	m->sent = c->sent != FAULT_SENT_AUTO ? (uint8_t)c->sent
	          : m->n_psn                 ? FAULT_SENT_FIRST
	                                     : FAULT_SENT_ANY;
	en->f->delay_ps = c->time_ps;
	return frames_place(en, c);
}

static unsigned targets_of(enum fault_kind k)
{
	if (k == FAULT_ECN_OFF)
		return FAULT_TARGET_SWITCH;
	if (k <= FAULT_LINK_DELAY)
		return FAULT_TARGET_LINK;
	return k == FAULT_PFC_STORM ? FAULT_TARGET_HOST | FAULT_TARGET_DIRECTION
	                            : FAULT_TARGET_HOST;
}

static int build_other(struct entry *en)
{
	const enum fault_kind k = en->out->kind;
	struct fault_cfg *c = &en->out->cfg;
	int rc = find_places(en, c->target[k], targets_of(k), fault_kind_name(k));

	if (rc)
		return rc;
	en->f->rate_bps = c->rate_bps;
	en->f->delay_ps = c->delay_ps;
	en->f->reroute_ps = c->reroute_ps;
	en->f->interval_ps = c->interval_ps;
	en->f->quanta = c->quanta;
	en->f->form = (uint8_t)c->form;
	if (k == FAULT_PFC_STORM && c->priority >= 0) {
		const int64_t one = INT64_C(1) << c->priority;

		if (yaml_get(en->node, "priorities") && c->priorities != one)
			return yaml_err(en->e, &where(en, "priorities")->key_at,
			        "%s.priorities: priority says already what is paused: leave "
			        "one of them out",
			        en->shown);
		c->priorities = one;
	}
	en->f->priorities = (uint8_t)(k == FAULT_PFC_STORM ? c->priorities : c->priority);
	if (k == FAULT_PFC_STORM && !en->f->priorities)
		return yaml_err(en->e, &where(en, "priorities")->at,
		        "%s.priorities: an empty list pauses nothing: expected some of 0 to 7",
		        en->shown);
	return 0;
}

static int build_entry(
        struct scenario *s, const struct yaml_node *node, uint32_t index, struct err *e)
{
	struct entry en = {.s = s,
	        .node = node,
	        .out = &s->fault_as_written[index],
	        .f = &s->fault[index],
	        .e = e};
	struct bind b = {.section = "faults[]",
	        .shown = en.shown,
	        .group = &fault_knobs,
	        .base = &en.out->cfg,
	        .is_set = en.is_set,
	        .e = e};
	int rc;

	(void)snprintf(en.shown, sizeof(en.shown), "faults[%u]", index);
	rc = scenario_bind_entry(&b, node);
	if (!rc)
		rc = find_kind(&en);
	if (!rc)
		rc = check_keys(&en);
	if (rc)
		return rc;
	en.f->kind = en.out->kind;
	en.f->from_ps = en.out->cfg.at_ps;
	en.f->until_ps = en.out->cfg.for_ps == TIME_NEVER
	                         ? TIME_NEVER
	                         : en.out->cfg.at_ps + en.out->cfg.for_ps;
	return en.out->kind <= FAULT_HOLD ? build_frames(&en) : build_other(&en);
}

int scenario_build_faults(struct scenario *s, struct err *e)
{
	const struct yaml_node *list = yaml_get(s->doc->yaml.root, "faults");
	int rc = 0;

	if (!list || (list->kind == YAML_SCALAR && !strcmp(list->text, "off")))
		return 0;
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at,
		        "faults: expected a list of entries, such as [{at: 5ms, for: 1ms, "
		        "link_down: leaf0-spine1}]");
	if (list->n_children > MAX_FAULTS)
		return yaml_err(e, &list->at, "faults: %u entries, at most %d are possible",
		        list->n_children, MAX_FAULTS);
	s->fault = calloc(list->n_children + 1, sizeof(*s->fault));
	s->fault_as_written = calloc(list->n_children + 1, sizeof(*s->fault_as_written));
	if (!s->fault || !s->fault_as_written)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = build_entry(s, n, s->n_faults++, e);
	return rc;
}

static void emit_psns(struct yaml_emit *m, const struct knob *row, const struct sim_fault *f)
{
	char text[KNOB_TEXT_BYTES * 24] = "[";
	size_t used = 1;

	for (uint32_t i = 0; i < f->filter.n_psn && used < sizeof(text) - 32; i++) {
		const struct fault_psns *p = &f->filter.psn[i];
		int n = snprintf(
		        text + used, sizeof(text) - used, "%s%u", i ? ", " : "", p->first);

		used += (size_t)n;
		if (p->last != p->first)
			used += (size_t)snprintf(
			        text + used, sizeof(text) - used, "-%u", p->last);
	}
	(void)snprintf(text + used, sizeof(text) - used, "]");
	yaml_emit(m, row->key, text);
}

static void emit_row(struct yaml_emit *m, const struct knob *row,
        const struct scenario_fault *w, const struct sim_fault *f)
{
	const char *at = (const char *)&w->cfg + row->offset;
	char buf[KNOB_TEXT_BYTES];

	if (row->type == KNOB_TABLE) {
		if (f->filter.n_psn)
			emit_psns(m, row, f);
	} else if (row->type != KNOB_TEXT) {
		yaml_emit(m, row->key, knob_format(row, &w->cfg, buf));
	} else if (**(const char *const *)(const void *)at) {
		yaml_emit_text(m, row->key, *(const char *const *)(const void *)at);
	}
}

/* Is it the text form of a key that is written as a list? */
static bool has_table(const struct knob *row)
{
	return row->type == KNOB_TEXT && row[1].type == KNOB_TABLE &&
	       !strcmp(row[0].key, row[1].key);
}

void scenario_emit_faults(FILE *f, const struct scenario *s)
{
	if (s->n_faults)
		fputs("\nfaults:\n", f);
	for (uint32_t i = 0; i < s->n_faults; i++) {
		const struct scenario_fault *w = &s->fault_as_written[i];
		struct yaml_emit m = {.f = f, .indent = 4, .is_item = true};

		for (size_t k = 0; k < fault_knobs.n_rows; k++) {
			const struct knob *row = &fault_knobs.rows[k];

			if (fault_row_applies(row, w->kind) &&
			        (k + 1 == fault_knobs.n_rows || !has_table(row)))
				emit_row(&m, row, w, &s->fault[i]);
		}
	}
}

const char *scenario_fault_name(
        char buf[SCENARIO_FAULT_NAME_BYTES], const struct scenario *s, uint32_t index)
{
	char shown[YAML_SHOWN_BYTES];
	const struct scenario_fault *w = &s->fault_as_written[index];

	(void)snprintf(buf, SCENARIO_FAULT_NAME_BYTES, "%s %s", fault_kind_name(w->kind),
	        yaml_shown(shown, w->target));
	return buf;
}
