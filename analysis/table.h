/* SPDX-License-Identifier: Apache-2.0 */
/* The short table that a person reads after a run. Errors stay in the stream. */
#ifndef ANALYSIS_TABLE_H
#define ANALYSIS_TABLE_H

#include <stdio.h>

#include "analysis/run_result.h"
#include "analysis/summary.h"

void table_write(FILE *f, const struct run_summary *s, const struct run_result *r);

#endif
