/* SPDX-License-Identifier: Apache-2.0 */
/* The report.json of a result folder, for report_html.h. Anything may stand in such a file. */
#ifndef ANALYSIS_REPORT_READ_H
#define ANALYSIS_REPORT_READ_H

#include "analysis/report_html.h"
#include "dataplane/base/err.h"

#define REPORT_MAX_BYTES (16u << 20) /* ten times what a run writes */

/* Reads and checks DIR/report.json; out->json is malloc'd, out->name is left alone. -EINVAL
 * with the place of what is wrong and what to do. */
NODISCARD int report_read(struct report_run *out, const char *dir, struct err *e);

#endif
