/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expectations: KEY OPERATOR NUMBER over the keys of summary.json, such as "fct_us.p99 < 4500".
 * Operators: < <= > >= == !=. A key that is null in a run makes its expectation fail.
 */
#ifndef ANALYSIS_EXPECT_H
#define ANALYSIS_EXPECT_H

#include <stdint.h>

#include "analysis/run_result.h"
#include "analysis/summary.h"
#include "dataplane/base/err.h"

struct summary_key;

enum expect_op { EXPECT_LT, EXPECT_LE, EXPECT_GT, EXPECT_GE, EXPECT_EQ, EXPECT_NE };

struct expectation {
	const struct summary_key *key;
	enum expect_op op;
	double bound;
};

/* -EINVAL: the message names the column (1-based, in text), which *column also gives if it is
 * not NULL, what was expected and the nearest valid key. */
NODISCARD int expect_parse(
        struct expectation *x, const char *text, uint32_t *column, struct err *e);

/* Fills out->{text, holds, has_value, value}; the text is borrowed. */
void expect_eval(struct run_expect *out, const struct expectation *x, const char *text,
        const struct run_summary *s);

#endif
