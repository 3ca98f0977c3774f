/* SPDX-License-Identifier: Apache-2.0 */
/* ERF: known by its chain of records, ports and types as interfaces, damage. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/capture_read.h"
#include "tests/support/file_bytes.h"

#define S INT64_C(1000000000)

static const uint8_t data[200] = {1, 2, 3, 4, 5};

static void read_bytes(struct capture_read *c, const struct file_bytes *b, uint32_t batch)
{
	char path[FILE_BYTES_PATH];

	capture_read(c, bytes_save(path, b), NULL, batch);
	(void)unlink(path);
}

/* n bytes follow the header of 16. */
static void add_record(struct file_bytes *b, uint64_t t, uint8_t type, uint8_t flags,
        const void *p, uint16_t n, uint16_t wire)
{
	b->big = false;
	bytes_add64(b, t);
	b->big = true;
	bytes_add8(b, type);
	bytes_add8(b, flags);
	bytes_add16(b, (uint16_t)(16 + n));
	bytes_add16(b, 0);
	bytes_add16(b, wire);
	bytes_add(b, p, n);
}

static void ports_and_types(void **state)
{
	static const uint8_t extended[24] = {0x83, 0, 0, 0, 0, 0, 0, 0, 0x04};
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	add_record(&b, 5ull << 32, 2, 4, data, 2 + 64, 68);
	add_record(&b, 5ull << 32 | 1, 21, 4 | 1, data, 40, 34);               /* 0.23 ns */
	add_record(&b, 5ull << 32 | 3, 21 | 0x80, 4 | 1, extended, 24, 8);     /* 0.70 ns */
	add_record(&b, 5ull << 32 | 4, 27, 0, data, 24, 0);                    /* passed over */
	add_record(&b, 5ull << 32 | 5, 48, 0, data, 0, 0);                     /* passed over */
	add_record(&b, 5ull << 32 | 0x80000000, 2, 4 | 1, data, 2 + 62, 1086); /* cut */
	add_record(&b, 5ull << 32 | 0xffffffff, 22, 4, data, 40, 40);
	for (uint32_t batch = 1; batch < 20; batch += 3) {
		read_bytes(&c, &b, batch);
		assert_int_equal(c.rc, 0);
		assert_string_equal(c.format, "erf");
		assert_int_equal(c.n, 5);
		assert_int_equal(c.n_interfaces, 4);
		assert_int_equal(c.packet[0].t_ns, 5 * S);
		assert_int_equal(c.packet[0].wire_bytes, 64); /* without the FCS */
		assert_int_equal(c.packet[0].cap_bytes, 64);
		assert_memory_equal(c.packet[0].data, data + 2, 64);
		assert_int_equal(c.packet[1].t_ns, 5 * S);
		assert_int_equal(c.packet[1].wire_bytes, 34);
		assert_int_equal(c.packet[1].cap_bytes, 34); /* without the filling */
		assert_int_equal(c.interface[1].link, 247);
		assert_string_equal(c.interface[1].name, "port1");
		assert_int_equal(c.packet[2].interface, 1);
		assert_int_equal(c.packet[2].t_ns, 5 * S + 1); /* the nearest */
		assert_int_equal(c.packet[2].cap_bytes, 8);
		assert_int_equal(c.packet[3].t_ns, 5 * S + S / 2);
		assert_int_equal(c.packet[3].wire_bytes, 1082);
		assert_int_equal(c.packet[3].cap_bytes, 62);
		assert_int_equal(c.packet[3].interface, 2);
		assert_int_equal(c.packet[4].t_ns, 6 * S); /* rounded over the second */
		assert_int_equal(c.interface[3].link, 228);
		capture_read_fini(&c);
	}
	bytes_fini(&b);
}

static void cut_and_damaged(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;
	size_t full;

	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		add_record(&b, (uint64_t)i << 32, 2, 4, data, 2 + 64, 68);
	full = b.n;
	for (; b.n >= full - 82; b.n--) {
		read_bytes(&c, &b, 100);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, b.n == full ? 20 : 19);
		assert_int_equal(c.cut, b.n != full && b.n != full - 82);
		capture_read_fini(&c);
	}
	b.n = full;
	memset(b.p + 15 * 82 + 10, 0, 2); /* a length of 0 */
	read_bytes(&c, &b, 100);
	assert_int_equal(c.rc, -EINVAL);
	assert_int_equal(c.n, 15);
	assert_non_null(strstr(c.err.msg, "byte 1230: an ERF record of 0 bytes"));
	capture_read_fini(&c);
	bytes_fini(&b);
}

static void other_bytes_are_no_erf(void **state)
{
	static const struct {
		uint8_t at, v;
	} breaks[] = {{8, 0}, {8, 99}, {10, 0xff}, {14, 0}, {90, 77}};

	(void)state;
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		struct file_bytes b = {0};
		struct capture_read c;

		for (uint32_t k = 0; k < 3; k++)
			add_record(&b, (uint64_t)k << 32, 2, 4, data, 2 + 64, 68);
		b.p[breaks[i].at] = breaks[i].v;
		if (breaks[i].at == 14)
			b.p[15] = 0;
		read_bytes(&c, &b, 100);
		assert_int_equal(c.rc, -EINVAL);
		assert_non_null(strstr(c.err.msg, "no capture"));
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ports_and_types),
	        cmocka_unit_test(cut_and_damaged),
	        cmocka_unit_test(other_bytes_are_no_erf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
