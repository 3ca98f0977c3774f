/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row per parameter. Each module owns the rows of its own parameters (x_knobs.c) and a
 * plain struct that they fill; the scenario checker, its error messages, --help, `squall
 * explain`, the JSON Schema and docs/scenario.md only read these tables. Every field that a row
 * points at is an int64_t in canonical units (units.h), or a `const char *` for KNOB_TEXT, or
 * eight int64_t for KNOB_EACH_PRIORITY.
 */
#ifndef BASE_KNOB_H
#define BASE_KNOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum knob_type {
	KNOB_BOOL,          /* true/false, on/off, yes/no -> 1/0 */
	KNOB_COUNT,         /* whole number */
	KNOB_TIME,          /* -> ps */
	KNOB_RATE,          /* -> bits per second on the wire */
	KNOB_SIZE,          /* -> bytes */
	KNOB_FRACTION,      /* -> Q32 */
	KNOB_WORD,          /* one of words[] and nothing else */
	KNOB_PRIORITIES,    /* list of 0..7 -> bit mask */
	KNOB_EACH_PRIORITY, /* list of 8 whole numbers -> int64_t[8] */
	KNOB_TEXT,          /* string, e.g. a file name -> const char * */
	KNOB_TABLE, /* list of lists: read by the key's own code (cdf, flows); no field */
};

/* A word that stands for a value: {"auto", -1}. Lists end with {NULL, 0}. Allowed in addition
 * to a quantity for every type; for KNOB_WORD it is the only form. */
struct knob_word {
	const char *word;
	int64_t value;
};

struct knob {
	const char *key; /* relative to the group's path; dots separate levels: "ecn.kmin" */
	enum knob_type type;
	size_t offset;    /* into the group's struct */
	int64_t min, max; /* inclusive, canonical units; not applied to words */
	const char *def;  /* default as one writes it in YAML; NULL: no default, key required */
	const struct knob_word *words;
	const char *doc;    /* one sentence: what it does */
	const char *source; /* paper, standard, vendor that the default comes from */
	const char *note;   /* contradictions between sources and our choice, or NULL */
	bool plain;         /* a number without unit is in canonical units */
	unsigned applies; /* bit mask whose meaning belongs to the group (patterns, topologies);
	                     0: always */
};

struct knob_group {
	const char *path; /* "fabric.switch", "fabric.nic", "workload[]" ... */
	const char *doc;
	const struct knob *rows;
	size_t n_rows;
	size_t struct_bytes; /* of the struct that offsets point into */
};

#define KNOB_ROWS(a) (a), sizeof(a) / sizeof((a)[0])

#endif
