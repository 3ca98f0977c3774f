/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of a qualification: verdict.json, junit.xml and report.html, and for each case
 * evidence/SUITE.CASE.json and the scenario that repeats it alone. All of them appear
 * together or none does.
 */
#ifndef QUALIFY_WRITE_H
#define QUALIFY_WRITE_H

#include "scenarios/qualify/qualify_run.h"

/* Whether the folder can be made and is free, or that of an earlier qualification. */
NODISCARD int qualify_write_check(const char *dir, struct err *e);

NODISCARD int qualify_write(const struct qualify_result *res, const struct qualify_options *opt,
        const char *dir, struct err *e);

#endif
