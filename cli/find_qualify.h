/* SPDX-License-Identifier: Apache-2.0 */
/* Suites and ASIC files by name: "pfc" is qualify/pfc.yaml of the library. */
#ifndef CLI_FIND_QUALIFY_H
#define CLI_FIND_QUALIFY_H

#include "dataplane/base/err.h"

#define QUALIFY_SUITES "qualify"
#define QUALIFY_ASICS  "qualify/asic"

/* A file as it is, or a name below the library's folder. *out is malloc'd; -EINVAL names the
 * nearest. what: for the message, "suite". */
NODISCARD int find_qualify(
        char **out, const char *below, const char *name, const char *what, struct err *e);

#endif
