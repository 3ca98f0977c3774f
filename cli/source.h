/* SPDX-License-Identifier: Apache-2.0 */
/* Where a command takes its scenario from: the options that run, check and plan share. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"

struct source {
	struct err *err;   /* set by the command before parsing */
	const char **path; /* scenario files, or what --import reads */
	uint32_t n_path;
	const char *import;       /* format, or NULL */
	struct scenario_set *set; /* borrows from argv */
	uint32_t n_set;
	bool has_seed, quiet;
	uint64_t seed;
};

extern const struct argp source_argp; /* a child; its input is the struct source */

/* Exactly one path, found as find_scenario.h says, loaded or imported. Notes of an import go to
 * stderr unless quiet. */
NODISCARD int source_load(struct scenario **out, const struct source *s, struct err *e);

/* The same for one of several. */
NODISCARD int source_load_path(
        struct scenario **out, const struct source *s, const char *path, struct err *e);

/* As --set key=value after all others; borrows both. */
NODISCARD int source_set(struct source *s, const char *key, const char *value, struct err *e);

void source_fini(struct source *s);

#endif
