/* SPDX-License-Identifier: Apache-2.0 */
/* report.html of a qualification: one file that needs nothing else, light and dark, for a phone
 * too. */
#ifndef ANALYSIS_VERDICT_HTML_H
#define ANALYSIS_VERDICT_HTML_H

#include <stdio.h>

#include "analysis/verdict.h"

/* Errors stay in the stream. */
void verdict_html_write(FILE *f, const struct verdict *v);

#endif
