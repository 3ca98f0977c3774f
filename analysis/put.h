/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a stream that keeps its error until whoever opened it asks (ferror, fclose). One
 * thread writes a stream: nothing is locked. */
#ifndef ANALYSIS_PUT_H
#define ANALYSIS_PUT_H

#include <stdio.h>

#include "dataplane/base/compiler.h"

void put(FILE *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

static inline void put_text(const char *text, FILE *f)
{
	(void)fputs_unlocked(text, f);
}

static inline void put_char(char c, FILE *f)
{
	(void)putc_unlocked(c, f);
}

static inline void put_bytes(const void *data, size_t len, FILE *f)
{
	(void)fwrite_unlocked(data, 1, len, f);
}

#endif
