/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders are free for results: new ones, empty ones and our own; no name leads out. */
#include "analysis/result_folder.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OURS    "{\"format\": \"squall.run/1\", \"seed\": 1}"
#define VERDICT "{\"format\": \"squall.verdict/1\"}"
#define REPORT  "{\"format\": \"squall.report/1\"}"

static int setup(void **state)
{
	char pattern[] = "/tmp/squall-test-XXXXXX";

	*state = mkdtemp(pattern) ? strdup(pattern) : NULL;
	return *state ? 0 : -1;
}

static int discard(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	(void)nftw(*state, discard, 8, FTW_DEPTH | FTW_PHYS); /* left in /tmp at worst */
	free(*state);
	return 0;
}

static const char *in(const char *dir, const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	FILE *f = fopen(in(dir, name), "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void is_free(const char *dir, enum result_kind kind)
{
	struct err e = {0};

	if (result_folder_check(dir, kind, &e))
		fail_msg("%s", e.msg);
}

static void is_refused(const char *dir, enum result_kind kind, const char *a, const char *b)
{
	struct err e = {0};

	assert_int_equal(result_folder_check(dir, kind, &e), -EINVAL);
	if (!strstr(e.msg, a) || !strstr(e.msg, b) || !strstr(e.msg, "choose another --out"))
		fail_msg("no \"%s\" and \"%s\" in: %s", a, b, e.msg);
}

static void new_and_empty_folders(void **state)
{
	is_free(in(*state, "new/below"), RESULTS_OF_RUN);
	is_free(*state, RESULTS_OF_RUN);
	is_free(*state, RESULTS_OF_QUALIFY);
	put_file(*state, "notes.txt", "mine");
	put_file(*state, "workload-.csv", "mine");
	put_file(*state, "workload-1x.csv", "mine");
	put_file(*state, "report.html.old", "mine");
	is_free(*state, RESULTS_OF_RUN);
	is_free(*state, RESULTS_OF_QUALIFY);
}

/* Every name of the table alone, in a folder that is not ours. */
static void each_name_is_guarded(void **state)
{
	char name[RESULT_NAME_BYTES];

	for (int i = 0; i < RESULT_NAMES; i++) {
		const enum result_name f = (enum result_name)i;
		const char *text = result_name(f);

		if (strchr(text, '#'))
			text = result_name_numbered(name, f, 17);
		put_file(*state, text, "mine");
		assert_true(result_name_is(RESULTS_OF_RUN, text) ||
		            result_name_is(RESULTS_OF_QUALIFY, text));
		if (result_name_is(RESULTS_OF_RUN, text))
			is_refused(*state, RESULTS_OF_RUN, text, "summary.json");
		else
			is_free(*state, RESULTS_OF_RUN);
		if (result_name_is(RESULTS_OF_QUALIFY, text))
			is_refused(*state, RESULTS_OF_QUALIFY, text, "");
		else
			is_free(*state, RESULTS_OF_QUALIFY);
		assert_int_equal(unlink(in(*state, text)), 0);
	}
}

static void our_own(void **state)
{
	put_file(*state, "summary.json", OURS);
	put_file(*state, "messages.csv", "");
	put_file(*state, "schedule-0.goal", "");
	put_file(*state, "report.html", "");
	is_free(*state, RESULTS_OF_RUN);
	is_refused(
	        *state, RESULTS_OF_QUALIFY, "report.html", "no verdict.json of this program");
	is_refused(*state, RESULTS_PAGE, "report.html", "no report.json of this program");
	put_file(*state, "report.json", REPORT);
	is_free(*state, RESULTS_PAGE);
	put_file(*state, "verdict.json", VERDICT);
	is_free(*state, RESULTS_OF_QUALIFY);
}

static void a_mark_of_somebody_else(void **state)
{
	static const char *const text[] = {"", "mine", "{}", "[]", "{\"format\": 1}",
	        "{\"format\": \"other.run/1\"}", "{\"format\": \"squall.runner/1\"}",
	        "{\"format\": \"squall.run\"}", VERDICT, OURS "x",
	        "{\"format\": \"squall.run/1\""};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		put_file(*state, "summary.json", text[i]);
		is_refused(*state, RESULTS_OF_RUN, "summary.json", "not of this program");
	}
	put_file(*state, "summary.json", "{\"format\": \"squall.run/2\"}");
	is_free(*state, RESULTS_OF_RUN);
}

static void no_link_is_followed(void **state)
{
	put_file(*state, "elsewhere", OURS);
	assert_int_equal(symlink("elsewhere", in(*state, "summary.json")), 0);
	is_refused(*state, RESULTS_OF_RUN, "summary.json", "symbolic link");
	assert_int_equal(unlink(in(*state, "summary.json")), 0);
	put_file(*state, "summary.json", OURS);
	is_free(*state, RESULTS_OF_RUN);
	assert_int_equal(symlink("nowhere", in(*state, "series.csv")), 0);
	is_refused(*state, RESULTS_OF_RUN, "series.csv", "symbolic link");
	assert_int_equal(unlink(in(*state, "series.csv")), 0);
	assert_int_equal(mkdir(in(*state, "series.csv"), 0777), 0);
	is_refused(*state, RESULTS_OF_RUN, "series.csv", "no regular file");
	put_file(*state, "verdict.json", VERDICT);
	assert_int_equal(symlink("/tmp", in(*state, "evidence")), 0);
	is_refused(*state, RESULTS_OF_QUALIFY, "evidence", "symbolic link");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH(new_and_empty_folders),
	        WITH(each_name_is_guarded),
	        WITH(our_own),
	        WITH(a_mark_of_somebody_else),
	        WITH(no_link_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
