/* SPDX-License-Identifier: Apache-2.0 */
/* What the diagnosis of a capture says, as one line of text to compare. */
#ifndef TESTS_FINDINGS_CHECK_H
#define TESTS_FINDINGS_CHECK_H

#include "tests/support/tracekit.h"

/* Ends the capture, closes the kit, and fails the test where the findings are not these: names
 * in the order of the report, each with "<cause" behind it unless it is a root, a blank between
 * two. "" is none. */
#define findings_are(k, expected) findings_check((k), (expected), __FILE__, __LINE__)
void findings_check(struct tracekit *k, const char *expected, const char *file, int line);

#endif
