/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a CSV of integers, assembled without printf: a run may have millions of them. */
#ifndef ANALYSIS_CSV_LINE_H
#define ANALYSIS_CSV_LINE_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/number.h"

#define CSV_COLUMNS_MAX 24

struct csv_line {
	size_t len;
	uint32_t columns;
	char text[CSV_COLUMNS_MAX * (NUMBER_LEN + 1) + 1];
};

void csv_whole(struct csv_line *l, int64_t value);
void csv_fixed(struct csv_line *l, int64_t value, int decimals); /* STATS_NULL: empty */
void csv_word(struct csv_line *l, const char *word);             /* short, no comma or quote */
void csv_end(struct csv_line *l, FILE *f);                       /* writes and clears */

#endif
