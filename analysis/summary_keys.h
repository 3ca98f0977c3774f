/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of result keys: each key of summary.json and run.json with its type, unit,
 * definition and null rule. The writer, the JSON Schema, expectations, `squall explain` and
 * docs/results.md only read it. Rows stand in the order of the files.
 */
#ifndef ANALYSIS_SUMMARY_KEYS_H
#define ANALYSIS_SUMMARY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/summary.h"

enum result_file { RESULT_SUMMARY, RESULT_RUN, RESULT_FILES };

enum key_type {
	KEY_WHOLE,   /* int64_t as it is */
	KEY_MICRO,   /* int64_t in millionths, printed with up to 6 decimals */
	KEY_NANO,    /* int64_t in 1e-9, printed with up to 9 decimals */
	KEY_SEED,    /* uint64_t */
	KEY_TEXT,    /* const char * */
	KEY_REASONS, /* run_result.tainted */
	KEY_EXPECTS, /* run_result.expect */
};

struct summary_key {
	enum result_file file;
	enum key_type type;
	const char *key;       /* dots separate levels */
	size_t offset;         /* into struct run_summary; unused by the last two types */
	const char *unit;      /* NULL: text */
	const char *null_rule; /* NULL: never null */
	const char *doc;       /* definition */
};

extern const struct summary_key summary_keys[];
extern const size_t n_summary_keys;

/* "summary.json", "run.json" */
extern const char *const result_file_name[RESULT_FILES];

/* The row of a key of summary.json, or NULL; then *nearest is what was probably meant or NULL.
 */
const struct summary_key *summary_key_find(const char *key, const char **nearest);

/* True for keys that hold one number, which expectations can compare. */
bool summary_key_is_number(const struct summary_key *k);

/* The raw integer of a numeric key, STATS_NULL when it is null; not for KEY_SEED. */
int64_t summary_key_raw(const struct summary_key *k, const struct run_summary *s);

/* Where a row stands in the nested document: keys of one group are neighbours. */
struct key_place {
	const char *name; /* without its group */
	int group_len;    /* of the key's first level; 0: at the top */
	bool opens_group, closes_group, ends_file;
};
struct key_place summary_key_place(size_t row);

/* Decimals of a numeric type: 0, 6 or 9. */
int summary_key_decimals(const struct summary_key *k);

#endif
