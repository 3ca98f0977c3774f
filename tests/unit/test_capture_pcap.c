/* SPDX-License-Identifier: Apache-2.0 */
/* pcap files: magic numbers, byte orders, versions, odd lengths, files that end too early. */
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

#define US   0xa1b2c3d4
#define NS   0xa1b23c4d
#define KUZN 0xa1b2cd34

#define BYTES(text) text, sizeof(text) - 1

static const uint8_t data[300] = {1, 2, 3, 4, 5};

static void read_bytes(struct capture_read *c, const struct file_bytes *b, uint32_t batch)
{
	char path[FILE_BYTES_PATH];

	capture_read(c, bytes_save(path, b), NULL, batch);
	(void)unlink(path);
}

static void each_magic_and_byte_order(void **state)
{
	static const struct {
		uint32_t magic;
		bool big;
		const char *format;
		int64_t t_ns;
	} cases[] = {{US, false, "pcap (us)", INT64_C(4294967295999999000)},
	        {US, true, "pcap (us, big-endian)", INT64_C(4294967295999999000)},
	        {NS, false, "pcap (ns)", INT64_C(4294967295000999999)},
	        {NS, true, "pcap (ns, big-endian)", INT64_C(4294967295000999999)}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_bytes b = {.big = cases[i].big};
		struct capture_read c;

		pcap_add_header(&b, cases[i].magic, 96, 1);
		pcap_add_packet(&b, UINT32_MAX, 999999, data, 96, 1082); /* 2106 */
		pcap_add_packet(&b, 0, 1, data, 0, 60);
		read_bytes(&c, &b, 100);
		assert_int_equal(c.rc, 0);
		assert_string_equal(c.format, cases[i].format);
		assert_int_equal(c.n, 2);
		assert_true(c.packet[0].t_ns == cases[i].t_ns);
		assert_int_equal(c.packet[0].cap_bytes, 96);
		assert_int_equal(c.packet[0].wire_bytes, 1082);
		assert_memory_equal(c.packet[0].data, data, 96);
		assert_int_equal(c.packet[1].t_ns, cases[i].magic == NS ? 1 : 1000);
		assert_int_equal(c.packet[1].cap_bytes, 0);
		assert_int_equal(c.packet[1].wire_bytes, 60);
		assert_int_equal(c.n_interfaces, 1);
		assert_int_equal(c.interface[0].link, 1);
		assert_int_equal(c.interface[0].snap_bytes, 96);
		assert_int_equal(
		        c.interface[0].resolution_ps, cases[i].magic == NS ? 1000 : 1000000);
		assert_int_equal(c.interface[0].clock.kind, CLOCK_UNKNOWN);
		assert_true(c.interface[0].received == CAPTURE_NO_COUNT);
		assert_false(c.cut);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

static void kuznetzov_tells_the_direction(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcap_add_header(&b, KUZN, 65535, 1);
	for (uint8_t type = 0; type < 5; type++) {
		bytes_add32(&b, 10);
		bytes_add32(&b, type);
		bytes_add32(&b, 20);
		bytes_add32(&b, 30);
		bytes_add32(&b, 2); /* interface */
		bytes_add16(&b, 0x0800);
		bytes_add8(&b, type);
		bytes_add8(&b, 0);
		bytes_add(&b, data, 20);
	}
	read_bytes(&c, &b, 2);
	assert_int_equal(c.rc, 0);
	assert_int_equal(c.n, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(c.packet[i].direction, i == 4 ? DIRECTION_OUT : DIRECTION_IN);
		assert_int_equal(c.packet[i].t_ns, INT64_C(10000000000) + i * 1000);
		assert_memory_equal(c.packet[i].data, data, 20);
	}
	capture_read_fini(&c);
	bytes_fini(&b);
}

/* Three programs lengthened the records; Red Hat's and Nokia's kept the magic number. */
static void longer_records_are_recognised(void **state)
{
	static const struct {
		uint32_t magic, header;
	} cases[] = {{US, 16}, {US, 24}, {US, 20}, {KUZN, 24}, {KUZN, 28}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int big = 0; big < 2; big++) {
			struct file_bytes b = {.big = big};
			struct capture_read c;

			pcap_add_header(&b, cases[i].magic, 65535, 1);
			for (uint32_t k = 0; k < 10; k++) {
				pcap_add_packet(&b, 1700000000, 123456, data, 0, 1082);
				bytes_add(&b, data + 100, cases[i].header - 16);
				bytes_add(&b, data, 60 + k);
				b.p[b.n - 60 - k - cases[i].header + (big ? 11 : 8)] =
				        (uint8_t)(60 + k);
			}
			read_bytes(&c, &b, 4);
			assert_int_equal(c.rc, 0);
			assert_int_equal(c.n, 10);
			for (uint32_t k = 0; k < 10; k++) {
				assert_int_equal(c.packet[k].cap_bytes, 60 + k);
				assert_memory_equal(c.packet[k].data, data, 60 + k);
				assert_true(c.packet[k].t_ns == INT64_C(1700000000123456000));
			}
			capture_read_fini(&c);
			bytes_fini(&b);
		}
	}
}

/* Before version 2.3 the length on the wire came first; 2.3 was written both ways. */
static void old_versions_have_other_lengths(void **state)
{
	static const struct {
		uint16_t minor;
		uint32_t first, second;
	} cases[] = {{2, 100, 40}, {3, 100, 40}, {3, 40, 100}, {4, 40, 100}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_bytes b = {0};
		struct capture_read c;

		pcap_add_header(&b, US, 40, 1);
		memcpy(b.p + 6, &cases[i].minor, 2);
		bytes_add64(&b, 0);
		bytes_add32(&b, cases[i].first);
		bytes_add32(&b, cases[i].second);
		bytes_add(&b, data, 40);
		read_bytes(&c, &b, 10);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, 1);
		assert_int_equal(c.packet[0].cap_bytes, 40);
		assert_int_equal(c.packet[0].wire_bytes, 100);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

static void odd_lengths_and_link_types(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	/* An FCS of 4 bytes is said to be kept; the link type is the lower bits. */
	pcap_add_header(&b, US, 10, (2u << 28) | (1u << 26) | 101);
	pcap_add_packet(&b, 1, 0, data, 200, 60); /* more than was on the wire, and than snap */
	pcap_add_packet(&b, 1, 0, data, 64, 64);
	pcap_add_packet(&b, 1, 0, data, 20, 64);
	pcap_add_packet(&b, 1, 0, data, 3, 3);
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, 0);
	assert_int_equal(c.interface[0].link, 101);
	assert_int_equal(c.interface[0].fcs_bytes, 4);
	assert_int_equal(c.packet[0].cap_bytes, 196);
	assert_int_equal(c.packet[0].wire_bytes, 196);
	assert_int_equal(c.packet[1].cap_bytes, 60);
	assert_int_equal(c.packet[1].wire_bytes, 60);
	assert_int_equal(c.packet[2].cap_bytes, 20);
	assert_int_equal(c.packet[2].wire_bytes, 60);
	assert_int_equal(c.packet[3].cap_bytes, 3);
	capture_read_fini(&c);
	bytes_fini(&b);
}

/* Cut after every byte: the whole packets before it, and that it was cut. */
static void cut_anywhere(void **state)
{
	struct file_bytes b = {0}, part;
	size_t whole[4];
	struct capture_read c;

	(void)state;
	pcap_add_header(&b, NS, 96, 1);
	for (uint32_t i = 0; i < 4; i++) {
		whole[i] = b.n;
		if (i < 3)
			pcap_add_packet(&b, i, i, data, 20 * i, 100);
	}
	for (size_t n = 0; n <= b.n; n++) {
		uint32_t packets = 0;
		bool at_end = false;

		for (uint32_t i = 0; i < 4; i++) {
			packets += i && whole[i] <= n;
			at_end = at_end || whole[i] == n;
		}
		part = b;
		part.n = n;
		read_bytes(&c, &part, 10);
		if (n < 24) {
			assert_int_equal(c.rc, -EINVAL);
		} else {
			assert_int_equal(c.rc, 0);
			assert_int_equal(c.n, packets);
			assert_int_equal(c.cut, !at_end);
		}
		capture_read_fini(&c);
	}
	bytes_fini(&b);
}

static void says_where_and_what(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcap_add_header(&b, US, 96, 1);
	pcap_add_packet(&b, 1, 1, data, 60, 60);
	pcap_add_packet(&b, 1, 1, data, 0, 60);
	memset(b.p + b.n - 8, 0xff, 4); /* the captured length */
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, -EINVAL);
	assert_int_equal(c.n, 1); /* the one before it */
	assert_non_null(strstr(c.err.msg, "byte 100: packet 2 claims 4294967295"));
	capture_read_fini(&c);
	b.p[4] = 9;
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, -EINVAL);
	assert_non_null(strstr(c.err.msg, "byte 4: pcap version 9.4"));
	capture_read_fini(&c);
	bytes_fini(&b);
}

