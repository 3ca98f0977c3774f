/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/expect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/summary_keys.h"

static bool holds(const char *text, const struct run_summary *s)
{
	struct expectation x;
	struct run_expect out;
	struct err e = {0};

	if (expect_parse(&x, text, NULL, &e))
		fail_msg("%s: %s", text, e.msg);
	expect_eval(&out, &x, text, s);
	assert_ptr_equal(out.text, text);
	assert_true(out.has_value || !out.holds);
	return out.holds;
}

static void every_operator(void **state)
{
	static const struct {
		const char *op;
		bool below, equal, above;
	} rows[] = {
	        {"<", true, false, false},
	        {"<=", true, true, false},
	        {">", false, false, true},
	        {">=", false, true, true},
	        {"==", false, true, false},
	        {"!=", true, false, true},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_summary s = {0};

		(void)snprintf(text, sizeof(text), "fct_us.p99 %s 4.16", rows[i].op);
		s.fct_ps.p99 = 4159999;
		assert_int_equal(holds(text, &s), rows[i].below);
		s.fct_ps.p99 = 4160000; /* exactly 4.16 us */
		assert_int_equal(holds(text, &s), rows[i].equal);
		s.fct_ps.p99 = 4160001;
		assert_int_equal(holds(text, &s), rows[i].above);
	}
}

static void forms(void **state)
{
	struct run_summary s = {
	        .drops = 0, .fairness_nano = 999000000, .goodput_bps = 5000000000};

	(void)state;
	assert_true(holds("drops.total==0", &s));
	assert_true(holds("  drops.total\t==  0.0 ", &s));
	assert_true(holds("fairness_jain >= .999", &s));
	assert_true(holds("goodput_bps == 5e9", &s));
	assert_true(holds("goodput_bps>-1", &s));
}

static void null_fails_every_operator(void **state)
{
	static const char *const texts[] = {"slowdown.p50 < 1", "slowdown.p50 > 1",
	        "slowdown.p50 == 0", "slowdown.p50 != 0"};
	struct run_summary s = {.slowdown_micro.p50 = STATS_NULL};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(holds(texts[i], &s));
}

static void errors_carry_the_column(void **state)
{
	static const struct {
		const char *text;
		uint32_t column;
		const char *says;
	} rows[] = {
	        {"", 1, "expected a key"},
	        {"< 5", 1, "expected a key"},
	        {"fct_us.p98 < 1", 1, "nearest is fct_us.p9"},
	        {"  fct_ms.p99 < 1", 3, "nearest is fct_us.p99"},
	        {"zzzzzz < 1", 1, "squall explain"},
	        {"scenario == 1", 1, "is no number"},
	        {"seed == 1", 1, "is no number"},
	        {"expect == 1", 1, "is no number"},
	        {"wall_s < 1", 1, "no key wall_s"},
	        {"fct_us.p99", 11, "expected one of"},
	        {"fct_us.p99 = 3", 12, "expected one of"},
	        {"fct_us.p99 << 3", 13, "expected a number"},
	        {"fct_us.p99 < ", 14, "expected a number"},
	        {"fct_us.p99 < x", 14, "expected a number"},
	        {"fct_us.p99 < 4500us", 18, "unit is part of the key"},
	        {"fct_us.p99 < 4 5", 16, "unit is part of the key"},
	        {"fct_us.p99 < nan", 14, "expected a number"},
	        {"fct_us.p99 < inf", 14, "expected a number"},
	        {"fct_us.p99 < 0x10", 14, "expected a number"},
	        {"fct_us.p99 < 1e999", 14, "expected a number"},
	        {"fct_us.p99 < --1", 14, "expected a number"},
	        {"fct_us.p99 < 1.2.3", 14, "expected a number"},
	        {"fct_us.p99 < -", 14, "expected a number"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct expectation x;
		struct err e = {0};
		uint32_t column = 0;
		char prefix[32];

		assert_int_equal(expect_parse(&x, rows[i].text, &column, &e), -EINVAL);
		(void)snprintf(prefix, sizeof(prefix), "column %u: ", rows[i].column);
		if (column != rows[i].column || strncmp(e.msg, prefix, strlen(prefix)) ||
		        !strstr(e.msg, rows[i].says))
			fail_msg("\"%s\" gave column %u: %s", rows[i].text, column, e.msg);
	}
}

static void every_numeric_key_can_be_compared(void **state)
{
	struct run_summary s;
	size_t n = 0;
	char text[128];

	(void)state;
	memset(&s, 0, sizeof(s));
	for (size_t i = 0; i < n_summary_keys; i++) {
		if (summary_keys[i].file != RESULT_SUMMARY ||
		        !summary_key_is_number(&summary_keys[i]))
			continue;
		(void)snprintf(text, sizeof(text), "%s == 0", summary_keys[i].key);
		assert_true(holds(text, &s));
		n++;
	}
	assert_true(n > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_operator),
	        cmocka_unit_test(forms),
	        cmocka_unit_test(null_fails_every_operator),
	        cmocka_unit_test(errors_carry_the_column),
	        cmocka_unit_test(every_numeric_key_can_be_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
