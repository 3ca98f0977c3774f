/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_random.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "scenarios/knob_table.h"
#include "tests/support/scenario_draw.h"

#define HOSTS 12

/* Keys whose whole range would take too long, or more machine than there is. */
static const struct limit {
	const char *ends_in;
	int64_t lo, hi;
} limits[] = {
        {"repeat", 1, 6},
        {"iterations", 1, 4},
        {"qps", 1, 4},
        {"channels", 1, 4},
        {"ranks", 2, 6},
        {"senders", 1, 6},
        {"receivers", 1, 3},
        {"receiver", 0, HOSTS - 1},
        {"first_host", 0, 3},
        {"flows", 1, 300},
        {"path_mtu", 256, 4096},
        {"seed", 0, 1000},
        {"series", 5 * PS_PER_US, 50 * PS_PER_US},
        {"messages", 1, 300},
};

static const struct limit *limit_of(const char *key)
{
	const char *last = strrchr(key, '.') ? strrchr(key, '.') + 1 : key;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(limits[i].ends_in, last))
			return &limits[i];
	return NULL;
}

static int64_t draw_in(struct scenario_draw *t, const struct knob *row, int64_t lo, int64_t hi)
{
	const struct limit *l = limit_of(row->key);

	if (l) {
		lo = l->lo;
		hi = l->hi;
	}
	if (lo < row->min)
		lo = row->min;
	if (row->max && hi > row->max)
		hi = row->max;
	if (hi < lo)
		hi = lo;
	return lo <= 0 ? (draw_chance(t, 200) ? lo : draw_log(t, 1, hi > 0 ? hi : 1))
	               : draw_log(t, lo, hi);
}

static void put_priorities(struct scenario_draw *t)
{
	const char *separator = "";

	fputc('[', t->f);
	for (int p = 0; p < 8; p++)
		if (draw_chance(t, p == 3 ? 800 : 250)) {
			fprintf(t->f, "%s%d", separator, p);
			separator = ", ";
		}
	fputc(']', t->f);
}

static void put_eight(struct scenario_draw *t)
{
	for (int p = 0; p < 8; p++)
		fprintf(t->f, "%s%" PRId64, p ? ", " : "[", draw_between(t, 1, 20));
	fputc(']', t->f);
}

/* Text rows name things, or list numbers. */
static void put_text(struct scenario_draw *t, const struct knob *row)
{
	const char *last = strrchr(row->key, '.') ? strrchr(row->key, '.') + 1 : row->key;

	if (!strcmp(last, "cdf"))
		fputs(DRAW_ONE(t, "websearch", "fbhadoop", "storage"), t->f);
	else if (!strcmp(last, "hosts"))
		fputs(DRAW_ONE(t, "\"0-1\"", "\"5,0-2\"", "\"1,3,5,0\""), t->f);
	else if (!strcmp(last, "stragglers"))
		fputs(DRAW_ONE(t, "\"0\"", "\"1,2\""), t->f);
	else if (!strcmp(last, "link"))
		draw_put_link(t);
	else if (draw_chance(t, 500))
		draw_put_switch(t);
	else
		draw_put_host(t);
}

static void put_word(struct scenario_draw *t, const struct knob *row)
{
	int64_t n = 0;

	while (row->words[n].word)
		n++;
	fputs(row->words[draw_between(t, 0, n - 1)].word, t->f);
}

static void put_value(
        struct scenario_draw *t, const struct knob_group *g, const struct knob *row)
{
	const char *forced = draw_forced(t, g->path, row->key);

	if (forced) {
		fputs(forced, t->f);
		return;
	}
	if (row->words && row->words->word && (row->type == KNOB_WORD || draw_chance(t, 300))) {
		put_word(t, row);
		return;
	}
	switch (row->type) {
	case KNOB_BOOL:
		fputs(draw_chance(t, 500) ? "on" : "off", t->f);
		break;
	case KNOB_COUNT:
		fprintf(t->f, "%" PRId64, draw_in(t, row, 0, 64));
		break;
	case KNOB_TIME:
		fprintf(t->f, "%" PRId64 "ns",
		        (draw_in(t, row, PS_PER_NS, PS_PER_MS) + PS_PER_NS - 1) / PS_PER_NS);
		break;
	case KNOB_RATE:
		fprintf(t->f, "%" PRId64 "Mbps",
		        draw_in(t, row, 0, INT64_C(400000000000)) / 1000000);
		break;
	case KNOB_SIZE:
		fprintf(t->f, "%" PRId64 "B", draw_in(t, row, 0, INT64_C(8) << 20));
		break;
	case KNOB_FRACTION:
		fprintf(t->f, "%" PRId64 ".%" PRId64 "%%", draw_between(t, 0, 99),
		        draw_between(t, 0, 99));
		break;
	case KNOB_PRIORITIES:
		put_priorities(t);
		break;
	case KNOB_EACH_PRIORITY:
		put_eight(t);
		break;
	case KNOB_TEXT:
		put_text(t, row);
		break;
	case KNOB_WORD:
	case KNOB_TABLE:
		break;
	}
}

