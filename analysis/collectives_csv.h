/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.csv: one line per iteration, and per collective in it. */
#ifndef ANALYSIS_COLLECTIVES_CSV_H
#define ANALYSIS_COLLECTIVES_CSV_H

#include <stdio.h>

#include "analysis/run_result.h"

void collectives_csv_write(FILE *f, const struct run_result *r);

#endif
