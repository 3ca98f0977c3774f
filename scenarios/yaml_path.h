/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and puts nodes of a tree by path: "fabric.switch.ecn.kmin", "workload[0].senders". */
#ifndef SCENARIO_YAML_PATH_H
#define SCENARIO_YAML_PATH_H

#include "scenarios/yaml_tree.h"

/* NULL if it is not there. */
struct yaml_node *yaml_find(const struct yaml_node *root, const char *path);

/*
 * Puts value there, making the mappings on the way (a list's entries must exist); d->root is
 * made too. A mapping is merged key by key into one that is there. What has a higher rank
 * stays. Messages begin with value->at.
 */
NODISCARD int yaml_put(
        struct yaml_doc *d, const char *path, struct yaml_node *value, struct err *e);

/* "workload[12].senders" -> "workload[].senders"; false if it does not fit or is not a path. */
bool yaml_path_generic(char *out, size_t len, const char *path);

#endif
