/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a case: names under `each` and their values for one switch. One thread. */
#ifndef QUALIFY_EACH_H
#define QUALIFY_EACH_H

#include "scenarios/qualify/qualify_suite.h"

#define QUALIFY_MAX_VALUES 64

/* A suite being read. */
struct qreader {
	struct qsuite *s;
	const struct qasic *asic;
	struct err *e;
};

/* The values of each name of the matrix. */
struct qmatrix {
	struct {
		const char *name;
		const char *value[QUALIFY_MAX_VALUES];
		const char *lacks[QUALIFY_MAX_VALUES]; /* why this switch has no such value, or
		                                          NULL */
		uint32_t n;
	} axis[QUALIFY_MAX_PARAMS];
	uint32_t n;
};

/* Adds the name of n with its values to m. */
NODISCARD int qualify_each_axis(
        struct qreader *r, struct qmatrix *m, const struct yaml_node *n);

#endif
