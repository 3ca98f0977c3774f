/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_group.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct scratch scratch;

int scratch_set_up(void **state)
{
	(void)state;
	scratch_open(&scratch);
	return 0;
}

int scratch_tear_down(void **state)
{
	(void)state;
	scratch_close(&scratch);
	return 0;
}

struct scenario *scenario_taken(const char *text, const char *const set[])
{
	struct scenario *s;
	struct err e = {0};

	if (scenario_from_text(&s, &scratch, text, set, &e))
		fail_msg("%s", e.msg);
	return s;
}

void scenario_refused(const char *text, const char *const set[], const char *message)
{
	struct scenario *s;
	struct err e = {0};
	const char *found;

	if (!scenario_from_text(&s, &scratch, text, set, &e))
		fail_msg("accepted, expected \"%s\"\n%s", message, text);
	assert_null(s);
	assert_int_equal(e.code, -EINVAL);
	found = strstr(e.msg, message);
	if (!found)
		fail_msg("\"%s\"\ndoes not hold \"%s\"", e.msg, message);
	if (!strncmp(message, "s.yaml:", 7)) {
		assert_true(found - e.msg > (ptrdiff_t)strlen(scratch.dir));
		assert_memory_equal(
		        found - 1 - strlen(scratch.dir), scratch.dir, strlen(scratch.dir));
	}
	if (!strncmp(message, "--", 2))
		assert_ptr_equal(found, e.msg);
}
