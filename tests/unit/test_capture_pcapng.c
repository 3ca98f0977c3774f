/* SPDX-License-Identifier: Apache-2.0 */
/* pcapng files of others: every kind of block and option, both byte orders, damage. */
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

static const uint8_t data[300] = {1, 2, 3, 4, 5};

static void read_bytes(struct capture_read *c, const struct file_bytes *b, uint32_t batch)
{
	char path[FILE_BYTES_PATH];

	capture_read(c, bytes_save(path, b), NULL, batch);
	(void)unlink(path);
}

static void add_of(struct file_bytes *b, uint32_t type, void (*fill)(struct file_bytes *))
{
	struct file_bytes body = {.big = b->big};

	fill(&body);
	pcapng_add_block(b, type, &body);
	bytes_fini(&body);
}

static void option64(struct file_bytes *body, uint16_t code, uint64_t v)
{
	struct file_bytes value = {.big = body->big};

	bytes_add64(&value, v);
	pcapng_add_option(body, code, value.p, 8);
	bytes_fini(&value);
}

static void option32(struct file_bytes *body, uint16_t code, uint32_t v)
{
	struct file_bytes value = {.big = body->big};

	bytes_add32(&value, v);
	pcapng_add_option(body, code, value.p, 4);
	bytes_fini(&value);
}

static void described(struct file_bytes *body)
{
	const uint8_t tsresol = 9, fcs_bits = 32;

	bytes_add16(body, 1);
	bytes_add16(body, 0);
	bytes_add32(body, 128);
	pcapng_add_option(body, 1, "first comment", 13);
	pcapng_add_option(body, 1, "second comment", 14);
	pcapng_add_option(body, 2, "eth0", 4);
	pcapng_add_option(
	        body, 3, "uplink; squall clock=phc0 kind=hardware-ptp timescale=tai", 57);
	option64(body, 8, UINT64_C(100000000000));
	pcapng_add_option(body, 9, &tsresol, 1);
	pcapng_add_option(body, 11, "\0udp port 4791", 14);
	pcapng_add_option(body, 13, &fcs_bits, 1);
	option64(body, 14, 5);
	pcapng_add_option(body, 15, "ConnectX", 8);
	pcapng_add_option(body, 0x8bad, "unknown", 7);
	bytes_add32(body, 0);
}

static void flagged(struct file_bytes *body)
{
	bytes_add32(body, 0);
	bytes_add64(body, 0);
	bytes_add32(body, 101);
	bytes_add32(body, 101);
	bytes_add(body, data, 104);
	pcapng_add_option(body, 1, "a comment", 9);
	option32(body, 2, 2u | 2u << 5); /* outbound, two bytes of FCS */
	option64(body, 4, 11);
	bytes_add32(body, 0);
}

static void counted(struct file_bytes *body)
{
	bytes_add32(body, 0);
	bytes_add64(body, 99);
	for (uint16_t code = 2; code <= 8; code++)
		option64(body, code, code * 100);
	bytes_add32(body, 0);
}

