/* SPDX-License-Identifier: Apache-2.0 */
/* faults.csv: what each fault of the scenario did. */
#ifndef ANALYSIS_FAULTS_CSV_H
#define ANALYSIS_FAULTS_CSV_H

#include <stdio.h>

#include "analysis/run_result.h"

void faults_csv_write(FILE *f, const struct run_result *r);

#endif