/* Rows that are read by their own code, or that need a file. */
static bool drawn(const struct knob *row)
{
	static const char *const apart[] = {
	        "squall", "name", "preset", "expect", "file", "percentiles", "capture"};

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		if (!strcmp(row->key, apart[i]))
			return false;
	return row->type != KNOB_TABLE;
}

struct pick {
	const struct knob_group *g;
	const struct knob *row[256];
	size_t n;
};

/* Which rows of a group this file sets: all that must be given, a share of the others. */
static void pick_rows(
        struct scenario_draw *t, struct pick *p, const struct knob_group *g, int64_t choice)
{
	p->n = 0;
	p->g = g;
	for (size_t i = 0; i < g->n_rows && p->n < 256; i++) {
		const struct knob *row = &g->rows[i];

		if (row == knob_choice(g) || !drawn(row) || !knob_applies(row, choice) ||
		        (i && !strcmp(row->key, row[-1].key)))
			continue;
		if (!row->def || !strcmp(row->key, "cdf") ||
		        draw_forced(t, g->path, row->key) || draw_chance(t, t->share))
			p->row[p->n++] = row;
	}
}

/* Flow mappings of the picked keys below a prefix; each key has at most a few steps. */
static void put_keys(
        struct scenario_draw *t, const struct pick *p, const char *prefix, bool first)
{
	const size_t len = strlen(prefix);

	for (size_t i = 0; i < p->n; i++) {
		const char *key = p->row[i]->key, *rest = key + len, *dot;
		char step[128];
		bool seen = false;

		if (strncmp(key, prefix, len) != 0)
			continue;
		dot = strchr(rest, '.');
		(void)snprintf(step, sizeof(step), "%s%.*s.", prefix,
		        (int)(dot ? (size_t)(dot - rest) : strlen(rest)), rest);
		for (size_t k = 0; k < i; k++)
			seen |= dot && !strncmp(p->row[k]->key, step, strlen(step));
		if (seen)
			continue;
		fprintf(t->f, "%s%.*s: ", first ? "" : ", ",
		        (int)(dot ? (size_t)(dot - rest) : strlen(rest)), rest);
		first = false;
		if (dot) {
			fputc('{', t->f);
			put_keys(t, p, step, true);
			fputc('}', t->f);
		} else {
			put_value(t, p->g, p->row[i]);
		}
	}
}

static const struct knob_group *group_of(const char *path)
{
	for (const struct knob_slot *s = knob_table; s->group; s++)
		if (!strcmp(s->group->path, path))
			return s->group;
	return NULL;
}

/* One of the words, but for those whose entries come from files or lists. */
static const struct knob_word *draw_choice(struct scenario_draw *t, const struct knob *choice)
{
	int64_t n = 0;

	while (choice->words[n].word)
		n++;
	for (;;) {
		const struct knob_word *w = &choice->words[draw_between(t, 0, n - 1)];

		if (strcmp(w->word, "flows") != 0 && strcmp(w->word, "schedule") != 0 &&
		        strcmp(w->word, "training") != 0)
			return w;
	}
}

/* "{pattern: ring, message: 5000B}" */
static void put_group(struct scenario_draw *t, const struct knob_group *g)
{
	const struct knob *choice = knob_choice(g);
	int64_t value = KNOB_NO_CHOICE;
	struct pick p;

	fputc('{', t->f);
	if (choice) {
		const struct knob_word *w = draw_choice(t, choice);

		value = w->value;
		fprintf(t->f, "%s: %s", choice->key, w->word);
	}
	pick_rows(t, &p, g, value);
	put_keys(t, &p, "", !choice);
	fputc('}', t->f);
}

static void put_workload(struct scenario_draw *t)
{
	fputs("workload:\n", t->f);
	for (int64_t n = draw_between(t, 1, 3); n > 0; n--) {
		fputs("  - ", t->f);
		if (draw_chance(t, 200))
			draw_put_special_load(t);
		else
			put_group(t, group_of("workload[]"));
		fputc('\n', t->f);
	}
}

