/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap); /* a long message may be cut */
	va_end(ap);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t n;

	if (!e)
		return -1;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	(void)snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", old);
	return e->code;
}
