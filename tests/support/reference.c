/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *reference_path(char *buf, size_t len, const char *name)
{
	const char *root = getenv("SQUALL_REFERENCE");
	int n;

	if (!root || !*root)
		root = SQUALL_SOURCE_DIR "/../shared/reference";
	n = snprintf(buf, len, "%s/%s", root, name);
	if (n < 0 || (size_t)n >= len || access(buf, R_OK) != 0) {
		printf("skipped: no reference data at %s (set SQUALL_REFERENCE)\n", buf);
		exit(TEST_SKIP);
	}
	return buf;
}
