/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolved scenario: every key with its value in effect, presets and --set dissolved. What
 * the scenario reads from other files comes along: sizes inline, flow lists and the topology as
 * files beside it, so that the folder can be moved.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/out_file.h"
#include "analysis/result_folder.h"
#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "gen/load/replay.h"
#include "gen/load/schedule.h"
#include "scenarios/knob_value.h"
#include "scenarios/override.h"
#include "scenarios/yaml_emit.h"

#define MAX_TOPOLOGY_BYTES ((size_t)64 << 20)

static const char *text_at(const struct knob *row, const void *base)
{
	const char *text =
	        *(const char *const *)(const void *)((const char *)base + row->offset);

	return text ? text : "";
}

static void emit_row(
        struct yaml_emit *m, const char *path, const struct knob *row, const void *base)
{
	char buf[KNOB_TEXT_BYTES];

	if (row->type == KNOB_TABLE)
		return;
	if (row->type != KNOB_TEXT)
		yaml_emit(m, path, knob_format(row, base, buf));
	else if (*text_at(row, base))
		yaml_emit_text(m, path, text_at(row, base));
}

/* All rows of a group that apply; prefix "" puts them relative to the group. */
static void emit_group(
        struct yaml_emit *m, const struct knob_group *g, const char *prefix, const void *base)
{
	const struct knob *choice = knob_choice(g);
	int64_t now =
	        choice ? *(const int64_t *)(const void *)((const char *)base + choice->offset)
	               : 0;
	char path[KNOB_PATH_BYTES];

	for (size_t i = 0; i < g->n_rows; i++) {
		if (knob_applies(&g->rows[i], now) && knob_join(path, prefix, g->rows[i].key))
			emit_row(m, path, &g->rows[i], base);
	}
}

static bool is_neutral(const struct knob *row, const void *base)
{
	union {
		struct override_cfg cfg;
		int64_t v;
	} usual;

	if (row->type == KNOB_TEXT)
		return !*text_at(row, base);
	knob_defaults(&override_knobs, &usual.cfg);
	return !memcmp((const char *)base + row->offset, (const char *)&usual.cfg + row->offset,
	        sizeof(int64_t));
}

/* Those rows whose key begins so; when all are neutral the first that can say that. */
static void emit_own(
        struct yaml_emit *m, const struct override *o, const char *prefix, bool need)
{
	const struct knob *neutral = NULL;

	for (size_t i = 0; i < override_knobs.n_rows; i++) {
		const struct knob *row = &override_knobs.rows[i];

		if (strncmp(row->key, prefix, strlen(prefix)) != 0)
			continue;
		if (!is_neutral(row, &o->cfg)) {
			emit_row(m, row->key, row, &o->cfg);
			need = false;
		} else if (!neutral && row->type != KNOB_TEXT) {
			neutral = row;
		}
	}
	if (need && neutral) /* an override needs a match and a change, even of nothing */
		emit_row(m, neutral->key, neutral, &o->cfg);
}

static void emit_override(FILE *f, const struct override *o)
{
	struct yaml_emit m = {.f = f, .indent = 6, .is_item = true};

	emit_own(&m, o, "match.", true);
	emit_own(&m, o, "link.", !o->sets_switch);
	for (size_t i = 0; i < switch_knobs.n_rows; i++) {
		if (o->is_set[i])
			emit_row(
			        &m, switch_knobs.rows[i].key, &switch_knobs.rows[i], &o->value);
	}
}

static int emit_overrides(FILE *f, const struct scenario *s, struct err *e)
{
	const struct yaml_node *list = yaml_find(s->doc->yaml.root, "fabric.overrides");
	uint32_t index = 0;

	if (!list || !list->n_children)
		return 0;
	fputs("  overrides:\n", f);
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		struct override o;
		int rc = override_read(&o, s, n, index++, e);

		if (rc)
			return rc;
		emit_override(f, &o);
	}
	return 0;
}

static void emit_cdf(FILE *f, const struct load_cfg *c)
{
	char bytes[48], p[48];

	fputs("    cdf:\n", f);
	for (int64_t i = 0; i < c->n_cdf; i++)
		fprintf(f, "      - [%s, %s]\n",
		        unit_format(bytes, sizeof(bytes), UNIT_SIZE, c->cdf[i].bytes),
		        unit_format(p, sizeof(p), UNIT_FRACTION, c->cdf[i].probability_q32));
}

