/* SPDX-License-Identifier: Apache-2.0 */
/* Every method gives the register that the definition, bit by bit, gives; none reads a byte
 * beside its data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/crc_int.h"
#include "dataplane/wire/icrc.h"

#define MAX_BYTES 9000

static void fill(uint8_t *p, size_t n, uint64_t seed)
{
	struct rng r = rng_make(seed, 0, RNG_LOAD);

	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)rng_next(&r);
}

/* The catalogue's check value of CRC-32 (ISO-HDLC): the inverted register over 1 to 9. */
static void test_check_value(void **state)
{
	(void)state;
	for (enum crc_method m = 0; m < CRC_METHODS; m++) {
		if (!crc_method_here(m)) {
			print_message("this CPU does not have %s\n", crc_method_name(m));
			continue;
		}
		assert_int_equal(~crc_update_by(m, ~0u, "123456789", 9), 0xcbf43926);
		assert_int_equal(crc_update_by(m, 0x12345678, "", 0), 0x12345678);
	}
	assert_true(crc_method_here(crc_method_best()));
	assert_int_equal(~crc_update(~0u, "123456789", 9), 0xcbf43926);
}

static void agree(uint32_t start, const uint8_t *p, size_t n)
{
	uint32_t want = crc_update_by(CRC_BITWISE, start, p, n);

	for (enum crc_method m = CRC_SLICING; m < CRC_METHODS; m++)
		if (crc_method_here(m) && crc_update_by(m, start, p, n) != want)
			fail_msg("%s, %zu bytes at %zu from 0x%08x", crc_method_name(m), n,
			        (size_t)((uintptr_t)p & 63), start);
}

/* Each length from nothing to where every loop has run more than once, then random ones. */
static void test_methods_agree(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES + 64];
	struct rng r = rng_make(4, 0, RNG_LOAD);

	fill(data, sizeof(data), 1);
	for (size_t n = 0; n <= 1100; n++)
		agree((uint32_t)rng_next(&r), data + rng_below(&r, 64), n);
	for (size_t at = 0; at < 64; at++)
		agree(~0u, data + at, 1072);
	for (int i = 0; i < 600; i++)
		agree((uint32_t)rng_next(&r), data + rng_below(&r, 64),
		        rng_below(&r, MAX_BYTES + 1));
}

/* In pieces of any size it is the register of the whole. */
static void test_pieces(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES];
	struct rng r = rng_make(5, 0, RNG_LOAD);
	uint32_t want;

	fill(data, sizeof(data), 2);
	want = crc_update_by(CRC_BITWISE, ~0u, data, sizeof(data));
	for (enum crc_method m = 0; m < CRC_METHODS; m++) {
		if (!crc_method_here(m))
			continue;
		for (int round = 0; round < 20; round++) {
			uint32_t crc = ~0u;
			size_t at = 0;

			while (at < sizeof(data)) {
				size_t n = rng_below(&r, 300);

				if (n > sizeof(data) - at)
					n = sizeof(data) - at;
				crc = crc_update_by(m, crc, data + at, n);
				at += n;
			}
			assert_int_equal(crc, want);
		}
	}
}

/* Ones put over the first 64 bytes by a mask are ones in the data. */
static void test_masks(void **state)
{
	(void)state;
	static uint8_t data[600], ored[600];
	struct rng r = rng_make(6, 0, RNG_LOAD);
	struct crc_mask mask = {{0}};

	for (size_t n = 0; n < sizeof(data); n++) {
		uint32_t start = (uint32_t)rng_next(&r), want;

		fill(data, sizeof(data), n);
		for (int i = 0; i < CRC_MASK_BYTES; i++)
			mask.ones[i] = rng_below(&r, 3) ? 0 : (uint8_t)rng_next(&r);
		for (size_t i = 0; i < n; i++)
			ored[i] = data[i] | (i < CRC_MASK_BYTES ? mask.ones[i] : 0);
		want = crc_update_by(CRC_BITWISE, start, ored, n);
		for (enum crc_method m = 0; m < CRC_METHODS; m++)
			if (crc_method_here(m))
				assert_int_equal(crc_masked_by(m, start, data, n, &mask), want);
	}
}

/* Between two pages that may not be touched, against either of them. */
static void test_reads_nothing_else(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *all = mmap(
	        NULL, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *middle = all + page;

	assert_true(all != MAP_FAILED);
	fill(middle, 3 * page, 3);
	assert_int_equal(mprotect(all, page, PROT_NONE), 0);
	assert_int_equal(mprotect(all + 4 * page, page, PROT_NONE), 0);
	for (size_t n = 0; n <= 700; n++) {
		agree(~0u, middle, n);
		agree(~0u, middle + 3 * page - n, n);
	}
	agree(~0u, middle, 3 * page);
	munmap(all, 5 * page);
}

/* A register moved over n zeros by the table and by feeding zeros; and the joining of a header
 * to a payload that is computed once. */
static void test_shift(void **state)
{
	(void)state;
	static const size_t lengths[] = {0, 1, 4, 63, 64, 1024, 4096, 8999};
	static uint8_t zeros[MAX_BYTES], data[MAX_BYTES];
	struct rng r = rng_make(7, 0, RNG_LOAD);
	struct crc_shift s;

	fill(data, sizeof(data), 8);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t n = lengths[i];
		uint32_t payload = crc_update(0, data + 1, n);

		crc_shift_init(&s, n);
		for (int k = 0; k < 20; k++) {
			uint32_t crc = (uint32_t)rng_next(&r);

			assert_int_equal(
			        crc_shift(&s, crc), crc_update_by(CRC_SLICING, crc, zeros, n));
			assert_int_equal(
			        crc_shift(&s, crc) ^ payload, crc_update(crc, data + 1, n));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_check_value),
	        cmocka_unit_test(test_methods_agree),
	        cmocka_unit_test(test_pieces),
	        cmocka_unit_test(test_masks),
	        cmocka_unit_test(test_reads_nothing_else),
	        cmocka_unit_test(test_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
