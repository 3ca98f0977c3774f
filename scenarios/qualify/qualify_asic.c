/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_asic.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "scenarios/knob_table.h"
#include "scenarios/qualify/qualify_bind.h"
#include "scenarios/qualify/qualify_file.h"
#include "scenarios/qualify/qualify_keys.h"

#define MAX_KNOWN 1000

#define FIELD(f) offsetof(struct qasic_cfg, f)

static const struct knob rows[] = {
        {.key = "doc",
                .type = KNOB_TEXT,
                .offset = FIELD(doc),
                .def = "",
                .doc = "What this switch is."},
        {.key = "rate",
                .type = KNOB_RATE,
                .offset = FIELD(rate_bps),
                .min = 1000000000,
                .max = INT64_C(10000000000000),
                .def = "100Gbps",
                .doc = "Of its ports, where a case does not say."},
        {.key = "lossless",
                .type = KNOB_PRIORITIES,
                .offset = FIELD(lossless),
                .max = 255,
                .def = "[3, 4]",
                .doc = "Priorities under PFC."},
        {.key = "lossy",
                .type = KNOB_PRIORITIES,
                .offset = FIELD(lossy),
                .max = 255,
                .def = "[0, 1]",
                .doc = "Priorities without, as far as the cases use them."},
};

static const struct knob_group group = {.path = "asic",
        .doc = "What is expected of a switch.",
        .rows = KNOB_ROWS(rows),
        .struct_bytes = sizeof(struct qasic_cfg)};

static const struct knob known_rows[] = {
        {.key = "case",
                .type = KNOB_TEXT,
                .offset = offsetof(struct qdeviation, pattern),
                .doc = "SUITE.CASE; * and ? stand for any text and any character."},
        {.key = "reason",
                .type = KNOB_TEXT,
                .offset = offsetof(struct qdeviation, reason),
                .doc = "Why it deviates: a defect's number, a data sheet's page."},
};

static const struct knob_group known_group = {.path = "known",
        .doc = "A known deviation.",
        .rows = KNOB_ROWS(known_rows),
        .struct_bytes = sizeof(struct qdeviation)};

static int read_known(struct qasic *a, const struct yaml_node *list, struct err *e)
{
	struct qscope scope = {.arena = &a->yaml.arena};
	int rc = 0;

	if (!list)
		return 0;
	if (list->kind != YAML_LIST || list->n_children > MAX_KNOWN)
		return yaml_err(e, &list->at,
		        "known: expected a list of at most %d {case: ..., reason: ...}",
		        MAX_KNOWN);
	a->known = arena_take(&a->yaml.arena, (list->n_children + 1) * sizeof(*a->known));
	if (!a->known)
		return err_set(e, -ENOMEM, "%s: not enough memory", a->path);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next) {
		struct qdeviation *d = &a->known[a->n_known++];

		rc = qualify_bind(&scope, n, &known_group, d, NULL, e);
		if (!rc && (!*d->reason || !*d->pattern))
			rc = yaml_err(
			        e, &n->at, "known: a deviation needs the case and a reason");
	}
	return rc;
}

/* Each leaf: keys may stand below `fabric` or without it. */
static int check_keys(const struct yaml_node *map, const char *above, struct err *e)
{
	char key[KNOB_PATH_BYTES];
	int rc = 0;

	for (const struct yaml_node *n = map->first; n && !rc; n = n->next) {
		if (!knob_join(key, above, n->key))
			return yaml_err(e, &n->key_at, "too long a key");
		if (n->kind == YAML_MAP && n->first) {
			rc = check_keys(n, key, e);
		} else if (qualify_key_check(key, "", e)) {
			rc = yaml_err_prefix(e, &n->key_at);
		}
	}
	return rc;
}

static int read_root(struct qasic *a, struct err *e)
{
	static const char *const others[] = {"squall_asic", "scenario", "known", NULL};
	struct qscope scope = {.arena = &a->yaml.arena};
	const struct yaml_node *root = a->yaml.root;
	int rc;

	rc = qualify_file_version(root, "squall_asic", a->path, e);
	if (!rc)
		rc = qualify_bind(&scope, root, &group, &a->cfg, others, e);
	if (rc)
		return rc;
	if (!a->cfg.lossless || (a->cfg.lossless & a->cfg.lossy))
		return yaml_err(e, &root->at,
		        "lossless: expected at least one priority, and none that is lossy too");
	a->keys = yaml_get(root, "scenario");
	if (a->keys && a->keys->kind != YAML_MAP)
		return yaml_err(e, &a->keys->at, "scenario: expected a mapping of its keys");
	rc = a->keys ? check_keys(a->keys, "", e) : 0;
	if (rc)
		return rc;
	return read_known(a, yaml_get(root, "known"), e);
}

int qualify_asic_read(
        struct qasic **out, const char *text, size_t len, const char *path, struct err *e)
{
	struct qasic *a = calloc(1, sizeof(*a));
	int rc;

	*out = NULL;
	if (!a)
		return err_set(e, -ENOMEM, "%s: not enough memory", path);
	a->path = strdup(path);
	a->name = qualify_file_name(&a->yaml.arena, path);
	rc = a->path && a->name ? 0 : err_set(e, -ENOMEM, "%s: not enough memory", path);
	if (!rc)
		rc = yaml_read(&a->yaml, &a->yaml.root, text, len, a->path, e);
	if (!rc)
		rc = read_root(a, e);
	if (rc) {
		qualify_asic_free(a);
		return rc;
	}
	*out = a;
	return 0;
}

int qualify_asic_load(struct qasic **out, const char *path, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int rc = text_file_read(&text, &len, path, YAML_MAX_BYTES, e);

	*out = NULL;
	if (!rc)
		rc = qualify_asic_read(out, text, len, path, e);
	free(text);
	return rc;
}

void qualify_asic_free(struct qasic *a)
{
	if (!a)
		return;
	yaml_fini(&a->yaml);
	free(a->path);
	free(a);
}

const struct qdeviation *qualify_deviation(
        const struct qasic *a, const char *suite, const char *name)
{
	char full[300];

	(void)snprintf(full, sizeof(full), "%s.%s", suite, name);
	for (uint32_t i = 0; i < a->n_known; i++)
		if (!fnmatch(a->known[i].pattern, full, 0))
			return &a->known[i];
	return NULL;
}
