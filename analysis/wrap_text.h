/* SPDX-License-Identifier: Apache-2.0 */
/* Text broken at spaces so that it fits the terminal. Owns nothing. */
#ifndef ANALYSIS_WRAP_TEXT_H
#define ANALYSIS_WRAP_TEXT_H

#include <stdio.h>

/* Columns of the terminal that f writes to, at least 60; 100 where it is none. */
int wrap_columns(FILE *f);

/* Writes text and a line end. The first line begins at column `at`, where f stands already,
 * further ones are indented by `indent`; a word that is too long for a line stands alone. */
void wrap_text(FILE *f, const char *text, int at, int indent, int columns);

#endif
