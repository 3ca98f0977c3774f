/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that the schema of the analysis is written from. */
#ifndef TRACE_SCHEMA_INT_H
#define TRACE_SCHEMA_INT_H

#include <stdbool.h>
#include <stddef.h>

enum schema_kind {
	SCHEMA_WHOLE,
	SCHEMA_NUMBER,
	SCHEMA_TEXT,
	SCHEMA_FLAG,
	SCHEMA_WORD,    /* one of the words of `of`, parted by | */
	SCHEMA_OBJECT,  /* `of` names it */
	SCHEMA_LIST,    /* of such objects */
	SCHEMA_WHOLES,  /* by priority: eight, null where unknown */
	SCHEMA_FIGURES, /* whole numbers by names that are not fixed */
};

enum schema_flags {
	SCHEMA_NULL = 1,     /* may be null: unknown */
	SCHEMA_OPTIONAL = 2, /* may be absent */
};

struct schema_member {
	const char *name;
	enum schema_kind kind;
	unsigned flags;
	const char *of, *doc;
};

struct schema_object {
	const char *name;
	const struct schema_member *member;
	size_t n_members;
	bool has_counts; /* and those of "counts" */
};

extern const struct schema_object trace_schema_objects[]; /* the first is the document */
extern const size_t n_trace_schema_objects;

#endif
