/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The developers' reference data: $SQUALL_REFERENCE, else ../shared/reference beside the
 * repository. It is not part of the project, so a test that needs it skips where it is absent.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stddef.h>

#define TEST_SKIP 77 /* exit status that ctest counts as skipped */

/* Writes the path of `name` (such as "peer-sim/cases") inside the reference and returns buf; if
 * it is not there, says so on stdout and exits with TEST_SKIP. Call it before any cmocka test
 * runs. */
const char *reference_path(char *buf, size_t len, const char *name);

#endif
