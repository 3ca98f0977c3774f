/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the shipped suites against the simulated switch with a planted defect and compares the
 * set of cases that fail with the one expected. Of each case the last combination is run.
 */
#ifndef TESTS_QUALIFY_MATRIX_H
#define TESTS_QUALIFY_MATRIX_H

#include <stddef.h>

struct planted {
	const char *defect; /* a word of fabric.switch.defect */
	const char *fails;  /* "SUITE.CASE ..." in the order of the suites */
};

/* Fails the calling test with both lists where they differ. */
void qualify_matrix(const struct planted *p, size_t n);

/* All that can be planted. */
enum { PLANTED_PAUSES, PLANTED_SENDING, PLANTED_WATCHDOG, PLANTED_N };

struct planted_group {
	const struct planted *p;
	size_t n;
};

extern const struct planted_group planted_groups[PLANTED_N];

/* Every case of every suite is failed by one of them, and every word of fabric.switch.defect
 * but none is among them. */
void qualify_matrix_is_whole(void);

#endif
