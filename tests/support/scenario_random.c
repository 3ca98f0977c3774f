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

#define PER_MILLE 1000
#define HOSTS     12

/* A fabric that is not refused, with names of it. */
static const struct shape {
	const char *topology, *link, *sw;
} shapes[] = {
        {"kind: star, hosts: 2", "sw0-host1", "sw0"},
        {"kind: star, hosts: 7", "sw0->host0", "sw0"},
        {"kind: dumbbell, hosts: 6", "sw0-sw1", "sw1"},
        {"kind: leaf-spine, hosts: 8, leaves: 2, spines: 2", "leaf0-spine1", "leaf0"},
        {"kind: leaf-spine, hosts: 12, leaves: 4, spines: 3", "leaf0->spine0", "spine0"},
        {"kind: leaf-spine, hosts: 8, leaves: 2, oversubscription: 2:1", "leaf1-host7",
                "leaf1"},
        {"kind: fat-tree, k: 4", "pod0-edge0->host0", "core0"},
        {"kind: fat-tree, pods: 2, hosts_per_pod: 6, edges_per_pod: 2", "all", "pod0-agg0"},
        {"kind: rail, nodes: 4, rails: 2", "rail0-leaf0-host0", "rail0-leaf0"},
};

struct text {
	FILE *f;
	struct rng rng;
	unsigned share;
	const struct shape *shape;
};

static int64_t between(struct text *t, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(rng_next(&t->rng) % ((uint64_t)(hi - lo) + 1));
}

static bool chance(struct text *t, unsigned per_mille)
{
	return between(t, 1, PER_MILLE) <= per_mille;
}

/* Evenly over orders of magnitude. */
static int64_t log_between(struct text *t, int64_t lo, int64_t hi)
{
	int bits = 0;
	int64_t top;

	while (bits < 62 && lo <= hi >> (bits + 1))
		bits++;
	top = lo << between(t, 0, bits);
	return between(t, lo, top > hi || top < lo ? hi : top);
}

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
};

static const struct limit *limit_of(const char *key)
{
	const char *last = strrchr(key, '.') ? strrchr(key, '.') + 1 : key;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(limits[i].ends_in, last))
			return &limits[i];
	return NULL;
}

static int64_t draw_in(struct text *t, const struct knob *row, int64_t lo, int64_t hi)
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
	return lo <= 0 ? (chance(t, 200) ? lo : log_between(t, 1, hi > 0 ? hi : 1))
	               : log_between(t, lo, hi);
}

static void put_priorities(struct text *t)
{
	const char *separator = "";

	fputc('[', t->f);
	for (int p = 0; p < 8; p++)
		if (chance(t, p == 3 ? 800 : 250)) {
			fprintf(t->f, "%s%d", separator, p);
			separator = ", ";
		}
	fputc(']', t->f);
}

static void put_eight(struct text *t)
{
	for (int p = 0; p < 8; p++)
		fprintf(t->f, "%s%" PRId64, p ? ", " : "[", between(t, 1, 20));
	fputc(']', t->f);
}

static void put_word(struct text *t, const struct knob *row)
{
	int64_t n = 0;

	while (row->words[n].word)
		n++;
	fputs(row->words[between(t, 0, n - 1)].word, t->f);
}

