/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/knob_table.h"

#include <stdio.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "gen/sim/fault_cfg.h"
#include "scenarios/scenario.h"
#include "scenarios/scenario_knobs.h"

#define AT(f) offsetof(struct scenario, f)

/* The order of the resolved file and of the documentation. */
const struct knob_slot knob_table[] = {
        {&run_knobs, AT(run)},
        {&fabric_knobs, AT(frame)},
        {&topo_knobs, AT(topo_cfg)},
        {&host_link_knobs, AT(topo_cfg)},
        {&fabric_link_knobs, AT(topo_cfg)},
        {&core_link_knobs, AT(topo_cfg)},
        {&frame_knobs, AT(frame)},
        {&switch_knobs, AT(sw)},
        {&nic_knobs, AT(nic)},
        {&dcqcn_knobs, AT(dcqcn)},
        {&np_knobs, AT(np)},
        {&fabric_lists_knobs, KNOB_PER_ENTRY},
        {&override_knobs, KNOB_PER_ENTRY},
        {&load_knobs, KNOB_PER_ENTRY},
        {&fault_knobs, KNOB_PER_ENTRY},
        {&measure_knobs, AT(measure)},
        {NULL, 0},
};

bool knob_join(char out[KNOB_PATH_BYTES], const char *path, const char *key)
{
	int n = snprintf(out, KNOB_PATH_BYTES, "%s%s%s", path, *path && *key ? "." : "", key);

	return n >= 0 && n < KNOB_PATH_BYTES;
}

/* What of path is left behind the group's own, or NULL: "ecn.kmin" for "fabric.switch". */
static const char *rest_in_group(const struct knob_group *g, const char *path)
{
	size_t n = strlen(g->path);

	if (!n)
		return path;
	return !strncmp(path, g->path, n) && path[n] == '.' ? path + n + 1 : NULL;
}

const struct knob *knob_next(
        const struct knob_slot **slot, const struct knob *former, const char *path)
{
	const struct knob_slot *s = former ? *slot : knob_table;
	size_t first = former ? (size_t)(former - s->group->rows) + 1 : 0;

	for (; s->group; s++, first = 0) {
		const char *rest = rest_in_group(s->group, path);

		for (size_t i = first; rest && i < s->group->n_rows; i++) {
			if (!strcmp(s->group->rows[i].key, rest)) {
				*slot = s;
				return &s->group->rows[i];
			}
		}
	}
	return NULL;
}

/* The step of full that follows section, with its length; NULL if full is not below it. */
static const char *step_below(size_t *len, const char *section, const char *full)
{
	size_t n = strlen(section);
	const char *p = full + n;

	if (strncmp(full, section, n) || (n && *p != '.'))
		return NULL;
	if (n)
		p++;
	*len = strcspn(p, ".");
	return p;
}

struct child {
	const struct knob_slot *slot;
	size_t row;
	char full[KNOB_PATH_BYTES];
	char key[KNOB_PATH_BYTES];
};

/* Walks the steps below section, one call each, repeated ones left out. */
static bool next_child(struct child *c, const char *section)
{
	for (; c->slot->group; c->slot++, c->row = 0) {
		while (c->row < c->slot->group->n_rows) {
			const char *step;
			char former[KNOB_PATH_BYTES];
			size_t len;

			(void)snprintf(former, sizeof(former), "%s", c->key);
			if (!knob_join(c->full, c->slot->group->path,
			            c->slot->group->rows[c->row++].key))
				continue;
			step = step_below(&len, section, c->full);
			if (!step)
				continue;
			if (len > 2 && !strncmp(step + len - 2, "[]", 2))
				len -= 2;
			(void)snprintf(c->key, sizeof(c->key), "%.*s", (int)len, step);
			if (strcmp(former, c->key))
				return true;
		}
	}
	return false;
}

bool knob_is_section(const char *path)
{
	struct child c = {.slot = knob_table};

	return !*path || next_child(&c, path);
}

const struct knob *knob_off_row(const struct knob_slot **slot, const char *section)
{
	struct child c = {.slot = knob_table};
	char direct[KNOB_PATH_BYTES];
	const struct knob *row;

	if (!next_child(&c, section) || !knob_join(direct, section, c.key) ||
	        strcmp(direct, c.full) != 0)
		return NULL;
	row = knob_next(slot, NULL, c.full);
	return row && (row->type == KNOB_BOOL || knob_has_word(row, "off")) ? row : NULL;
}

bool knob_nearest_child(char out[KNOB_PATH_BYTES], const char *section, const char *want)
{
	struct child c = {.slot = knob_table};
	struct nearest n;

	nearest_init(&n, want);
	while (next_child(&c, section)) {
		uint32_t former = n.best_distance;

		nearest_offer(
		        &n, c.key); /* the candidate is overwritten by the next: keep a copy */
		if (n.best_distance < former)
			(void)snprintf(out, KNOB_PATH_BYTES, "%s", c.key);
	}
	return nearest_get(&n) != NULL;
}

const char *knob_list_children(char *buf, size_t len, const char *section)
{
	struct child c = {.slot = knob_table};
	size_t used = 0;

	buf[0] = '\0';
	while (next_child(&c, section)) {
		int n = snprintf(buf + used, len - used, "%s%s", used ? ", " : "", c.key);

		if (n < 0 || (size_t)n >= len - used) {
			(void)snprintf(buf + (used < len - 4 ? used : len - 4), 4, "...");
			break;
		}
		used += (size_t)n;
	}
	return buf;
}

bool knob_ends_in(const char *full, const char *key)
{
	size_t n = strlen(full), want = strlen(key);

	return n >= want && !strcmp(full + n - want, key) &&
	       (n == want || full[n - want - 1] == '.');
}

bool knob_find_elsewhere(char out[KNOB_PATH_BYTES], const char *key)
{
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		for (size_t i = 0; i < s->group->n_rows; i++) {
			if (knob_join(out, s->group->path, s->group->rows[i].key) &&
			        knob_ends_in(out, key))
				return true;
		}
	}
	return false;
}

const struct knob *knob_choice(const struct knob_group *g)
{
	for (size_t i = 0; i < g->n_rows; i++) {
		if (g->rows[i].applies)
			return &g->rows[0];
	}
	return NULL;
}

bool knob_applies(const struct knob *row, int64_t choice)
{
	return !row->applies || choice == KNOB_NO_CHOICE ||
	       (choice < 32 && row->applies >> choice & 1);
}

bool knob_has_word(const struct knob *row, const char *text)
{
	for (const struct knob_word *w = row->words; w && w->word; w++) {
		if (!strcmp(w->word, text))
			return true;
	}
	return false;
}

const char *knob_word_of(const struct knob *row, int64_t value)
{
	for (const struct knob_word *w = row->words; w && w->word; w++) {
		if (w->value == value)
			return w->word;
	}
	return NULL;
}
