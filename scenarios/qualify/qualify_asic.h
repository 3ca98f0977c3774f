/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is expected of one switch: its lossless and lossy priorities, its buffer and profiles as
 * scenario keys, and the cases in which it is known to deviate, each with a reason. YAML file,
 * constant after loading.
 */
#ifndef QUALIFY_ASIC_H
#define QUALIFY_ASIC_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "scenarios/yaml_tree.h"

struct scenario_set;

struct qasic_cfg {
	const char *doc;
	int64_t rate_bps;
	int64_t lossless, lossy; /* bit masks */
};

struct qdeviation {
	const char *pattern, *reason; /* of "SUITE.CASE", as by fnmatch */
};

struct qasic {
	struct yaml_doc yaml;
	char *path;
	const char *name;
	struct qasic_cfg cfg;
	const struct yaml_node *keys; /* "scenario", or NULL */
	struct qdeviation *known;
	uint32_t n_known;
	const struct scenario_set *set; /* of the command line: suites follow it */
	uint32_t n_set;
};

NODISCARD int qualify_asic_load(struct qasic **out, const char *path, struct err *e);
NODISCARD int qualify_asic_read(
        struct qasic **out, const char *text, size_t len, const char *path, struct err *e);
void qualify_asic_free(struct qasic *a); /* NULL is fine */

/* The deviation that a case falls under, or NULL. */
const struct qdeviation *qualify_deviation(
        const struct qasic *a, const char *suite, const char *name);

#endif
