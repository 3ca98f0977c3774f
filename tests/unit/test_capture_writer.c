/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer wrote, the reader reads: every field of interfaces and packets. */
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

#include "capture/pcapng_writer.h"
#include "tests/support/capture_read.h"
#include "tests/support/file_bytes.h"

#define PACKETS 50

static const struct capture_interface host0 = {
        .name = "host0",
        .description = "port of host 0",
        .filter = "udp port 4791",
        .hardware = "simulated NIC",
        .comment = "incast-32, seed 1",
        .link = 1,
        .snap_bytes = 96,
        .speed_bps = UINT64_C(400000000000),
        .clock = {"virtual", CLOCK_VIRTUAL, TIMESCALE_VIRTUAL, 0, -1},
        .received = 1000,
        .dropped_by_interface = 0,
        .dropped_by_os = 7,
        .filter_accepted = 900,
        .delivered = 893,
};

static const struct capture_interface bare = {
        .link = 247,
        .received = CAPTURE_NO_COUNT,
        .dropped_by_interface = CAPTURE_NO_COUNT,
        .dropped_by_os = 3,
        .filter_accepted = CAPTURE_NO_COUNT,
        .delivered = CAPTURE_NO_COUNT,
        .clock = {.timescale = TIMESCALE_UTC, .residual_ns = -1},
};

static const uint8_t data[200] = {9, 8, 7};

static struct packet packet_of(uint32_t i)
{
	return (struct packet){.t_ns = CLOCK_VIRTUAL_EPOCH_NS + i * INT64_C(12345678901),
	        .data = data,
	        .cap_bytes = i % 97,
	        .wire_bytes = i % 97 + i,
	        .interface = i % 2,
	        .direction = (uint8_t)(i % 3)};
}

static void write_all(FILE *f)
{
	static char long_comment[70000];
	struct pcapng_writer w;
	struct packet p;

	memset(long_comment, 'c', sizeof(long_comment) - 1);
	pcapng_begin(&w, f, "squall 1", "a machine", long_comment);
	assert_int_equal(pcapng_interface(&w, &host0, NULL), 0);
	assert_int_equal(pcapng_interface(&w, &bare, "said of it"), 1);
	for (uint32_t i = 0; i < PACKETS; i++) {
		p = packet_of(i);
		pcapng_packet(&w, &p, i % 5 ? NULL : "a comment");
	}
	pcapng_statistics(&w, 0, &host0, CLOCK_VIRTUAL_EPOCH_NS);
	pcapng_statistics(&w, 1, &bare, CLOCK_VIRTUAL_EPOCH_NS);
	assert_int_equal(ftell(f), (long)w.bytes);
	assert_int_equal(w.bytes % 4, 0);
}

static void same_interface(const struct capture_interface *a, const struct capture_interface *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->description, b->description);
	assert_string_equal(a->filter, b->filter);
	assert_string_equal(a->hardware, b->hardware);
	assert_int_equal(a->link, b->link);
	assert_int_equal(a->snap_bytes, b->snap_bytes);
	assert_true(a->speed_bps == b->speed_bps);
	assert_string_equal(a->clock.name, b->clock.name);
	assert_int_equal(a->clock.kind, b->clock.kind);
	assert_int_equal(a->clock.timescale, b->clock.timescale);
	assert_int_equal(a->clock.residual_ns, b->clock.residual_ns);
	assert_true(a->received == b->received);
	assert_true(a->dropped_by_interface == b->dropped_by_interface);
	assert_true(a->dropped_by_os == b->dropped_by_os);
	assert_true(a->filter_accepted == b->filter_accepted);
	assert_true(a->delivered == b->delivered);
}

static void round_trip(void **state)
{
	char path[FILE_BYTES_PATH] = "/tmp/squall-test-XXXXXX";
	struct capture_read c;
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(f);
	write_all(f);
	assert_int_equal(ferror(f), 0);
	assert_int_equal(fclose(f), 0);
	capture_read(&c, path, NULL, 7);
	(void)unlink(path);
	assert_int_equal(c.rc, 0);
	assert_false(c.cut);
	assert_string_equal(c.format, "pcapng");
	assert_string_equal(c.section.application, "squall 1");
	assert_string_equal(c.section.hardware, "a machine");
	assert_int_equal(strlen(c.section.comment), sizeof(c.section.comment) - 1);
	assert_int_equal(c.n_interfaces, 2);
	same_interface(&c.interface[0], &host0);
	same_interface(&c.interface[1], &bare);
	assert_string_equal(c.interface[0].comment, host0.comment);
	assert_string_equal(c.interface[1].comment, "said of it");
	assert_int_equal(c.interface[0].resolution_ps, 1000);
	assert_int_equal(c.n, PACKETS);
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet p = packet_of(i);

		assert_true(c.packet[i].t_ns == p.t_ns);
		assert_int_equal(c.packet[i].cap_bytes, p.cap_bytes);
		assert_int_equal(c.packet[i].wire_bytes, p.wire_bytes);
		assert_int_equal(c.packet[i].interface, p.interface);
		assert_int_equal(c.packet[i].direction, p.direction);
		assert_false(c.packet[i].untimed);
		assert_memory_equal(c.packet[i].data, data, p.cap_bytes);
	}
	capture_read_fini(&c);
}

static void a_full_disk_stays_in_the_stream(void **state)
{
	struct pcapng_writer w;
	struct packet p = packet_of(90);
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	if (!f)
		skip();
	pcapng_begin(&w, f, "squall 1", NULL, NULL);
	(void)pcapng_interface(&w, &host0, NULL);
	for (int i = 0; i < 1000; i++)
		pcapng_packet(&w, &p, NULL);
	assert_int_not_equal(ferror(f), 0);
	(void)fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(round_trip),
	        cmocka_unit_test(a_full_disk_stays_in_the_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
