/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/out_file.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int setup(void **state)
{
	char pattern[] = "/tmp/squall-test-XXXXXX";

	*state = mkdtemp(pattern) ? strdup(pattern) : NULL;
	return *state ? 0 : -1;
}

static const char *in(const char *dir, const char *name)
{
	static char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static unsigned count_files(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static int teardown(void **state)
{
	DIR *d = opendir(*state);

	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (e->d_name[0] != '.' && unlink(in(*state, e->d_name)))
			(void)rmdir(in(*state, e->d_name)); /* left behind in /tmp at worst */
	if (d)
		closedir(d);
	(void)rmdir(*state);
	free(*state);
	return 0;
}

static void assert_content(const char *path, const char *want)
{
	char buf[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(buf, 1, sizeof(buf) - 1, f) > 0);
	fclose(f);
	assert_string_equal(buf, want);
}

static void write_pair(const char *dir, const char *text, bool commit)
{
	struct out_set s;
	struct err e = {0};
	FILE *f;

	out_set_init(&s);
	assert_int_equal(out_set_add(&s, &f, in(dir, "a"), &e), 0);
	fputs(text, f);
	assert_int_equal(out_set_add(&s, &f, in(dir, "b"), &e), 0);
	fputs(text, f);
	assert_int_equal(out_set_flush(&s, &e), 0);
	if (commit)
		assert_int_equal(out_set_commit(&s, &e), 0);
	out_set_abort(&s);
}

static void all_files_appear_together(void **state)
{
	write_pair(*state, "one", true);
	assert_content(in(*state, "a"), "one");
	assert_content(in(*state, "b"), "one");
	write_pair(*state, "two", true);
	assert_content(in(*state, "b"), "two");
	assert_int_equal(count_files(*state), 2);
}

static void an_abort_leaves_the_old_ones(void **state)
{
	write_pair(*state, "one", true);
	write_pair(*state, "two", false);
	assert_content(in(*state, "a"), "one");
	assert_int_equal(count_files(*state), 2);
}

static void nothing_appears_before_the_commit(void **state)
{
	struct out_set s;
	FILE *f;

	out_set_init(&s);
	assert_int_equal(out_set_add(&s, &f, in(*state, "a"), NULL), 0);
	fputs("x", f);
	assert_int_equal(out_set_flush(&s, NULL), 0);
	assert_int_equal(access(in(*state, "a"), F_OK), -1);
	out_set_abort(&s);
	assert_int_equal(count_files(*state), 0);
}

static void a_file_in_the_way_is_named(void **state)
{
	struct out_set s;
	struct err e = {0};
	FILE *f;

	assert_int_equal(mkdir(in(*state, "a"), 0777), 0);
	assert_int_equal(mkdir(in(*state, "a/x"), 0777), 0);
	out_set_init(&s);
	assert_int_equal(out_set_add(&s, &f, in(*state, "a"), &e), -EINVAL);
	out_set_abort(&s);
	assert_non_null(strstr(e.msg, in(*state, "a")));
	assert_int_equal(count_files(*state), 1);
	assert_int_equal(rmdir(in(*state, "a/x")), 0);
}

/* A result folder's own names lead nowhere else; a name from the command line may. */
static void links(void **state)
{
	struct out_set s;
	struct err e = {0};
	FILE *f;

	write_pair(*state, "one", true);
	assert_int_equal(symlink("b", in(*state, "link")), 0);
	out_set_init(&s);
	assert_int_equal(out_set_add_in(&s, &f, *state, "link", &e), -EINVAL);
	assert_non_null(strstr(e.msg, "symbolic link"));
	assert_int_equal(out_set_add(&s, &f, in(*state, "link"), &e), 0);
	fputs("two", f);
	assert_int_equal(out_set_commit(&s, &e), 0);
	assert_content(in(*state, "b"), "two");
	assert_content(in(*state, "a"), "one");
	assert_int_equal(count_files(*state), 3);
}

/* More than are open at a time: those that have names already are gone after an abort too, and
 * until then a signal waits. */
static void many_files(void **state)
{
	struct out_set s;
	sigset_t now;
	char name[16];
	FILE *f;

	for (int commit = 0; commit < 2; commit++) {
		out_set_init(&s);
		for (unsigned i = 0; i < 300; i++) {
			(void)snprintf(name, sizeof(name), "%u", i);
			assert_int_equal(out_set_add_in(&s, &f, *state, name, NULL), 0);
			fputs(name, f);
		}
		assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
		assert_true(sigismember(&now, SIGTERM));
		if (commit)
			assert_int_equal(out_set_commit(&s, NULL), 0);
		out_set_abort(&s);
		assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
		assert_false(sigismember(&now, SIGTERM));
		assert_int_equal(count_files(*state), commit ? 300 : 0);
	}
	assert_content(in(*state, "0"), "0");
	assert_content(in(*state, "299"), "299");
}

/* Before it has its name a file can be read, and a process that dies leaves nothing. */
static void a_file_without_a_name(void **state)
{
	char buf[OUT_READ_BYTES];
	struct out_set s;
	FILE *f;

	out_set_init(&s);
	assert_int_equal(out_set_add_in(&s, &f, *state, "a", NULL), 0);
	fputs("text", f);
	assert_int_equal(out_set_flush(&s, NULL), 0);
	assert_content(out_file_readable(buf, s.first), "text");
	assert_int_equal(count_files(*state), s.first->temporary ? 1 : 0);
	out_set_abort(&s);
}

static void folders(void **state)
{
	char deep[300];
	struct err e = {0};

	write_pair(*state, "one", true);
	(void)snprintf(deep, sizeof(deep), "%s/x//y/z/", (char *)*state);
	assert_int_equal(out_folder_check(deep, &e), 0);
	assert_int_equal(access(deep, F_OK), -1);
	assert_int_equal(out_folder(deep, &e), 0);
	assert_int_equal(out_folder(deep, &e), 0);
	assert_int_equal(out_folder_check(deep, &e), 0);
	assert_int_equal(out_folder(in(*state, "a"), &e), -ENOTDIR);
	assert_non_null(strstr(e.msg, "--out"));
	assert_int_equal(out_folder_check(in(*state, "a"), &e), -ENOTDIR);
	assert_true(out_folder(in(*state, "a/below"), &e) < 0);
	assert_true(out_folder_check(in(*state, "a/below"), &e) < 0);
	assert_int_equal(out_folder_check("not-there-yet", &e), 0);
	assert_int_not_equal(e.code, -EINVAL);
	(void)snprintf(deep, sizeof(deep), "%s/x/y/z", (char *)*state);
	assert_int_equal(rmdir(deep), 0);
	assert_int_equal(rmdir(in(*state, "x/y")), 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH(all_files_appear_together),
	        WITH(an_abort_leaves_the_old_ones),
	        WITH(nothing_appears_before_the_commit),
	        WITH(a_file_in_the_way_is_named),
	        WITH(links),
	        WITH(many_files),
	        WITH(a_file_without_a_name),
	        WITH(folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
