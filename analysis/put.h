/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a stream that keeps its error until whoever opened it asks (ferror, fclose). */
#ifndef ANALYSIS_PUT_H
#define ANALYSIS_PUT_H

#include <stdio.h>

#include "dataplane/base/compiler.h"

void put(FILE *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline void put_text(const char *text, FILE *f)
{
	(void)fputs(text, f);
}

static inline void put_char(char c, FILE *f)
{
	(void)fputc(c, f);
}

#endif