static void emit_jobs(FILE *f, const struct load_cfg *c)
{
	char bytes[48];

	fputs("    collectives:\n", f);
	for (int64_t i = 0; i < c->n_jobs; i++)
		fprintf(f, "      - [%s, %s]\n", load_job_name(c->job[i].kind),
		        unit_format(bytes, sizeof(bytes), UNIT_SIZE, c->job[i].bytes));
}

/* Of the file that an entry's list is written to. */
static enum result_name companion(const struct load_cfg *c)
{
	return c->pattern == LOAD_SCHEDULE ? RESULT_NAME_SCHEDULE
	       : c->pattern == LOAD_REPLAY ? RESULT_NAME_REPLAY
	                                   : RESULT_NAME_FLOWS;
}

static bool has_companion(const struct load_cfg *c)
{
	return c->n_flows || c->pattern == LOAD_SCHEDULE || c->pattern == LOAD_REPLAY;
}

/* The tables of an entry are written as the pattern took them, whatever file they came from. */
static void emit_entry(FILE *f, const struct load_entry *en)
{
	struct yaml_emit m = {.f = f, .indent = 4, .is_item = true};
	struct load_cfg c = en->cfg;
	char name[RESULT_NAME_BYTES];

	if (c.n_cdf)
		c.cdf_file = "";
	if (has_companion(&c))
		c.file = result_name_numbered(name, companion(&c), en->index);
	emit_group(&m, &load_knobs, "", &c);
	if (c.n_cdf)
		emit_cdf(f, &c);
	if (c.n_jobs)
		emit_jobs(f, &c);
}

static void emit_measure(FILE *f, const struct scenario *s)
{
	struct yaml_emit m = {.f = f};

	emit_group(&m, &measure_knobs, measure_knobs.path, &s->measure);
	fputs("  percentiles: [", f);
	for (uint32_t i = 0; i < s->measure.n_percentile; i++)
		fprintf(f, "%s%.15g", i ? ", " : "", s->measure.percentile[i]);
	fputs("]\n", f);
	for (uint32_t i = 0; i < s->capture.n_places; i++) {
		fputs(i ? ", " : "  capture: [", f);
		yaml_emit_quoted(f, s->capture.place[i]);
	}
	if (s->capture.n_places)
		fputs("]\n", f);
	if (s->n_expect)
		fputs("\nexpect:\n", f);
	for (uint32_t i = 0; i < s->n_expect; i++) {
		fputs("  - ", f);
		yaml_emit_quoted(f, s->expect[i]);
		fputc('\n', f);
	}
}

int scenario_emit_fabric(
        FILE *f, const struct scenario *s, const char *topology_file, struct err *e)
{
	struct yaml_emit m = {.f = f};
	struct topo_cfg topo = s->topo_cfg;

	topo.file = topo.kind == TOPO_FILE ? topology_file : "";
	for (const struct knob_slot *slot = knob_table; slot->group; slot++) {
		const void *base = (const char *)s + slot->offset;

		if (slot->offset == KNOB_PER_ENTRY || slot->group == &run_knobs ||
		        slot->group == &measure_knobs)
			continue;
		emit_group(&m, slot->group, slot->group->path,
		        slot->group == &topo_knobs ? &topo : base);
	}
	return emit_overrides(f, s, e);
}

static int emit_all(FILE *f, const struct scenario *s, struct err *e)
{
	struct yaml_emit m = {.f = f};
	struct run_cfg run = s->run;
	int rc;

	run.name = s->name;
	emit_group(&m, &run_knobs, run_knobs.path, &run);
	fputc('\n', f);
	rc = scenario_emit_fabric(f, s, result_name(RESULT_NAME_TOPOLOGY), e);
	fputs("\nworkload:\n", f);
	for (uint32_t i = 0; i < s->n_entries; i++)
		emit_entry(f, &s->entry[i]);
	scenario_emit_faults(f, s);
	fputc('\n', f);
	emit_measure(f, s);
	return rc;
}

