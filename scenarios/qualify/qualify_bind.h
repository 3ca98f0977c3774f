/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of a suite file through knob rows, with the values of the case's matrix put in for
 * ${name}. Messages have the position, what was expected and the nearest key, as those of a
 * scenario. One thread.
 */
#ifndef QUALIFY_BIND_H
#define QUALIFY_BIND_H

#include "dataplane/base/knob.h"
#include "scenarios/yaml_tree.h"

#define QUALIFY_MAX_PARAMS 6

struct qtimes;
struct qfacts;

/* One combination of a matrix. Texts live in the arena. */
struct qscope {
	struct {
		const char *name, *value;
	} param[QUALIFY_MAX_PARAMS];
	uint32_t n_params;
	const struct qtimes *times; /* of the suite, or NULL */
	const struct qfacts *facts; /* of the switch, or NULL */
	const char *cable;          /* of the case, where it has its own; or NULL */
	int64_t rate_bps;           /* for bytes(); 0: that of the facts */
	struct arena *arena;
};

/* The scalar's text with each ${name} replaced, and what bytes(TIME) and weights(PRIORITY=N
 * ...) stand for; NULL with the message in e, whose code is QUALIFY_LACKS where this switch has
 * no value for a name. */
const char *qualify_text(const struct qscope *s, const struct yaml_node *scalar, struct err *e);

/* Any value as flow YAML, replaced likewise; NULL with the message in e. */
const char *qualify_yaml(const struct qscope *s, const struct yaml_node *n, struct err *e);

/* Defaults, then the mapping's keys, then what must not be missing. `others` (NULL at the end,
 * or NULL) are keys that the caller reads itself. */
NODISCARD int qualify_bind(const struct qscope *s, const struct yaml_node *map,
        const struct knob_group *g, void *base, const char *const *others, struct err *e);

/* "0 3 4" -> [0, 3, 4], each at most max; -EINVAL at `at` with the key's name. */
NODISCARD int qualify_numbers(int64_t *out, uint32_t *n, uint32_t room, const char *text,
        int64_t max, const struct yaml_node *at, const char *key, struct err *e);

#endif
