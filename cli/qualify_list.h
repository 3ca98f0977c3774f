/* SPDX-License-Identifier: Apache-2.0 */
/* What squall qualify prints: the list of suites and cases, and the summary of a run. */
#ifndef CLI_QUALIFY_LIST_H
#define CLI_QUALIFY_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/verdict.h"
#include "scenarios/qualify/qualify_suite.h"

/* Suites with their cases; as Markdown with the keys and the rules too. */
NODISCARD int qualify_list(
        FILE *f, struct qsuite *const *suite, uint32_t n_suites, bool markdown, struct err *e);

/* Counts, and each case that is not a plain pass with what went wrong. */
void qualify_summary(FILE *f, const struct verdict *v, const char *out);

#endif
