/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/put.h"

#include <stdarg.h>

void put(FILE *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vfprintf(f, fmt, ap);
	va_end(ap);
}