static void put_faults(struct scenario_draw *t)
{
	int64_t n = draw_chance(t, 400) ? draw_between(t, 1, 3) : 0;

	if (n)
		fputs("faults:\n", t->f);
	for (; n > 0; n--) {
		if (draw_chance(t, 980)) {
			draw_put_fault(t);
			continue;
		}
		fputs("  - ", t->f); /* whatever the rows say: mostly refused */
		put_group(t, group_of("faults[]"));
		fputc('\n', t->f);
	}
}

/* Where a group of the fabric stands below it: "  nic: " and inside it "dcqcn". */
static void put_fabric(struct scenario_draw *t)
{
	static const char *const sections[] = {
	        "host_link", "fabric_link", "core_link", "frame", "switch"};
	char path[64];

	fputs("fabric:\n", t->f);
	fprintf(t->f, "  topology: {%s}\n", t->shape->text);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct knob_group *g;

		(void)snprintf(path, sizeof(path), "fabric.%s", sections[i]);
		g = group_of(path);
		if (!g)
			continue;
		fprintf(t->f, "  %s: ", sections[i]);
		put_group(t, g);
		fputc('\n', t->f);
	}
	fputs("  nic: {dcqcn: ", t->f);
	put_group(t, group_of("fabric.nic.dcqcn"));
	fputs(", np: ", t->f);
	put_group(t, group_of("fabric.nic.np"));
	{
		struct pick p;

		pick_rows(t, &p, group_of("fabric.nic"), KNOB_NO_CHOICE);
		put_keys(t, &p, "", false);
	}
	fputs("}\n", t->f);
}

static void put_match(struct scenario_draw *t)
{
	fputs("{match: {", t->f);
	switch (draw_between(t, 0, 3)) {
	case 0:
		fputs("node: ", t->f);
		draw_put_switch(t);
		break;
	case 1:
		fputs("link: ", t->f);
		draw_put_link(t);
		break;
	case 2:
		fprintf(t->f, "tier: %s", DRAW_ONE(t, "host", "leaf", "spine", "any"));
		break;
	default:
		fprintf(t->f, "port: %" PRId64, draw_between(t, 0, 3));
	}
	fputc('}', t->f);
}

static void put_overrides(struct scenario_draw *t)
{
	struct pick p;

	fputs("  overrides:\n", t->f);
	for (int64_t n = draw_between(t, 0, 2); n >= 0; n--) {
		fputs("    - ", t->f);
		put_match(t);
		pick_rows(t, &p, group_of("fabric.switch"), KNOB_NO_CHOICE);
		put_keys(t, &p, "", false);
		if (draw_chance(t, 300))
			fprintf(t->f, ", link: {rate: %" PRId64 "Gbps, delay: %" PRId64 "ns}",
			        draw_log(t, 1, 400), draw_log(t, 1, 5000));
		fputs("}\n", t->f);
	}
}

/* What stands outside of the sections. */
static void put_run(struct scenario_draw *t)
{
	const char *on_deadlock = draw_forced(t, "", "stop.on_deadlock");

	fprintf(t->f, "squall: 1\nseed: %" PRId64 "\nstop: {after: %" PRId64 "us",
	        draw_between(t, 0, 1000), draw_between(t, 20, 400));
	if (on_deadlock)
		fprintf(t->f, ", on_deadlock: %s", on_deadlock);
	fputs("}\n", t->f);
	if (draw_chance(t, 80))
		fprintf(t->f, "preset: %s\n", DRAW_ONE(t, "connectx", "paper", "hpcc"));
}

char *scenario_random(uint64_t seed, unsigned share)
{
	struct scenario_draw t = {.share = share};
	char *out = NULL;
	size_t len = 0;

	t.rng = rng_make(seed, 0, RNG_LOAD);
	t.f = open_memstream(&out, &len);
	CHECK(t.f);
	draw_shape(&t);
	draw_moods(&t);
	put_run(&t);
	put_fabric(&t);
	if (draw_chance(&t, 200))
		put_overrides(&t);
	put_workload(&t);
	put_faults(&t);
	if (draw_chance(&t, 300)) {
		fputs("measure: ", t.f);
		put_group(&t, group_of("measure"));
		fputc('\n', t.f);
	}
	CHECK(!fclose(t.f));
	return out;
}
