/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and words that the format defines and that a later release will read. A value that asks
 * for nothing is accepted today, so that files need no change; anything else is refused instead
 * of being ignored. A row in the knob table takes precedence over one here.
 */
#include <errno.h>
#include <string.h>

#include "scenarios/scenario_int.h"
#include "scenarios/scenario_later.h"

struct later {
	const char *path;
	const char *word;    /* of a known key that is not available; NULL: the key itself */
	const char *neutral; /* of the key: what it does today */
	const char *what;
};

static const struct later table[] = {
        {"capture", NULL, "off", "captures of a lab"},
        {"fabric.switch.trust", NULL, "dscp", "trust of other fields"},
        {"fabric.switch.dscp_to_priority", NULL, "", "a map of its own from DSCP to priority"},
};

#define N_LATER (sizeof(table) / sizeof(table[0]))

static const struct later *find(const char *path, const char *word)
{
	for (size_t i = 0; i < N_LATER; i++) {
		const struct later *l = &table[i];

		if (!strcmp(l->path, path) &&
		        (word ? l->word && !strcmp(l->word, word) : !l->word))
			return l;
	}
	return NULL;
}

const char *scenario_later_what(const char *path, const char **neutral)
{
	const struct later *l = find(path, NULL);

	*neutral = l ? l->neutral : NULL;
	return l ? l->what : NULL;
}

bool scenario_later_path(const char *path)
{
	return find(path, NULL) != NULL;
}

const char *scenario_later_word(const char *path, const char *word)
{
	const struct later *l = find(path, word);

	return l ? l->what : NULL;
}

bool scenario_later_key(int *rc, const char *path, const struct yaml_node *value, struct err *e)
{
	const struct later *l = find(path, NULL);

	if (!l)
		return false;
	*rc = 0;
	if (value->kind == YAML_LIST && !value->n_children)
		return true;
	if (value->kind == YAML_SCALAR && *l->neutral && !strcmp(value->text, l->neutral))
		return true;
	if (*l->neutral)
		*rc = yaml_err(e, &value->at,
		        "%s: %s will come with a later release; today only \"%s\" is possible",
		        path, l->what, l->neutral);
	else
		*rc = yaml_err(e, &value->at,
		        "%s: %s will come with a later release; leave the key out", path,
		        l->what);
	return true;
}
