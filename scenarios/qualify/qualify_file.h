/* SPDX-License-Identifier: Apache-2.0 */
/* What suite and ASIC files have in common. */
#ifndef QUALIFY_FILE_H
#define QUALIFY_FILE_H

#include "scenarios/yaml_tree.h"

/* The root must be a mapping with "KEY: 1". */
NODISCARD int qualify_file_version(
        const struct yaml_node *root, const char *key, const char *path, struct err *e);

/* "scenarios/qualify/pfc.yaml" -> "pfc"; NULL when memory is short. */
const char *qualify_file_name(struct arena *a, const char *path);

#endif
