/* SPDX-License-Identifier: Apache-2.0 */
/* Results without memory: each allocation fails once, the error says so, nothing leaks (the
 * sanitizer build is the judge). */
#include "analysis/summary.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/out_file.h"
#include "tests/support/record_sample.h"

static int left = -1; /* allocations until one fails; negative: never */

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);

static bool fails_now(void)
{
	return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails_now() ? NULL : __real_malloc(n);
}

char *__wrap_strdup(const char *s)
{
	return fails_now() ? NULL : __real_strdup(s);
}

static void summary(void **state)
{
	struct run_record *rec = record_sample();
	struct run_result r = record_sample_result(rec);
	struct run_summary s;
	struct err e = {0};
	int n = 0, code;

	(void)state;
	do {
		left = n++;
		code = summary_init(&s, &r, &e);
		left = -1;
		if (code) {
			assert_int_equal(code, -ENOMEM);
			assert_non_null(strstr(e.msg, "out of memory"));
		}
	} while (code);
	assert_int_equal(n, 4); /* scratch, and two of the fairness index, failed once each */
	run_record_free(rec);
}

static void files(void **state)
{
	struct out_set set;
	struct err e = {0};
	FILE *f;

	(void)state;
	left = 0;
	assert_int_equal(out_folder("/tmp", &e), -ENOMEM);
	left = 0;
	assert_int_equal(out_folder_check("/tmp", &e), -ENOMEM);
	out_set_init(&set);
	left = 0;
	assert_int_equal(out_set_add(&set, &f, "/tmp/squall-test-alloc", &e), -ENOMEM);
	left = -1;
	out_set_abort(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(summary),
	        cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
