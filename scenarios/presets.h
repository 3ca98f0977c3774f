/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Presets: named sets of documented keys and nothing else. A preset is applied below the keys
 * that the file sets itself; only the table in presets.c knows the names.
 */
#ifndef SCENARIO_PRESETS_H
#define SCENARIO_PRESETS_H

#include "dataplane/base/err.h"

struct preset_value {
	const char *key;   /* full path: "fabric.nic.dcqcn.rpg_ai_rate" */
	const char *value; /* as one writes it in YAML */
};

struct preset {
	const char *name;
	const char *doc; /* one sentence: what it stands for, and its source */
	const struct preset_value *values; /* {NULL, NULL} at the end */
};

extern const struct preset preset_connectx, preset_paper, preset_hpcc;

extern const struct preset *const presets[]; /* NULL at the end */

/* By name, or NULL. */
const struct preset *preset_find(const char *name);

/* -EINVAL with the names that there are. */
int preset_unknown(const char *name, struct err *e);

#endif