static void every_option(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct file_bytes b = {.big = big};
		const struct capture_interface *i;
		struct capture_read c;

		pcapng_add_section(&b);
		add_of(&b, 1, described);
		add_of(&b, 6, flagged);
		add_of(&b, 5, counted);
		read_bytes(&c, &b, 10);
		assert_int_equal(c.rc, 0);
		assert_string_equal(c.format, big ? "pcapng (big-endian)" : "pcapng");
		i = &c.interface[0];
		assert_string_equal(i->name, "eth0");
		assert_string_equal(i->description, "uplink");
		assert_string_equal(i->clock.name, "phc0");
		assert_int_equal(i->clock.kind, CLOCK_HARDWARE_PTP);
		assert_int_equal(i->clock.timescale, TIMESCALE_TAI);
		assert_string_equal(i->comment, "first comment");
		assert_string_equal(i->filter, "udp port 4791");
		assert_string_equal(i->hardware, "ConnectX");
		assert_true(i->speed_bps == UINT64_C(100000000000));
		assert_int_equal(i->snap_bytes, 128);
		assert_int_equal(i->resolution_ps, 1000);
		assert_int_equal(i->fcs_bytes, 4);
		assert_int_equal(i->received, 400);
		assert_int_equal(i->dropped_by_interface, 500);
		assert_int_equal(i->filter_accepted, 600);
		assert_int_equal(i->dropped_by_os, 700);
		assert_int_equal(i->delivered, 800);
		assert_int_equal(i->dropped_between, 11);
		assert_int_equal(c.packet[0].direction, DIRECTION_OUT);
		assert_int_equal(c.packet[0].t_ns, 5 * S);
		assert_int_equal(c.packet[0].wire_bytes, 99); /* the packet's own FCS length */
		assert_int_equal(c.packet[0].cap_bytes, 99);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

static void each_resolution_and_offset(void **state)
{
	static const struct {
		uint8_t tsresol;
		int64_t offset;
		uint64_t ticks;
		int64_t t_ns;
	} cases[] = {
	        {6, 0, 1700000000123456, INT64_C(1700000000123456000)},
	        {9, 0, 1700000000123456789, INT64_C(1700000000123456789)},
	        {9, 1700000000, 123456789, INT64_C(1700000000123456789)},
	        {9, -3600, 3600 * S, 0},
	        {12, 1700000000, 5999, INT64_C(1700000000000000005)},
	        {0x80 | 30, 0, UINT64_C(3) << 29, 3 * S / 2},
	        {0x80 | 63, 1, UINT64_C(3) << 62, 5 * S / 2},
	        {0, 0, UINT64_MAX, INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int big = 0; big < 2; big++) {
			struct file_bytes b = {.big = big};
			struct capture_read c;

			pcapng_add_section(&b);
			pcapng_add_interface(&b, 1, 0, 6, 0);
			pcapng_add_interface(&b, 1, 0, cases[i].tsresol, cases[i].offset);
			pcapng_add_packet(&b, 1, cases[i].ticks, data, 64, 64);
			pcapng_add_packet(&b, 0, 7, data, 64, 64);
			read_bytes(&c, &b, 1);
			assert_int_equal(c.rc, 0);
			assert_true(c.packet[0].t_ns == cases[i].t_ns);
			assert_int_equal(c.packet[0].interface, 1);
			assert_int_equal(c.packet[1].t_ns, 7000);
			capture_read_fini(&c);
			bytes_fini(&b);
		}
	}
}

/* Each section has its own byte order and counts its interfaces from 0. */
static void sections_in_a_row(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	for (uint32_t s = 0; s < 5; s++) {
		b.big = s % 2;
		pcapng_add_section(&b);
		for (uint32_t i = 0; i <= s % 3; i++)
			pcapng_add_interface(&b, (uint16_t)(100 + s), 0, 9, 0);
		pcapng_add_packet(&b, s % 3, s, data, 60 + s, 60 + s);
	}
	for (uint32_t batch = 1; batch < 20; batch += 3) {
		static const uint32_t interface[5] = {0, 2, 5, 6, 8};

		read_bytes(&c, &b, batch);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, 5);
		assert_int_equal(c.n_interfaces, 9);
		for (uint32_t s = 0; s < 5; s++) {
			assert_int_equal(c.packet[s].interface, interface[s]);
			assert_int_equal(c.interface[interface[s]].link, 100 + s);
			assert_int_equal(c.packet[s].t_ns, s);
			assert_int_equal(c.packet[s].cap_bytes, 60 + s);
		}
		capture_read_fini(&c);
	}
	bytes_fini(&b);
}

static void simple(struct file_bytes *body)
{
	bytes_add32(body, 150);
	bytes_add(body, data, 100); /* as the snap length cuts it */
}

static void obsolete(struct file_bytes *body)
{
	bytes_add16(body, 0);
	bytes_add16(body, 3); /* dropped before it */
	bytes_add32(body, 0);
	bytes_add32(body, 77);
	bytes_add32(body, 50);
	bytes_add32(body, 60);
	bytes_add(body, data, 50);
	bytes_add16(body, 0);
	option32(body, 2, 1);
	bytes_add32(body, 0);
}

static void simple_and_obsolete_packets(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcapng_add_section(&b);
	pcapng_add_interface(&b, 1, 100, 9, 0);
	add_of(&b, 3, simple);
	add_of(&b, 2, obsolete);
	add_of(&b, 3, simple);
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, 0);
	assert_int_equal(c.n, 3);
	assert_true(c.packet[0].untimed);
	assert_int_equal(c.packet[0].t_ns, 0);
	assert_int_equal(c.packet[0].cap_bytes, 100);
	assert_int_equal(c.packet[0].wire_bytes, 150);
	assert_false(c.packet[1].untimed);
	assert_int_equal(c.packet[1].t_ns, 77);
	assert_int_equal(c.packet[1].cap_bytes, 50);
	assert_int_equal(c.packet[1].wire_bytes, 60);
	assert_int_equal(c.packet[1].direction, DIRECTION_IN);
	assert_int_equal(c.interface[0].dropped_between, 3);
	assert_true(c.packet[2].untimed);
	assert_int_equal(c.packet[2].t_ns, 77);
	capture_read_fini(&c);
	bytes_fini(&b);
}

static void a_megabyte(struct file_bytes *body)
{
	for (int i = 0; i < 3500; i++)
		bytes_add(body, data, sizeof(data));
}

