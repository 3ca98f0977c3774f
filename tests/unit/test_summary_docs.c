/* SPDX-License-Identifier: Apache-2.0 */
/* docs/results.md holds the table of keys as the program prints it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/summary_schema.h"
#include "tests/support/page.h"

static void the_page_is_what_the_program_prints(void **state)
{
	(void)state;
	page_check("docs/results.md", SUMMARY_MARKDOWN_BEGIN, SUMMARY_MARKDOWN_END,
	        summary_markdown_write, "squall explain --results --markdown");
}

static void every_key_is_in_the_table(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	assert_non_null(f);
	summary_markdown_write(f);
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < n_summary_keys; i++) {
		struct key_place p = summary_key_place(i);
		char start[80];

		/* A distribution is one row for its nine keys: `fct_us.{min,... */
		(void)snprintf(start, sizeof(start), "| `%s`", summary_keys[i].key);
		if (strstr(text, start))
			continue;
		(void)snprintf(
		        start, sizeof(start), "| `%.*s.{", p.group_len, summary_keys[i].key);
		if (!p.group_len || !strstr(text, start))
			fail_msg("%s is not in the table", summary_keys[i].key);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_page_is_what_the_program_prints),
	        cmocka_unit_test(every_key_is_in_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
