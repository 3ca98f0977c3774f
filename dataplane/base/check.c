/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/check.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *what, const char *file, int line)
{
	(void)fprintf(
	        stderr, "squall: internal error: %s does not hold (%s:%d)\n", what, file, line);
	abort();
}
