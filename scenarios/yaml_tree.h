/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML document as a small tree that remembers where each value was written: in a file (line
 * and column), in --set, in a preset. Nodes and texts live in the document's arena. Any bytes
 * are safe to read: size, depth and number of nodes are bounded. One thread.
 */
#ifndef SCENARIO_YAML_TREE_H
#define SCENARIO_YAML_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "scenarios/arena.h"

#define YAML_MAX_BYTES ((size_t)16 << 20)
#define YAML_MAX_DEPTH 32
#define YAML_MAX_NODES 200000u
#define YAML_MAX_KEYS  1000u /* of one mapping */

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

/* Who wrote a value; a higher rank replaces a lower one. */
enum yaml_rank { YAML_PRESET, YAML_FILE, YAML_SET };

struct yaml_where {
	const char *name;      /* the file, or the whole place: "--set seed=2" */
	uint32_t line, column; /* from 1; line 0: name says it all */
};

struct yaml_node {
	enum yaml_kind kind;
	enum yaml_rank rank;
	bool quoted;      /* scalars */
	const char *text; /* scalars */
	const char *key;  /* in a mapping */
	struct yaml_where at, key_at;
	struct yaml_node *first, *last, *next;
	uint32_t n_children;
};

struct yaml_doc {
	struct arena arena;
	struct yaml_node *root; /* NULL when the text holds no value */
	uint32_t n_nodes;
};

/* Adds the one value that text holds; name (kept, not copied) goes into positions. A text
 * without any value gives *out NULL. -EINVAL with NAME:LINE:COLUMN. */
NODISCARD int yaml_read(struct yaml_doc *d, struct yaml_node **out, const char *text,
        size_t len, const char *name, struct err *e);

/* The same for one value from outside a file: `where` alone is the position of every node. */
NODISCARD int yaml_read_value(struct yaml_doc *d, struct yaml_node **out, const char *text,
        const char *where, enum yaml_rank rank, struct err *e);

NODISCARD struct yaml_node *yaml_new(struct yaml_doc *d, enum yaml_kind kind,
        const struct yaml_where *at, enum yaml_rank rank);
NODISCARD int yaml_append(struct yaml_node *parent, struct yaml_node *child, struct err *e);
struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
struct yaml_node *yaml_at(const struct yaml_node *list, uint32_t index);

/* Replaces a child in place. */
void yaml_replace(struct yaml_node *parent, struct yaml_node *old, struct yaml_node *now);

void yaml_fini(struct yaml_doc *d);

/* "FILE:LINE:COLUMN: " before a message; -EINVAL. */
int yaml_err(struct err *e, const struct yaml_where *at, const char *fmt, ...)
        PRINTF_LIKE(3, 4);
int yaml_err_prefix(struct err *e, const struct yaml_where *at);

/* Text from outside, fit for a message: control characters replaced, cut when long. */
#define YAML_SHOWN_BYTES 64
const char *yaml_shown(char buf[YAML_SHOWN_BYTES], const char *text);

#endif