static void emit_flows(FILE *f, const struct load_cfg *c)
{
	char start[48];

	fputs("src,dst,bytes,start,priority\n", f);
	for (int64_t i = 0; i < c->n_flows; i++) {
		const struct load_flow *w = &c->flow[i];

		fprintf(f, "%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%s,", w->src, w->dst, w->bytes,
		        unit_format(start, sizeof(start), UNIT_TIME, w->start_ps));
		if (w->priority >= 0)
			fprintf(f, "%d", w->priority);
		fputc('\n', f);
	}
}

static void emit_links(FILE *f, const struct scenario_doc *d)
{
	char rate[48], delay[48];

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		if (i < d->n_hosts)
			fprintf(f, "host %s\n", d->node[i].name);
		else
			fprintf(f, "switch %s %d\n", d->node[i].name, d->node[i].tier);
	}
	for (uint32_t i = 0; i < d->n_links; i++)
		fprintf(f, "link %s %s %s %s\n", d->node[d->link[i].a].name,
		        d->node[d->link[i].b].name,
		        unit_format(rate, sizeof(rate), UNIT_RATE, d->link[i].rate_bps),
		        unit_format(delay, sizeof(delay), UNIT_TIME, d->link[i].delay_ps));
}

int scenario_emit_topology(FILE *f, const struct scenario *s, struct err *e)
{
	char *text;
	size_t len;
	int rc;

	if (s->doc->n_links) {
		emit_links(f, s->doc);
		return 0;
	}
	rc = text_file_read(&text, &len, s->doc->topology_path, MAX_TOPOLOGY_BYTES, e);
	if (rc)
		return rc;
	(void)fwrite(text, 1, len, f); /* an error stays in the stream */
	free(text);
	return 0;
}

static int emit_input(FILE *f, const struct load_entry *en, struct err *e)
{
	if (en->cfg.pattern == LOAD_SCHEDULE)
		return schedule_copy(f, en, e);
	if (en->cfg.pattern == LOAD_REPLAY)
		replay_emit(f, en);
	else
		emit_flows(f, &en->cfg);
	return 0;
}

/* The files that the resolved scenario names; they lie beside it. */
static int add_companions(
        struct out_set *set, const struct scenario *s, const char *dir, struct err *e)
{
	char name[RESULT_NAME_BYTES];
	FILE *f;
	int rc = 0;

	if (s->topo_cfg.kind == TOPO_FILE) {
		rc = out_set_add_in(set, &f, dir, result_name(RESULT_NAME_TOPOLOGY), e);
		if (!rc)
			rc = scenario_emit_topology(f, s, e);
	}
	for (uint32_t i = 0; i < s->n_entries && !rc; i++) {
		const struct load_cfg *c = &s->entry[i].cfg;

		if (!has_companion(c))
			continue;
		rc = out_set_add_in(
		        set, &f, dir, result_name_numbered(name, companion(c), i), e);
		if (!rc)
			rc = emit_input(f, &s->entry[i], e);
	}
	return rc;
}

int scenario_add_resolved(struct out_set *set, const struct scenario *s, const char *dir,
        const char *name, struct err *e)
{
	FILE *f;
	int rc = add_companions(set, s, dir, e);

	if (!rc)
		rc = out_set_add_in(set, &f, dir, name, e);
	return rc ? rc : emit_all(f, s, e);
}

int scenario_write_resolved(const struct scenario *s, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char *dir =
	        slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	struct out_set set;
	int rc;

	if (!dir)
		return err_set(e, -ENOMEM, "%s: not enough memory", path);
	out_set_init(&set);
	rc = scenario_add_resolved(&set, s, dir, slash ? slash + 1 : path, e);
	if (!rc)
		rc = out_set_commit(&set, e);
	out_set_abort(&set);
	free(dir);
	return rc;
}

int scenario_resolved_text(char **text, size_t *len, const struct scenario *s, struct err *e)
{
	FILE *f;
	int rc;

	*text = NULL;
	f = open_memstream(text, len);
	if (!f)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	rc = emit_all(f, s, e);
	if (!rc && s->topo_cfg.kind == TOPO_FILE)
		rc = scenario_emit_topology(f, s, e);
	for (uint32_t i = 0; i < s->n_entries; i++) {
		if (s->entry[i].cfg.pattern == LOAD_REPLAY)
			replay_emit(f, &s->entry[i]);
		else
			emit_flows(f, &s->entry[i].cfg);
	}
	if (fclose(f) && !rc)
		rc = err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	if (rc) {
		free(*text);
		*text = NULL;
	}
	return rc;
}
