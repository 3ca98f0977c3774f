/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a verdict, with names that nobody would choose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/junit.h"
#include "analysis/markup_text.h"
#include "analysis/verdict_html.h"
#include "analysis/verdict_json.h"

static char *text_of(void (*write)(FILE *f, const struct verdict *v), const struct verdict *v)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	write(f, v);
	assert_int_equal(fclose(f), 0);
	return text;
}

static const struct verdict_check failed = {.rule = "loss",
        .what = "a<b & \"c\"",
        .measured = "5 > 4",
        .expected = "]]> none\x01",
        .holds = false};

static struct verdict_case cases[] = {
        {.suite = "s<1>",
                .name = "n \"1\" & \xff",
                .doc = "<script>",
                .follows = "",
                .reason = "",
                .status = VERDICT_FAIL,
                .check = &failed,
                .n_checks = 1},
        {.suite = "s<1>",
                .name = "two",
                .doc = "",
                .follows = "",
                .reason = "known\nto \xed\xa0\x80 do so",
                .status = VERDICT_EXPECTED_FAIL},
        {.suite = "t",
                .name = "three",
                .doc = "",
                .follows = "",
                .reason = "",
                .status = VERDICT_INVALID,
                .check = &failed,
                .n_checks = 1},
        {.suite = "t",
                .name = "four",
                .doc = "",
                .follows = "",
                .reason = "",
                .status = VERDICT_NOT_RUN},
        {.suite = "t",
                .name = "five",
                .doc = "",
                .follows = "",
                .reason = "",
                .status = VERDICT_PASS},
        {.suite = "t",
                .name = "six",
                .doc = "",
                .follows = "",
                .reason = "needs two",
                .status = VERDICT_NOT_APPLICABLE},
};

static const struct verdict_set sets[] = {
        {"fabric.switch.defect", "xon<missing>"}, {"fabric.switch.buffer", "8\"MiB"}};

static struct verdict sample(void)
{
	struct verdict v = {.suite = "all",
	        .asic = "a&b",
	        .asic_doc = "",
	        .version = "1",
	        .machine = "m",
	        .started = "2026-01-01T00:00:00Z",
	        .set = sets,
	        .n_set = 2,
	        .defect = "xon<missing>",
	        .c = cases,
	        .n_cases = 6};

	verdict_count(&v);
	return v;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

static void junit_counts_and_escapes(void **state)
{
	struct verdict v = sample();
	char *text = text_of(junit_write, &v);

	(void)state;
	has(text, "tests=\"6\" failures=\"1\" errors=\"1\" skipped=\"3\"");
	has(text, "<testsuite name=\"s&lt;1&gt;\" tests=\"2\" failures=\"1\" errors=\"0\" "
	          "skipped=\"1\"");
	has(text, "name=\"n &quot;1&quot; &amp; \xef\xbf\xbd\"");
	has(text, "<failure type=\"fail\" message=\"loss: a&lt;b &amp; &quot;c&quot;: measured "
	          "5 &gt; 4, "
	          "expected ]]&gt; none\xef\xbf\xbd\">");
	has(text, "<skipped message=\"needs two\"/>");
	has(text, "<skipped message=\"known&#10;to \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd do "
	          "so\"/>");
	has(text, "<error type=\"invalid\"");
	has(text, "<property name=\"planted-defect\" value=\"xon&lt;missing&gt;\"/>");
	has(text, "<property name=\"set fabric.switch.buffer\" value=\"8&quot;MiB\"/>");
	has_not(text, "\x01");
	has_not(text, "\xff");
	free(text);
}

static void html_shows_names_as_text(void **state)
{
	struct verdict v = sample();
	char *text = text_of(verdict_html_write, &v);

	(void)state;
	has(text, "&lt;script&gt;");
	has_not(text, "<script>");
	has(text, "a&amp;b");
	has(text, "prefers-color-scheme:dark");
	has(text, "A defect is planted in this switch: xon&lt;missing&gt;");
	has(text, "<code>fabric.switch.buffer=8&quot;MiB</code>");
	has_not(text, "http");
	free(text);
}

static void json_has_no_time_of_day(void **state)
{
	struct verdict v = sample();
	char *text = text_of(verdict_json_write, &v);

	(void)state;
	has(text, "\"count\": {\"pass\": 1, \"fail\": 1, \"expected-fail\": 1, "
	          "\"unexpected-pass\": 0, \"invalid\": 1, \"not-run\": 1, \"not-applicable\": "
	          "1}");
	has(text, "\"defect\": \"xon<missing>\"");
	has(text, "{\"key\": \"fabric.switch.buffer\", \"value\": \"8\\\"MiB\"}");
	has_not(text, "2026");
	free(text);
}

static void markup_keeps_what_is_text(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	/* two, three and four bytes stay; an overlong slash, a surrogate and U+FFFE do not */
	markup_text(f, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|\xc0\xaf|\xef\xbf\xbe|\x7f|'");
	assert_int_equal(fclose(f), 0);
	assert_string_equal(text,
	        "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|\xef\xbf\xbd\xef\xbf\xbd|"
	        "\xef\xbf\xbd|\xef\xbf\xbd|&#39;");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(junit_counts_and_escapes),
	        cmocka_unit_test(html_shows_names_as_text),
	        cmocka_unit_test(json_has_no_time_of_day),
	        cmocka_unit_test(markup_keeps_what_is_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