static void what_is_no_capture(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *says;
	} cases[] = {
	        {BYTES(""), "empty"},
	        {BYTES("\xfd"
	               "7zXZ\0"),
	                "xz -dc"},
	        {BYTES("BZh91AY&SY and so on, compressed"), "bzip2 -dc"},
	        {BYTES("snoop\0\0\0\0\0\0\2\0\0\0\4 and more of it"), "editcap"},
	        {BYTES("{\"a capture\": \"of another kind\"}"), "JSON"},
	        {BYTES("this is a text about packets that nobody captured"), "expected pcap"},
	        {BYTES("short"), "byte 5: the file ends within"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_bytes b = {0};
		struct capture_read c;

		bytes_add(&b, cases[i].bytes, cases[i].n);
		read_bytes(&c, &b, 10);
		assert_int_equal(c.rc, -EINVAL);
		if (!strstr(c.err.msg, cases[i].says))
			fail_msg("%s", c.err.msg);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

static void what_is_no_file(void **state)
{
	struct capture_read c;

	(void)state;
	capture_read(&c, "/tmp", NULL, 1);
	assert_int_equal(c.rc, -EINVAL);
	assert_non_null(strstr(c.err.msg, "/tmp"));
	capture_read(&c, "/tmp/no such capture", NULL, 1);
	assert_int_equal(c.rc, -ENOENT);
}

/* Packets larger than the caller takes are an error whatever the file's snap length. */
static void the_callers_limit(void **state)
{
	struct reader_options o = {.max_packet_bytes = 100};
	char path[FILE_BYTES_PATH];
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcap_add_header(&b, US, 1000, 1);
	pcap_add_packet(&b, 1, 1, data, 100, 100);
	pcap_add_packet(&b, 1, 1, data, 101, 101);
	capture_read(&c, bytes_save(path, &b), &o, 10);
	(void)unlink(path);
	assert_int_equal(c.rc, -EINVAL);
	assert_int_equal(c.n, 1);
	capture_read_fini(&c);
	bytes_fini(&b);
}

/* Many packets in batches of each size: the same packets. */
static void batches_of_any_size(void **state)
{
	struct file_bytes b = {0};
	const uint32_t n = 3000;

	(void)state;
	pcap_add_header(&b, NS, 0, 1);
	for (uint32_t i = 0; i < n; i++)
		pcap_add_packet(&b, i, i, data, i % 300, 300);
	for (uint32_t batch = 1; batch < 10000; batch = batch * 5 + 2) {
		struct capture_read c;

		read_bytes(&c, &b, batch);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, n);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(c.packet[i].t_ns, i * INT64_C(1000000001));
			assert_int_equal(c.packet[i].cap_bytes, i % 300);
			assert_memory_equal(c.packet[i].data, data, i % 300);
		}
		capture_read_fini(&c);
	}
	bytes_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_magic_and_byte_order),
	        cmocka_unit_test(kuznetzov_tells_the_direction),
	        cmocka_unit_test(longer_records_are_recognised),
	        cmocka_unit_test(old_versions_have_other_lengths),
	        cmocka_unit_test(odd_lengths_and_link_types),
	        cmocka_unit_test(cut_anywhere),
	        cmocka_unit_test(says_where_and_what),
	        cmocka_unit_test(what_is_no_capture),
	        cmocka_unit_test(what_is_no_file),
	        cmocka_unit_test(the_callers_limit),
	        cmocka_unit_test(batches_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
