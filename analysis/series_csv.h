/* SPDX-License-Identifier: Apache-2.0 */
/* series.csv: the time line, one line per interval. Errors stay in the stream. */
#ifndef ANALYSIS_SERIES_CSV_H
#define ANALYSIS_SERIES_CSV_H

#include <stdio.h>

#include "dataplane/base/record.h"

void series_csv_write(FILE *f, const struct run_record *r);

#endif
