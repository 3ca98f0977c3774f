/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/err.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fills_code_and_message(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(err_set(&e, -EINVAL, "%s: %d is not prime", "n", 9), -EINVAL);
	assert_int_equal(e.code, -EINVAL);
	assert_string_equal(e.msg, "n: 9 is not prime");
}

static void null_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, -ENOMEM, "no room"), -ENOMEM);
	assert_true(err_prefix(NULL, "a.yaml") < 0);
}

static void prefix_keeps_code_and_nests(void **state)
{
	struct err e = {0};

	(void)state;
	(void)err_set(&e, -EINVAL, "bad value");
	assert_int_equal(err_prefix(&e, "line %d", 7), -EINVAL);
	assert_int_equal(err_prefix(&e, "%s", "a.yaml"), -EINVAL);
	assert_string_equal(e.msg, "a.yaml: line 7: bad value");
}

static void long_messages_are_cut_and_terminated(void **state)
{
	static char huge[4 * sizeof(((struct err *)0)->msg)];
	struct err e;

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	(void)err_set(&e, -EINVAL, "%s", huge);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	(void)err_prefix(&e, "front");
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_memory_equal(e.msg, "front: xxx", 10);
	(void)err_prefix(&e, "%s", huge);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fills_code_and_message),
	        cmocka_unit_test(null_is_allowed),
	        cmocka_unit_test(prefix_keeps_code_and_nests),
	        cmocka_unit_test(long_messages_are_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
