/* SPDX-License-Identifier: Apache-2.0 */
/* squall run --what-if KEY=VALUE: a scenario as it is and with some keys changed, side by side.
 */
#ifndef CLI_WHAT_IF_H
#define CLI_WHAT_IF_H

#include "cli/run_args.h"

/* KEY=VALUE of the command line, which is cut at the equals sign. */
NODISCARD int what_if_add(struct run_args *a, char *arg, struct err *e);

/* out: the folder of both, for base/, what-if/ and report.html. */
enum cli_exit what_if_run(struct run_args *a, const struct scenario *base, const char *out);

#endif
