/* SPDX-License-Identifier: Apache-2.0 */
/* Every column of the reference's packets, whole and cut at 96 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/frame_line.h"
#include "tests/support/hex.h"
#include "tests/support/reference.h"

#define MAX_BYTES   16384
#define MAX_COLUMNS 64
#define LINE_BYTES  (2 * MAX_BYTES + 1024)

static char packets[4096], opcodes[4096];

struct table {
	FILE *f;
	char head[LINE_BYTES], line[LINE_BYTES];
	char *name[MAX_COLUMNS], *value[MAX_COLUMNS];
	int columns;
};

/* Empty columns count, so not strtok. */
static int split(char *text, char **out)
{
	int n = 0;

	text[strcspn(text, "\r\n")] = 0;
	for (char *p = text; p && n < MAX_COLUMNS; n++) {
		out[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	return n;
}

static void table_open(struct table *t, const char *folder, const char *file)
{
	char path[8192];

	(void)snprintf(path, sizeof(path), "%s%s%s", folder, *file ? "/" : "", file);
	t->f = fopen(path, "r");
	assert_non_null(t->f);
	assert_non_null(fgets(t->head, sizeof(t->head), t->f));
	t->columns = split(t->head, t->name);
}

static bool table_next(struct table *t)
{
	if (!fgets(t->line, sizeof(t->line), t->f)) {
		(void)fclose(t->f);
		return false;
	}
	for (int n = split(t->line, t->value); n < t->columns; n++)
		t->value[n] = "";
	return true;
}

static const char *cell(const struct table *t, const char *name)
{
	for (int i = 0; i < t->columns; i++)
		if (strcmp(t->name[i], name) == 0)
			return t->value[i];
	return NULL;
}

static long number(const char *text)
{
	char *end;
	long v = strtol(text, &end, 10);

	assert_true(end != text && !*end);
	return v;
}

/* Returns the number of columns compared. */
static int compare(const struct table *t, const struct frame *f)
{
	int n = 0;

	for (int i = 0; i < t->columns; i++) {
		char got[256];

		if (!frame_column(got, sizeof(got), f, t->name[i]))
			continue;
		n++;
		if (strcmp(got, t->value[i]) != 0)
			fail_msg("frame %s %s: %s is \"%s\", expected \"%s\"", cell(t, "frame"),
			        cell(t, "name") ? cell(t, "name") : "", t->name[i], got,
			        t->value[i]);
	}
	return n;
}

static void compare_file(const char *expected, const char *hex, uint32_t snap)
{
	static struct table want, bytes;
	static uint8_t data[MAX_BYTES];
	int frames = 0;

	table_open(&want, packets, expected);
	table_open(&bytes, packets, hex);
	while (table_next(&want)) {
		struct frame f;
		uint8_t *copy;
		long n;
		uint32_t cap;

		assert_true(table_next(&bytes));
		n = hex_bytes(data, sizeof(data), cell(&bytes, "hex"));
		assert_true(n > 0 && n == number(cell(&bytes, "len")));
		cap = n < snap ? (uint32_t)n : snap;
		copy = malloc(cap); /* so that a sanitizer sees its end */
		assert_non_null(copy);
		memcpy(copy, data, cap);
		frame_parse(&f, FRAME_LINK_ETHERNET, copy, cap, (uint32_t)n);
		assert_true(compare(&want, &f) >= 34);
		if (strncmp(cell(&want, "note"), "trailer=", 8) == 0)
			assert_int_equal(f.trailer_bytes, number(cell(&want, "note") + 8));
		free(copy);
		frames++;
	}
	print_message("%s: %d frames\n", expected, frames);
	assert_true(frames > 0);
}

static void test_known_good(void **state)
{
	(void)state;
	compare_file(
	        "known_good_packets.expected.tsv", "known_good_packets.hex.tsv", MAX_BYTES);
}

static void test_matrix(void **state)
{
	(void)state;
	compare_file("matrix.expected.tsv", "matrix_frames.hex.tsv", MAX_BYTES);
}

static void test_matrix_cut(void **state)
{
	(void)state;
	compare_file("matrix_snap96.expected.tsv", "matrix_frames.hex.tsv", 96);
}

/* The table of opcodes against one made by others. */
static void test_opcodes(void **state)
{
	(void)state;
	static struct table t;
	bool listed[256] = {false};

	table_open(&t, opcodes, "");
	while (table_next(&t)) {
		long op = strtol(cell(&t, "opcode_hex"), NULL, 16);
		const struct opcode_info *info = &opcode_table[op];
		const char *direction = cell(&t, "direction");
		char name[64];

		listed[op] = true;
		(void)snprintf(
		        name, sizeof(name), "%s_%s", cell(&t, "transport"), cell(&t, "name"));
		assert_non_null(info->name);
		assert_string_equal(info->name, op == BTH_CNP ? "CNP" : name);
		assert_int_equal(info->ext_bytes, number(cell(&t, "ext_bytes")));
		assert_int_equal(!!(info->flags & OPCODE_PAYLOAD),
		        number(cell(&t, "may_carry_payload")));
		assert_int_equal(
		        !!(info->flags & OPCODE_REQUEST), strcmp(direction, "request") == 0);
		assert_int_equal(
		        !!(info->flags & OPCODE_RESPONSE), strcmp(direction, "response") == 0);
		if (op != BTH_CNP)
			assert_int_equal(!!(info->flags & OPCODE_LAST),
			        number(cell(&t, "last_or_only")));
	}
	for (int op = 0; op < 256; op++)
		assert_int_equal(!!(opcode_table[op].flags & OPCODE_KNOWN), listed[op]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_known_good),
	        cmocka_unit_test(test_matrix),
	        cmocka_unit_test(test_matrix_cut),
	        cmocka_unit_test(test_opcodes),
	};

	reference_path(packets, sizeof(packets), "packets");
	reference_path(opcodes, sizeof(opcodes), "protocol/bth_opcodes.tsv");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
