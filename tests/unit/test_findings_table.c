/* SPDX-License-Identifier: Apache-2.0 */
/* The table of findings and docs/findings.md, which is made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/finding.h"
#include "tests/support/page.h"

static void the_page_is_what_the_program_prints(void **state)
{
	(void)state;
	page_check("docs/findings.md", FINDING_MARKDOWN_BEGIN, FINDING_MARKDOWN_END,
	        finding_markdown_write, "squall analyze --explain all --markdown");
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (int i = 0; i < FINDINGS; i++) {
		const struct finding_kind *k = finding_table[i];
		const char *nearest = NULL;

		assert_non_null(k);
		assert_true(strlen(k->name) > 2 && strlen(k->title) > 5);
		assert_true(strlen(k->means) > 25 && strlen(k->detected) > 15);
		assert_true(strlen(k->advice) > 10);
		assert_int_equal(
		        strspn(k->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(k->name));
		assert_ptr_equal(finding_find(k->name, &nearest), k);
		assert_true(k->severity <= FINDING_ERROR);
	}
}

/* Trees have no circles: a cause stands before its effects. What is never a root has causes. */
static void causes_stand_before_effects(void **state)
{
	(void)state;
	for (int i = 0; i < FINDINGS; i++) {
		const struct finding_kind *k = finding_table[i];

		for (const uint8_t *c = k->causes; c && *c != FINDING_NONE; c++)
			if (*c >= i)
				fail_msg("%s has the cause %s, which stands behind it", k->name,
				        *c < FINDINGS ? finding_table[*c]->name : "?");
		if (k->never_root)
			assert_true(k->causes && *k->causes != FINDING_NONE);
	}
}

static void an_unknown_name_has_a_nearest(void **state)
{
	const char *nearest = NULL;

	(void)state;
	assert_null(finding_find("pause-strom", &nearest));
	assert_string_equal(nearest, "pause-storm");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_page_is_what_the_program_prints),
	        cmocka_unit_test(every_row_is_complete),
	        cmocka_unit_test(causes_stand_before_effects),
	        cmocka_unit_test(an_unknown_name_has_a_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
