/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same 144 frames in eleven containers: us and ns, both byte orders, pcapng with every kind
 * of if_tsresol, an offset, two interfaces. Each stamp to the nanosecond, each byte.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/capture_read.h"
#include "tests/support/reference.h"

#define CONTAINERS 11
#define FRAMES     144
#define SNAP       96

static char folder[600];

struct table {
	char name[CONTAINERS][64];
	int64_t t_ns[FRAMES][CONTAINERS];
};

static FILE *open_in(const char *name)
{
	char path[800];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

static void load_stamps(struct table *t)
{
	FILE *f = open_in("matrix_timestamps.tsv");
	char *line = NULL, *word, *save;
	size_t max = 0;

	assert_true(getline(&line, &max, f) > 0);
	(void)strtok_r(line, "\t\n", &save);
	for (int c = 0; c < CONTAINERS; c++) {
		word = strtok_r(NULL, "\t\n", &save);
		assert_non_null(word);
		(void)snprintf(t->name[c], sizeof(t->name[c]), "%s", word);
	}
	for (int i = 0; i < FRAMES; i++) {
		assert_true(getline(&line, &max, f) > 0);
		(void)strtok_r(line, "\t\n", &save);
		for (int c = 0; c < CONTAINERS; c++) {
			word = strtok_r(NULL, "\t\n", &save);
			assert_non_null(word);
			t->t_ns[i][c] = strtoll(word, NULL, 10);
		}
	}
	assert_true(getline(&line, &max, f) < 0);
	free(line);
	(void)fclose(f);
}

static void read_container(struct capture_read *c, const char *name, uint32_t batch)
{
	char path[800];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	capture_read(c, path, NULL, batch);
	if (c->rc)
		fail_msg("%s", c->err.msg);
	assert_false(c->cut);
	assert_int_equal(c->n, FRAMES);
}

static void each_stamp_to_the_nanosecond(void **state)
{
	static struct table t;

	(void)state;
	load_stamps(&t);
	for (int k = 0; k < CONTAINERS; k++) {
		for (uint32_t batch = 1; batch < 1000; batch = batch * 7 + 1) {
			struct capture_read c;

			read_container(&c, t.name[k], batch);
			for (int i = 0; i < FRAMES; i++) {
				if (c.packet[i].t_ns != t.t_ns[i][k])
					fail_msg("%s: frame %d: %" PRId64 ", expected %" PRId64,
					        t.name[k], i + 1, c.packet[i].t_ns,
					        t.t_ns[i][k]);
			}
			capture_read_fini(&c);
		}
	}
}

static void same_bytes_in_each(void **state)
{
	static struct table t;
	struct capture_read first, c;

	(void)state;
	load_stamps(&t);
	read_container(&first, t.name[0], 64);
	for (int k = 1; k < CONTAINERS; k++) {
		bool snapped = strstr(t.name[k], "snap96");

		read_container(&c, t.name[k], 64);
		for (int i = 0; i < FRAMES; i++) {
			const struct packet *a = &first.packet[i], *b = &c.packet[i];
			uint32_t want = snapped && a->cap_bytes > SNAP ? SNAP : a->cap_bytes;

			assert_int_equal(b->wire_bytes, a->wire_bytes);
			assert_int_equal(b->cap_bytes, want);
			assert_memory_equal(b->data, a->data, want);
		}
		capture_read_fini(&c);
	}
	capture_read_fini(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_stamp_to_the_nanosecond),
	        cmocka_unit_test(same_bytes_in_each),
	};

	(void)reference_path(folder, sizeof(folder), "packets/matrix_timestamps.tsv");
	*strrchr(folder, '/') = '\0';
	return cmocka_run_group_tests(tests, NULL, NULL);
}
