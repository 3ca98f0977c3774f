/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/verdict.h"

#include <stddef.h>
#include <string.h>

const char *verdict_word(enum verdict_status s)
{
	static const char *const word[VERDICT_N_STATUS] = {"pass", "fail", "expected-fail",
	        "unexpected-pass", "invalid", "not-run", "not-applicable"};

	return word[s];
}

const struct verdict_check *verdict_first_failed(const struct verdict_case *c)
{
	for (uint32_t i = 0; i < c->n_checks; i++)
		if (!c->check[i].holds)
			return &c->check[i];
	return NULL;
}

void verdict_count(struct verdict *v)
{
	memset(v->count, 0, sizeof(v->count));
	for (uint32_t i = 0; i < v->n_cases; i++)
		v->count[v->c[i].status]++;
}

bool verdict_is_bad(enum verdict_status s)
{
	return s == VERDICT_FAIL || s == VERDICT_INVALID;
}
