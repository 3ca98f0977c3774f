/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs side by side for a person: the key figures of both and what changed. Errors stay in
 * the stream.
 */
#ifndef ANALYSIS_DIFFERENCE_H
#define ANALYSIS_DIFFERENCE_H

#include <stdio.h>

#include "analysis/summary.h"

void difference_write(FILE *f, const struct run_summary *base, const struct run_summary *other,
        const char *base_name, const char *other_name);

#endif
