/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of opening and reading fails once: -ENOMEM with a message, and nothing leaks
 * (the sanitizer build judges). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "capture/reader.h"
#include "tests/support/file_bytes.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

static int fail_at; /* the allocation that fails, counted down; 0: none */

static bool fails(void)
{
	return fail_at && --fail_at == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

static int read_all(const char *path, uint32_t batch, struct err *e)
{
	struct packet_batch b;
	struct reader *r;
	int rc = packet_batch_init(&b, batch, e);

	if (rc)
		return rc;
	rc = reader_open(&r, path, NULL, e);
	if (!rc) {
		do {
			rc = reader_fill(r, &b, e);
		} while (rc > 0);
		reader_close(r);
	}
	packet_batch_fini(&b);
	return rc;
}

/* How many allocations there were before it went well. */
static int each_fails_once(const char *path)
{
	for (int n = 1;; n++) {
		struct err e = {0};
		int rc;

		fail_at = n;
		rc = read_all(path, 3, &e);
		if (fail_at) { /* fewer than n */
			fail_at = 0;
			assert_int_equal(rc, 0);
			return n - 1;
		}
		assert_int_equal(rc, -ENOMEM);
		assert_true(e.msg[0]);
	}
}

static void plain_and_compressed(void **state)
{
	static const uint8_t data[20000];
	char path[FILE_BYTES_PATH], zipped[FILE_BYTES_PATH + 8];
	struct file_bytes b = {0};
	gzFile z;

	(void)state;
	pcapng_add_section(&b);
	pcapng_add_interface(&b, 1, 0, 9, 0);
	for (uint32_t i = 1; i < 10; i++)
		pcapng_add_packet(&b, 0, i, data, i * 2000, i * 2000);
	assert_true(each_fails_once(bytes_save(path, &b)) >= 7);
	(void)snprintf(zipped, sizeof(zipped), "%s.gz", path);
	z = gzopen(zipped, "wb");
	assert_non_null(z);
	assert_int_equal(gzwrite(z, b.p, (unsigned)b.n), (int)b.n);
	assert_int_equal(gzclose(z), Z_OK);
	assert_true(each_fails_once(zipped) >= 10);
	(void)unlink(path);
	(void)unlink(zipped);
	bytes_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(plain_and_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