/* Name resolution, secrets, custom and unknown blocks, of any size. */
static void other_blocks_are_passed_over(void **state)
{
	static const uint32_t types[] = {
	        4, 7, 8, 9, 10, 0xbad, 0x40000bad, 0x80000001, 0xffffffff};
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcapng_add_section(&b);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		add_of(&b, types[i], i % 2 ? simple : a_megabyte);
	pcapng_add_interface(&b, 1, 0, 9, 0);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		add_of(&b, types[i], i % 2 ? a_megabyte : simple);
		pcapng_add_packet(&b, 0, i, data, 60, 60);
	}
	for (uint32_t batch = 1; batch < 100; batch += 33) {
		read_bytes(&c, &b, batch);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, sizeof(types) / sizeof(types[0]));
		for (uint32_t i = 0; i < c.n; i++)
			assert_int_equal(c.packet[i].t_ns, i);
		assert_false(c.cut);
		capture_read_fini(&c);
	}
	/* Cut within the last one but one. */
	b.n -= 92 + 1000;
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, 0);
	assert_true(c.cut);
	capture_read_fini(&c);
	bytes_fini(&b);
}

static void cut_anywhere(void **state)
{
	struct file_bytes b = {0}, part;
	struct capture_read c;
	size_t end[4];

	(void)state;
	pcapng_add_section(&b);
	pcapng_add_interface(&b, 1, 0, 9, 0);
	for (uint32_t i = 0; i < 4; i++) {
		pcapng_add_packet(&b, 0, i, data, 20 * i + 1, 100);
		end[i] = b.n;
	}
	for (size_t n = 24; n <= b.n; n++) {
		uint32_t packets = 0;
		bool whole = n == 28 || n == 60; /* after the section, the interface */

		for (uint32_t i = 0; i < 4; i++) {
			packets += end[i] <= n;
			whole = whole || end[i] == n;
		}
		part = b;
		part.n = n;
		read_bytes(&c, &part, 3);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, packets);
		assert_int_equal(c.cut, !whole);
		capture_read_fini(&c);
	}
	bytes_fini(&b);
}

static void damage_has_a_place(void **state)
{
	static const struct {
		size_t at; /* from the beginning of the second packet */
		uint32_t v;
		const char *says;
	} cases[] = {
	        {4, 8, "a block of 8 bytes"},
	        {4, 0x7fffffff, "a block of 2147483647 bytes"},
	        {4, 24, "ends with the length"},
	        {8, 9, "a packet of interface 9, but the section has described 1"},
	        {20, 65, "packet 2 claims 65 captured bytes, its block has room for 64"},
	        {20, UINT32_MAX, "packet 2 claims 4294967295"},
	        {92, 95, "ends with the length 95"},
	        {0, 0x0a0d0d0a, "byte-order magic"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_bytes b = {0};
		struct capture_read c;
		char place[40];
		size_t second;

		pcapng_add_section(&b);
		pcapng_add_interface(&b, 1, 0, 9, 0);
		pcapng_add_packet(&b, 0, 1, data, 64, 64);
		second = b.n;
		pcapng_add_packet(&b, 0, 1, data, 64, 64);
		pcapng_add_packet(&b, 0, 1, data, 64, 64);
		memcpy(b.p + second + cases[i].at, &cases[i].v, 4);
		read_bytes(&c, &b, 10);
		assert_int_equal(c.rc, -EINVAL);
		assert_int_equal(c.n, 1);
		(void)snprintf(place, sizeof(place), "byte %zu: ", second);
		if (!strstr(c.err.msg, cases[i].says) || !strstr(c.err.msg, place))
			fail_msg("%s", c.err.msg);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
}

/* An option that overruns its block ends the options, and nothing else. */
static void overrun(struct file_bytes *body)
{
	bytes_add16(body, 1);
	bytes_add16(body, 0);
	bytes_add32(body, 0);
	pcapng_add_option(body, 2, "eth1", 4);
	bytes_add16(body, 3);
	bytes_add16(body, 60000);
	bytes_add32(body, 0x20202020);
}

static void an_option_that_overruns(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcapng_add_section(&b);
	add_of(&b, 1, overrun);
	pcapng_add_packet(&b, 0, 5, data, 64, 64);
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, 0);
	assert_string_equal(c.interface[0].name, "eth1");
	assert_string_equal(c.interface[0].description, "");
	assert_int_equal(c.packet[0].t_ns, 5000);
	capture_read_fini(&c);
	bytes_fini(&b);
}

static void too_many_interfaces(void **state)
{
	struct file_bytes b = {0};
	struct capture_read c;

	(void)state;
	pcapng_add_section(&b);
	for (int i = 0; i < 17000; i++)
		pcapng_add_interface(&b, 1, 0, 6, 0);
	read_bytes(&c, &b, 10);
	assert_int_equal(c.rc, -EINVAL);
	assert_non_null(strstr(c.err.msg, "more than 16384 interfaces"));
	capture_read_fini(&c);
	bytes_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_option),
	        cmocka_unit_test(each_resolution_and_offset),
	        cmocka_unit_test(sections_in_a_row),
	        cmocka_unit_test(simple_and_obsolete_packets),
	        cmocka_unit_test(other_blocks_are_passed_over),
	        cmocka_unit_test(cut_anywhere),
	        cmocka_unit_test(damage_has_a_place),
	        cmocka_unit_test(an_option_that_overruns),
	        cmocka_unit_test(too_many_interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
