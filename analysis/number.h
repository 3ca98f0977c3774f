/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal text that is the same on every machine: fixed point values are printed from integers,
 * without trailing zeros, and never through floating point. Valid in JSON and CSV.
 */
#ifndef ANALYSIS_NUMBER_H
#define ANALYSIS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_LEN 40 /* any of these texts with its terminator */

/* value / 10^decimals, 0 <= decimals <= 9. Returns buf. */
const char *number_fixed(char buf[NUMBER_LEN], int64_t value, int decimals);

/* The same without terminator, to; returns the number of characters, below NUMBER_LEN. */
size_t number_put(char *to, int64_t value, int decimals);

/* The shortest text that reads back as the same double. */
const char *number_double(char buf[NUMBER_LEN], double value);

/* For people: 1234567 -> "1 234 567". */
const char *number_grouped(char buf[NUMBER_LEN], int64_t value);

#endif
