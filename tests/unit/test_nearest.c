/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void distances(void **state)
{
	(void)state;
	assert_int_equal(nearest_distance("kmin", "kmin"), 0);
	assert_int_equal(nearest_distance("kmin", "KMin"), 0);
	assert_int_equal(nearest_distance("kmin", "kmn"), 1);
	assert_int_equal(nearest_distance("kmin", "kmiin"), 1);
	assert_int_equal(nearest_distance("kmin", "kmax"), 2);
	assert_int_equal(nearest_distance("kmin", "kmni"), 1); /* neighbours swapped */
	assert_int_equal(nearest_distance("", "abc"), 3);
	assert_int_equal(nearest_distance("abc", ""), 3);
}

static const char *suggest(const char *want)
{
	static const char *const words[] = {"run", "check", "plan", "explain", "schema"};
	struct nearest n;

	nearest_init(&n, want);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		nearest_offer(&n, words[i]);
	return nearest_get(&n);
}

static void only_what_was_probably_meant(void **state)
{
	struct nearest none;

	(void)state;
	assert_string_equal(suggest("rnu"), "run");
	assert_string_equal(suggest("chekc"), "check");
	assert_string_equal(suggest("explian"), "explain");
	assert_string_equal(suggest("RUN"), "run");
	assert_null(suggest("frobnicate"));
	assert_null(suggest("x"));
	assert_null(suggest(""));
	nearest_init(&none, "run");
	assert_null(nearest_get(&none));
}

static void long_words_stay_in_bounds(void **state)
{
	char a[200], b[300];

	(void)state;
	for (size_t i = 0; i < sizeof(a) - 1; i++)
		a[i] = 'a';
	for (size_t i = 0; i < sizeof(b) - 1; i++)
		b[i] = 'b';
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(nearest_distance(a, b), 64);
	assert_int_equal(nearest_distance(a, ""), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(distances),
	        cmocka_unit_test(only_what_was_probably_meant),
	        cmocka_unit_test(long_words_stay_in_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
