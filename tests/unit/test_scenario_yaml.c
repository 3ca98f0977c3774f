/* SPDX-License-Identifier: Apache-2.0 */
/* The YAML tree: positions, bounds on hostile input, paths and ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/utf8.h"
#include "scenarios/yaml_path.h"
#include "scenarios/yaml_tree.h"

static struct yaml_node *must_read(struct yaml_doc *d, const char *text)
{
	struct yaml_node *n;
	struct err e = {0};

	if (yaml_read(d, &n, text, strlen(text), "f", &e))
		fail_msg("%s", e.msg);
	d->root = n;
	return n;
}

static void refuses(const char *text, size_t len, const char *message)
{
	struct yaml_doc d = {0};
	struct yaml_node *n;
	struct err e = {0};

	assert_int_not_equal(yaml_read(&d, &n, text, len, "f", &e), 0);
	assert_null(n);
	if (!strstr(e.msg, message))
		fail_msg("\"%s\" does not hold \"%s\"", e.msg, message);
	yaml_fini(&d);
}

static void positions(void **state)
{
	struct yaml_doc d = {0};
	struct yaml_node *root = must_read(&d, "a: {b: 1,\n  c: [x, \"y z\"]}\nd:\n");
	const struct yaml_node *c = yaml_find(root, "a.c");

	(void)state;
	assert_int_equal(c->kind, YAML_LIST);
	assert_int_equal(c->key_at.line, 2);
	assert_int_equal(c->key_at.column, 3);
	assert_int_equal(c->at.column, 6);
	assert_string_equal(yaml_find(root, "a.c[1]")->text, "y z");
	assert_true(yaml_find(root, "a.c[1]")->quoted);
	assert_false(yaml_find(root, "a.b")->quoted);
	assert_int_equal(yaml_find(root, "a.c[1]")->at.column, 10);
	assert_string_equal(yaml_find(root, "d")->text, "");
	assert_int_equal(yaml_find(root, "d")->at.line, 3);
	assert_null(yaml_find(root, "a.c[2]"));
	assert_null(yaml_find(root, "a.x.y"));
	assert_null(yaml_find(root, "a..b"));
	assert_null(yaml_find(root, "a.c["));
	yaml_fini(&d);
}

#define REFUSES(text, message) refuses(text, strlen(text), message)

/* Every style of scalar. */
static void scalars(void **state)
{
	static const struct {
		const char *text, *value;
	} c[] = {
	        {"a: x y", "x y"},
	        {"a: 'x''y''z'", "x'y'z"},
	        {"a: ''''", "'"},
	        {"a: '''x'", "'x"},
	        {"a: \"x\\n\\L\"", "x\n\xe2\x80\xa8"},
	        {"a: |\n  x\n  y\n", "x\ny\n"},
	        {"a: >\n  x\n  y\n", "x y\n"},
	        {"a: x\n  y", "x y"},
	        {"a: ''", ""},
	        {"a:", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct yaml_doc d = {0};

		assert_string_equal(yaml_find(must_read(&d, c[i].text), "a")->text, c[i].value);
		yaml_fini(&d);
	}
}

static void syntax(void **state)
{
	(void)state;
	REFUSES("a: 1\na: 2\n", "f:2:1: a: duplicate key, the first one is on line 1");
	REFUSES("a: [1, 2", "f:");
	REFUSES("a: 'x''''y'", "f:1:4: quotes in a row");
	REFUSES("'x''''y': 1", "f:1:1: quotes in a row");
	REFUSES("a: b: c", "f:1:5: not YAML");
	REFUSES("%YAML 9.9\n---\na: 1\n", "f:1:1: %YAML 9.9: expected 1.2");
	REFUSES("# c\n\n%YAML\t2.0\r\n---\na: 1\n", "f:3:1: %YAML 2.0: expected 1.2");
	REFUSES("a: 1\n...\n%YAML 3\n---\nb: 1\n", "f:3:");
	REFUSES("--- a\n--- b\n", "f:2:1: a second document");
	REFUSES("a: !!str 4", "tags");
	REFUSES("[1]: 2", "f:1:1: a key must be a plain word");
	REFUSES("a: *b", "f:1:4: *b: no &b stands before it");
	REFUSES("a: &b [1, *b]", "stands inside the value");
	REFUSES("\"a\\0b\": 1", "NUL");
	REFUSES("a: \"x\\0y\"", "NUL");
	refuses("a: \0", 4, "f:1:4: byte 0x00");
	refuses("a: 1\nb: \xff", 9, "f:2:4: byte 0xff");
}

static void nothing_is_no_error(void **state)
{
	struct yaml_doc d = {0};

	(void)state;
	assert_null(must_read(&d, ""));
	assert_null(must_read(&d, "# only a comment\n"));
	yaml_fini(&d);
}

static void depth_is_bounded(void **state)
{
	char text[400];

	(void)state;
	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	refuses(text, 400, "nested more than");
}

/* Ten levels of ten aliases each: 10^10 values if they were expanded without a bound. */
static void alias_bomb_is_bounded(void **state)
{
	char text[2000] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";

	(void)state;
	for (int i = 1; i < 10; i++) {
		size_t n = strlen(text);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			n += (size_t)snprintf(
			        text + n, sizeof(text) - n, "%s*a%d", k ? ", " : "", i - 1);
		(void)snprintf(text + n, sizeof(text) - n, "]\n");
	}
	refuses(text, strlen(text), "more than 200000 values");
}

static void size_and_keys_are_bounded(void **state)
{
	size_t len = YAML_MAX_BYTES + 1, n = 0;
	char *text = malloc(len);

	(void)state;
	assert_non_null(text);
	memset(text, ' ', len);
	refuses(text, len, "larger than 16 MiB");
	memset(text, '[', len);
	refuses(text, len - 1, "more than 200000 values");
	for (unsigned i = 0; i <= YAML_MAX_KEYS; i++)
		n += (size_t)snprintf(text + n, len - n, "k%u: 1\n", i);
	refuses(text, n, "more than 1000 keys");
	free(text);
}

static void aliases_are_copies(void **state)
{
	struct yaml_doc d = {0};
	struct yaml_node *root = must_read(&d, "a: &x {k: [1, 2]}\nb: *x\n"), *v;
	struct err e = {0};

	(void)state;
	assert_string_equal(yaml_find(root, "b.k[1]")->text, "2");
	assert_int_equal(yaml_read_value(&d, &v, "3", "--set b.k[1]=3", YAML_SET, &e), 0);
	assert_int_equal(yaml_put(&d, "b.k[1]", v, &e), 0);
	assert_string_equal(yaml_find(root, "b.k[1]")->text, "3");
	assert_string_equal(yaml_find(root, "a.k[1]")->text, "2");
	yaml_fini(&d);
}

static int put(struct yaml_doc *d, const char *path, const char *text, enum yaml_rank rank,
        struct err *e)
{
	struct yaml_node *v;

	assert_int_equal(yaml_read_value(d, &v, text, "here", rank, e), 0);
	return yaml_put(d, path, v, e);
}

static void ranks_decide(void **state)
{
	struct yaml_doc d = {0};
	struct err e = {0};

	(void)state;
	must_read(&d, "a: {b: file}\n");
	assert_int_equal(put(&d, "a.b", "preset", YAML_PRESET, &e), 0);
	assert_string_equal(yaml_find(d.root, "a.b")->text, "file");
	assert_int_equal(put(&d, "a.c", "one", YAML_PRESET, &e), 0);
	assert_int_equal(put(&d, "a.c", "two", YAML_PRESET, &e), 0);
	assert_string_equal(yaml_find(d.root, "a.c")->text, "two");
	assert_int_equal(put(&d, "a", "{b: set, d: {e: new}}", YAML_SET, &e), 0);
	assert_string_equal(yaml_find(d.root, "a.b")->text, "set");
	assert_string_equal(yaml_find(d.root, "a.c")->text, "two");
	assert_string_equal(yaml_find(d.root, "a.d.e")->text, "new");
	yaml_fini(&d);
}

static void put_explains_itself(void **state)
{
	static const struct {
		const char *path, *message;
	} bad[] = {
	        {"a[0]", "here: a is not a list"},
	        {"l[2].x", "here: there is no entry 2, the list has 1"},
	        {"l.x", "here: l is not a mapping"},
	        {"a..b", "here: not a key"},
	        {"a[x]", "here: not a key"},
	        {"a[12345678901]", "here: not a key"},
	};
	struct yaml_doc d = {0};

	(void)state;
	must_read(&d, "a: {b: 1}\nl: [{}]\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};

		assert_int_not_equal(put(&d, bad[i].path, "1", YAML_SET, &e), 0);
		if (strncmp(e.msg, bad[i].message, strlen(bad[i].message)) != 0)
			fail_msg("%s: %s", bad[i].path, e.msg);
	}
	yaml_fini(&d);
}

static void generic_paths(void **state)
{
	char out[32];

	(void)state;
	assert_true(yaml_path_generic(out, sizeof(out), "workload[12].cdf[0][1]"));
	assert_string_equal(out, "workload[].cdf[][]");
	assert_false(yaml_path_generic(out, sizeof(out), "a[x]"));
	assert_false(yaml_path_generic(out, sizeof(out), "a[1"));
	assert_false(yaml_path_generic(out, sizeof(out), ""));
	assert_false(yaml_path_generic(out, 4, "long"));
}

/* RFC 3629 section 4: the edges of the table of well-formed sequences. */
static void text_is_utf8(void **state)
{
	static const struct {
		const char *text;
		size_t good;
	} c[] = {{"a\tb\r\n", 5}, {"\xc2\xa0", 2}, {"\xc1\xbf", 0}, {"\xe0\xa0\x80", 3},
	        {"\xe0\x9f\xbf", 0}, {"\xed\x9f\xbf", 3}, {"\xed\xa0\x80", 0},
	        {"\xf0\x90\x80\x80", 4}, {"\xf4\x8f\xbf\xbf", 4}, {"\xf4\x90\x80\x80", 0},
	        {"x\x1b[0m", 1}, {"\xe2\x82", 0}, {"\xc2\x85", 0}, {"\x7f", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++)
		assert_int_equal(utf8_good_prefix(c[i].text, strlen(c[i].text)), c[i].good);
}

static void shown_text_is_safe(void **state)
{
	char buf[YAML_SHOWN_BYTES], text[200];

	(void)state;
	assert_string_equal(yaml_shown(buf, "a\nb\x1b"), "a?b?");
	memset(text, 'x', 57);
	memcpy(text + 57, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 10);
	(void)yaml_shown(buf, text);
	assert_int_equal(utf8_good_prefix(buf, strlen(buf)), strlen(buf));
	assert_string_equal(buf + strlen(buf) - 3, "...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(positions),
	        cmocka_unit_test(scalars),
	        cmocka_unit_test(syntax),
	        cmocka_unit_test(nothing_is_no_error),
	        cmocka_unit_test(depth_is_bounded),
	        cmocka_unit_test(alias_bomb_is_bounded),
	        cmocka_unit_test(size_and_keys_are_bounded),
	        cmocka_unit_test(aliases_are_copies),
	        cmocka_unit_test(ranks_decide),
	        cmocka_unit_test(put_explains_itself),
	        cmocka_unit_test(generic_paths),
	        cmocka_unit_test(text_is_utf8),
	        cmocka_unit_test(shown_text_is_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
