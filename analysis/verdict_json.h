/* SPDX-License-Identifier: Apache-2.0 */
/* verdict.json: all of a qualification run for programs. A function of suite and switch alone:
 * no wall time, no machine. */
#ifndef ANALYSIS_VERDICT_JSON_H
#define ANALYSIS_VERDICT_JSON_H

#include <stdio.h>

#include "analysis/verdict.h"

/* Errors stay in the stream. */
void verdict_json_write(FILE *f, const struct verdict *v);

/* One case with its events: the evidence. */
void verdict_json_case(FILE *f, const struct verdict_case *c);

#endif
