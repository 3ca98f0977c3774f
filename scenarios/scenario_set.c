/* SPDX-License-Identifier: Apache-2.0 */
/* One key=value from outside a file: --set, a preset, an importer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/presets.h"
#include "scenarios/scenario_int.h"

#define OVERRIDES "fabric.overrides[]"

static bool has_row(const char *path)
{
	const struct knob_slot *slot;

	return knob_next(&slot, NULL, path) != NULL;
}

static bool is_known(const char *generic)
{
	static const char below_override[] = OVERRIDES ".";
	char path[KNOB_PATH_BYTES];
	size_t len;

	(void)snprintf(path, sizeof(path), "%s", generic);
	if (!strncmp(path, below_override, sizeof(below_override) - 1) &&
	        knob_join(path, "fabric.switch", generic + sizeof(below_override) - 1) &&
	        (has_row(path) || knob_is_section(path)))
		return true;
	(void)snprintf(path, sizeof(path), "%s", generic);
	if (has_row(path) || knob_is_section(path) || scenario_later_path(path))
		return true;
	for (len = strlen(path); len > 2 && !strcmp(path + len - 2, "[]"); len -= 2) {
		path[len - 2] = '\0'; /* an item of a list: expect[0], pfc.priorities[1] */
		if (has_row(path) || knob_is_section(path))
			return true;
	}
	return !strcmp(path, "workload") || !strcmp(path, "faults");
}

/* The deepest part of a generic path that is a section, and the key behind it. */
static void split_unknown(
        char section[KNOB_PATH_BYTES], char key[KNOB_PATH_BYTES], const char *generic)
{
	size_t end = 0;

	for (size_t i = 0; generic[i]; i++) {
		if (generic[i] != '.')
			continue;
		(void)snprintf(section, KNOB_PATH_BYTES, "%.*s", (int)i, generic);
		if (!is_known(section))
			break;
		end = i;
	}
	(void)snprintf(section, KNOB_PATH_BYTES, "%.*s", (int)end, generic);
	(void)snprintf(key, KNOB_PATH_BYTES, "%s", generic + end + (end != 0));
}

static int unknown(struct err *e, const char *generic, const char *where)
{
	struct yaml_where at = {.name = where};
	char with_fabric[KNOB_PATH_BYTES], first[KNOB_PATH_BYTES], section[KNOB_PATH_BYTES],
	        key[KNOB_PATH_BYTES];

	(void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(generic, ".["), generic);
	if (!is_known(first) && knob_join(with_fabric, "fabric", first) &&
	        is_known(with_fabric) && knob_join(with_fabric, "fabric", generic))
		generic = with_fabric;
	if (knob_find_elsewhere(section, generic))
		return yaml_err(e, &at, "%s: unknown key; did you mean %s?", generic, section);
	split_unknown(section, key, generic);
	if (strchr(key, '.'))
		key[strcspn(key, ".")] = '\0';
	return scenario_unknown_key(e, &at, section, section, key);
}

/* The full path of a key as written. */
static int full_path(
        char out[KNOB_PATH_BYTES], const char *key, const char *where, struct err *e)
{
	struct yaml_where at = {.name = where};
	char generic[KNOB_PATH_BYTES], with_fabric[KNOB_PATH_BYTES];

	if (!yaml_path_generic(generic, sizeof(generic), key))
		return yaml_err(e, &at, "not a key: expected one such as workload[0].senders");
	if (strstr(key, "..") || *key == '.' || (*key && key[strlen(key) - 1] == '.'))
		return yaml_err(e, &at,
		        "not a key: a name is empty between its dots; expected one such as "
		        "workload[0].senders");
	if (is_known(generic) && knob_join(out, key, ""))
		return 0;
	if (knob_join(with_fabric, "fabric", generic) && is_known(with_fabric) &&
	        knob_join(out, "fabric", key))
		return 0;
	return unknown(e, generic, where);
}

int scenario_put_text(struct scenario *s, const char *key, const char *yaml, const char *where,
        enum yaml_rank rank, struct err *e)
{
	struct yaml_where at = {.name = where};
	char path[KNOB_PATH_BYTES];
	struct yaml_node *value;
	int rc;

	rc = full_path(path, key, where, e);
	if (!rc)
		rc = yaml_read_value(&s->doc->yaml, &value, yaml, where, rank, e);
	if (rc)
		return rc;
	if (!value)
		return yaml_err(e, &at, "no value: expected KEY=VALUE");
	return yaml_put(&s->doc->yaml, path, value, e);
}

int scenario_set_key(
        struct scenario *s, const char *key, const char *yaml, const char *where, struct err *e)
{
	const char *kept = arena_printf(&s->doc->yaml.arena, "%s", where ? where : key);

	if (!kept)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	return scenario_put_text(s, key, yaml, kept, YAML_FILE, e);
}

int scenario_apply_preset(struct scenario *s, const char *name, struct err *e)
{
	const struct preset *p = preset_find(name);
	const char *where;
	int rc = 0;

	if (!p)
		return preset_unknown(name, e);
	where = arena_printf(&s->doc->yaml.arena, "preset %s", p->name);
	if (!where)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	for (const struct preset_value *v = p->values; v->key && !rc; v++)
		rc = scenario_put_text(s, v->key, v->value, where, YAML_PRESET, e);
	return rc;
}
