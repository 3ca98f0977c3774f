/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.json: all that report.html shows of one run, already reduced to what a page can hold,
 * whatever the size of the run. A function of scenario and seed alone. report_html.h makes the
 * page of one or several of these. Errors of the stream stay there.
 */
#ifndef ANALYSIS_REPORT_JSON_H
#define ANALYSIS_REPORT_JSON_H

#include <stdio.h>

#include "analysis/run_result.h"
#include "analysis/summary.h"
#include "dataplane/base/err.h"

#define REPORT_FORMAT "squall.report/1"

/* -ENOMEM only. */
NODISCARD int report_json_write(
        FILE *f, const struct run_summary *s, const struct run_result *r, struct err *e);

#endif