static void put_value(struct text *t, const struct knob *row)
{
	if (row->words && row->words->word && (row->type == KNOB_WORD || chance(t, 300))) {
		put_word(t, row);
		return;
	}
	switch (row->type) {
	case KNOB_BOOL:
		fputs(chance(t, 500) ? "on" : "off", t->f);
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
		fprintf(t->f, "%" PRId64 ".%" PRId64 "%%", between(t, 0, 99),
		        between(t, 0, 99));
		break;
	case KNOB_PRIORITIES:
		put_priorities(t);
		break;
	case KNOB_EACH_PRIORITY:
		put_eight(t);
		break;
	case KNOB_TEXT:
		fputs(!strcmp(row->key, "cdf")       ? "websearch"
		        : !strcmp(row->key, "hosts") ? "0-1"
		                                     : "0",
		        t->f);
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
	const struct knob *row[256];
	size_t n;
};

/* Which rows of a group this file sets: all that must be given, a share of the others. */
static void pick_rows(
        struct text *t, struct pick *p, const struct knob_group *g, int64_t choice)
{
	p->n = 0;
	for (size_t i = 0; i < g->n_rows && p->n < 256; i++) {
		const struct knob *row = &g->rows[i];

		if (row == knob_choice(g) || !drawn(row) || !knob_applies(row, choice) ||
		        (i && !strcmp(row->key, row[-1].key)))
			continue;
		if (!row->def || !strcmp(row->key, "cdf") || chance(t, t->share))
			p->row[p->n++] = row;
	}
}

/* Flow mappings of the picked keys below a prefix; each key has at most a few steps. */
static void put_keys(struct text *t, const struct pick *p, const char *prefix, bool first)
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
			put_value(t, p->row[i]);
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
static const struct knob_word *draw_choice(struct text *t, const struct knob *choice)
{
	int64_t n = 0;

	while (choice->words[n].word)
		n++;
	for (;;) {
		const struct knob_word *w = &choice->words[between(t, 0, n - 1)];

		if (strcmp(w->word, "flows") != 0 && strcmp(w->word, "schedule") != 0 &&
		        strcmp(w->word, "training") != 0)
			return w;
	}
}

/* "{pattern: ring, message: 5000B}" */
static void put_group(struct text *t, const struct knob_group *g)
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

static void put_list(struct text *t, const char *key, const char *path, int64_t n)
{
	const struct knob_group *g = group_of(path);

	if (!g || !n)
		return;
	fprintf(t->f, "%s:\n", key);
	for (int64_t i = 0; i < n; i++) {
		fputs("  - ", t->f);
		if (chance(t, 150)) /* in a form of its own */
			fputs(chance(t, 500) ? "{pattern: flows, flows: [[0, 1, 1MB, 0us], [1, "
			                       "0, 64KB, 3us]]}"
			                     : "{pattern: training, compute: 3us, repeat: 2, "
			                       "collectives: "
			                       "[[all-reduce, 100KB], [all-gather, 3KB]]}",
			        t->f);
		else
			put_group(t, g);
		fputc('\n', t->f);
	}
}

/* Where a group of the fabric stands below it: "  nic: " and inside it "dcqcn". */
static void put_fabric(struct text *t)
{
	static const char *const sections[] = {
	        "host_link", "fabric_link", "core_link", "frame", "switch"};
	char path[64];

	fputs("fabric:\n", t->f);
	fprintf(t->f, "  topology: {%s}\n", t->shape->topology);
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

static void put_overrides(struct text *t)
{
	struct pick p;

	fputs("  overrides:\n", t->f);
	for (int64_t n = between(t, 0, 2); n >= 0; n--) {
		fprintf(t->f, "    - {match: {node: %s}, buffer: 16MiB", t->shape->sw);
		pick_rows(t, &p, group_of("fabric.switch"), KNOB_NO_CHOICE);
		put_keys(t, &p, "", false);
		fputs("}\n", t->f);
	}
}

/* One fault of each kind that there is; %s stands for a link, %S for a switch. */
static const char *const faults[] = {
        "drop: {link: %s, probability: 1e-3}",
        "drop: {link: %s, every: 7}",
        "drop: {qp: {src: host0, dst: host1}, psn: [5, 10-12]}",
        "corrupt: {link: %s, probability: 1%}",
        "mark: {link: %s, probability: 10%}",
        "hold: {link: %s, every: 9, time: 20us}",
        "link_down: %s",
        "link_rate: %s, rate: 25Gbps",
        "link_delay: %s, delay: 3us",
        "pfc_storm: host0, priority: 3",
        "pfc_storm: host1, priorities: [0, 3], quanta: 2000",
        "ecn_off: %S",
};

static void put_fault(struct text *t, const char *fault)
{
	fputs("  - {", t->f);
	if (chance(t, 700))
		fprintf(t->f, "at: %" PRId64 "us, ", between(t, 0, 100));
	if (chance(t, 700))
		fprintf(t->f, "for: %" PRId64 "us, ", between(t, 1, 100));
	for (; *fault; fault++) {
		if (*fault == '%' && (fault[1] == 's' || fault[1] == 'S'))
			fputs(*++fault == 's' ? t->shape->link : t->shape->sw, t->f);
		else
			fputc(*fault, t->f);
	}
	fputs("}\n", t->f);
}

static void put_faults(struct text *t)
{
	int64_t n = between(t, -2, 2);

	if (n <= 0)
		return;
	fputs("faults:\n", t->f);
	for (; n; n--)
		put_fault(t, faults[between(
		                     t, 0, (int64_t)(sizeof(faults) / sizeof(faults[0])) - 1)]);
}

char *scenario_random(uint64_t seed, unsigned share)
{
	struct text t = {.share = share};
	char *out = NULL;
	size_t len = 0;

	t.rng = rng_make(seed, 0, RNG_LOAD);
	t.shape = &shapes[between(&t, 0, (int64_t)(sizeof(shapes) / sizeof(shapes[0])) - 1)];
	t.f = open_memstream(&out, &len);
	CHECK(t.f);
	fprintf(t.f, "squall: 1\nseed: %" PRId64 "\nstop: {after: %" PRId64 "us}\n",
	        between(&t, 0, 1000), between(&t, 20, 400));
	put_fabric(&t);
	if (chance(&t, 200))
		put_overrides(&t);
	put_list(&t, "workload", "workload[]", between(&t, 1, 3));
	put_faults(&t);
	if (chance(&t, 300))
		fputs("measure: {series: 10us}\n", t.f);
	CHECK(!fclose(t.f));
	return out;
}
