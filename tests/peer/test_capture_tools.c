/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wireshark's and tcpdump's programs as peers: they read what we write, we read what they
 * write, and both see the same packets.
 */
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
#include "tests/support/reference.h"

#define PACKETS 40
#define S       INT64_C(1000000000)

static char folder[] = "/tmp/squall-test-XXXXXX";
static char ours[64];

/* An Ethernet frame of IPv4 and UDP to the RoCE port; what follows is opaque here. */
static const uint8_t frame[1082] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 4, 0x2c,
        0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0xc0, 0, 0x12, 0xb7, 4, 0x18, 0,
        0, 0, 0x40, 0xff, 0xff, 0, 0, 0, 0x11, 0x80, 0, 0, 1};

static const struct capture_interface interfaces[2] = {
        {.name = "host0",
                .description = "port of host 0",
                .filter = "udp port 4791",
                .hardware = "simulated NIC",
                .link = 1,
                .speed_bps = UINT64_C(100000000000),
                .clock = {"virtual", CLOCK_VIRTUAL, TIMESCALE_VIRTUAL, 0, -1},
                .received = PACKETS / 2 + 3,
                .dropped_by_interface = 1,
                .dropped_by_os = 2,
                .filter_accepted = PACKETS / 2,
                .delivered = PACKETS / 2},
        {.name = "host1",
                .link = 1,
                .clock = {"virtual", CLOCK_VIRTUAL, TIMESCALE_VIRTUAL, 0, -1},
                .received = PACKETS / 2,
                .dropped_by_interface = CAPTURE_NO_COUNT,
                .dropped_by_os = 0,
                .filter_accepted = CAPTURE_NO_COUNT,
                .delivered = CAPTURE_NO_COUNT},
};

static struct packet packet_of(uint32_t i)
{
	return (struct packet){.t_ns = CLOCK_VIRTUAL_EPOCH_NS + i * INT64_C(123456789),
	        .data = frame,
	        .cap_bytes = i % 2 ? 1082 - i : 96,
	        .wire_bytes = 1082,
	        .interface = i % 2,
	        .direction = (uint8_t)(i % 3)};
}

static void write_ours(void)
{
	FILE *f = fopen(ours, "w");
	struct pcapng_writer w;

	assert_non_null(f);
	pcapng_begin(&w, f, "squall test", "a machine", "scenario incast-32, seed 1");
	for (int i = 0; i < 2; i++)
		(void)pcapng_interface(&w, &interfaces[i], i ? NULL : "the first host");
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet p = packet_of(i);

		pcapng_packet(&w, &p, i % 10 ? NULL : "ten more");
	}
	for (uint32_t i = 0; i < 2; i++)
		pcapng_statistics(&w, i, &interfaces[i], CLOCK_VIRTUAL_EPOCH_NS + 5 * S);
	assert_int_equal(ferror(f) | fclose(f), 0);
}

/* Runs a shell command with our file as $1 and the folder as $2; its output, for the caller to
 * free. */
static char *shell(const char *command)
{
	char line[2000], *out = NULL;
	size_t n = 0, max = 0;
	FILE *f;
	int c;

	(void)snprintf(
	        line, sizeof(line), "set -- %s %s; export TZ=UTC; %s", ours, folder, command);
	f = popen(line, "r");
	assert_non_null(f);
	while ((c = fgetc(f)) != EOF) {
		if (n + 1 >= max) {
			max = 2 * max + 1000;
			out = realloc(out, max);
			assert_non_null(out);
		}
		out[n++] = (char)c;
	}
	if (pclose(f))
		fail_msg("%s failed: %.*s", command, (int)n, out ? out : "");
	if (!out)
		out = calloc(1, 1);
	else
		out[n] = '\0';
	return out;
}

static void says(const char *command, const char *const *texts)
{
	char *out = shell(command);

	for (; *texts; texts++) {
		if (!strstr(out, *texts))
			fail_msg("%s: no \"%s\" in:\n%s", command, *texts, out);
	}
	free(out);
}

static void capinfos_agrees(void **state)
{
	static const char *const texts[] = {"File type:           Wireshark/... - pcapng",
	        "File timestamp precision:  nanoseconds (9)", "Number of packets:   40",
	        "Capture hardware:    a machine", "Capture application: squall test",
	        "Capture comment:     scenario incast-32, seed 1", "Name = host0",
	        "Name = host1",
	        "Description = port of host 0; squall clock=virtual kind=virtual "
	        "timescale=virtual",
	        "Hardware = simulated NIC", "Filter string = udp port 4791",
	        "Speed = 100000000000", "Capture length = 0",
	        "Time precision = nanoseconds (9)",
	        "First packet time:   2000-01-01 00:00:00.000000000",
	        "Last packet time:    2000-01-01 00:00:04.814814771", NULL};

	(void)state;
	says("capinfos $1 2>&1", texts);
}

static void tshark_sees_each_packet(void **state)
{
	char *out = shell(
	        "tshark -r $1 -T fields -e frame.time_epoch -e frame.cap_len -e frame.len "
	        "-e frame.interface_name -e frame.packet_flags_direction -e frame.comment "
	        "-e udp.dstport 2>$2/err; sed /root/d $2/err");
	const char *p = out;

	(void)state;
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet q = packet_of(i);
		char line[200], direction[20] = "";
		size_t n;

		if (q.direction)
			(void)snprintf(direction, sizeof(direction), "0x%08x", q.direction);
		(void)snprintf(line, sizeof(line),
		        "%" PRId64 ".%09" PRId64 "\t%u\t1082\thost%u\t%s\t%s\t4791\n",
		        q.t_ns / S, q.t_ns % S, q.cap_bytes, q.interface, direction,
		        i % 10 ? "" : "ten more");
		n = strlen(line);
		if (strncmp(p, line, n) != 0)
			fail_msg("packet %u: %.*s, expected %s", i, (int)strcspn(p, "\n"), p,
			        line);
		p += n;
	}
	assert_string_equal(p, ""); /* and no complaint */
	free(out);
}

static void tshark_sees_the_statistics(void **state)
{
	static const char *const texts[] = {"\t23\t1\t", NULL};

	(void)state;
	says("tshark -r $1 -X read_format:'MIME Files Format' -T fields -e "
	     "pcapng.options.option.data.interface.received -e "
	     "pcapng.options.option.data.interface.dropped -E separator=/t -E occurrence=f "
	     "2>&1 | "
	     "sed 's/^/\t/;s/$/\t/'",
	        texts);
}

static void tcpdump_reads_it(void **state)
{
	char *out =
	        shell("tcpdump --nano -tt -n -r $1 2>$2/err | wc -l; sed /reading/d $2/err");

	(void)state;
	assert_string_equal(out, "40\n");
	free(out);
}

/* What tools made of our file, read by us: the same packets, but for what the format loses. */
static void same_packets(const char *name, int64_t tick_ns)
{
	struct capture_read c;
	char path[200];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	capture_read(&c, path, NULL, 16);
	if (c.rc)
		fail_msg("%s: %s", name, c.err.msg);
	if (c.n != PACKETS || c.cut)
		fail_msg("%s: %u packets", name, c.n);
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct packet p = packet_of(i);

		if (c.packet[i].t_ns != p.t_ns - p.t_ns % tick_ns)
			fail_msg("%s: packet %u at %" PRId64, name, i, c.packet[i].t_ns);
		assert_int_equal(c.packet[i].cap_bytes, p.cap_bytes);
		assert_int_equal(c.packet[i].wire_bytes, p.wire_bytes);
		assert_memory_equal(c.packet[i].data, frame, p.cap_bytes);
		if (strstr(name, "ng"))
			assert_int_equal(c.packet[i].direction, p.direction);
	}
	if (strstr(name, "ng")) {
		assert_int_equal(c.n_interfaces, 2);
		assert_string_equal(c.interface[0].name, "host0");
		assert_string_equal(c.interface[0].description, "port of host 0");
		assert_int_equal(c.interface[0].clock.kind, CLOCK_VIRTUAL);
	}
	capture_read_fini(&c);
}

static void reads_what_tools_write(void **state)
{
	static const struct {
		const char *command, *name;
		int64_t tick_ns;
	} cases[] = {
	        {"editcap -F pcapng $1 $2/a.ng", "a.ng", 1},
	        {"editcap -F pcap $1 $2/a.pcap", "a.pcap", 1000},
	        {"editcap -F nsecpcap $1 $2/a.ns", "a.ns", 1},
	        {"editcap -F modpcap $1 $2/a.mod", "a.mod", 1000},
	        {"editcap -F rh6_1pcap $1 $2/a.rh", "a.rh", 1000},
	        {"editcap -F suse6_3pcap $1 $2/a.suse", "a.suse", 1000},
	        {"editcap -F nokiapcap $1 $2/a.nokia", "a.nokia", 1000},
	        {"mergecap -F pcapng -w $2/merged.ng $1", "merged.ng", 1},
	        {"gzip -c $1 >$2/a.ng.gz", "a.ng.gz", 1},
	        {"gzip -9 -c $2/a.ns >$2/a.ns.gz", "a.ns.gz", 1},
	        {"zstd -q -c $1 >$2/a.ng.zst", "a.ng.zst", 1},
	        {"zstd -q -19 --long=27 -c $1 >$2/b.ng.zst", "b.ng.zst", 1},
	        {"{ head -c 700 $1 | gzip; tail -c +701 $1 | gzip; } >$2/two.ng.gz",
	                "two.ng.gz", 1},
	        {"tcpdump -n -r $1 --nano -w $2/a.dump 2>&1", "a.dump", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		free(shell(cases[i].command));
		same_packets(cases[i].name, cases[i].tick_ns);
	}
}

/* ERF of our own making; tshark is the judge of each stamp and length. */
static void add_erf(struct file_bytes *b, uint64_t t, uint8_t type, uint8_t port,
        uint32_t data_bytes, uint16_t wire, uint32_t extensions)
{
	uint32_t pad = type == 21 ? 0 : 2, bytes = 16 + 8 * extensions + pad + data_bytes;

	b->big = false;
	bytes_add64(b, t);
	b->big = true;
	bytes_add8(b, (uint8_t)(type | (extensions ? 0x80 : 0)));
	bytes_add8(b, (uint8_t)(4 | port));
	bytes_add16(b, (uint16_t)((bytes + 7) & ~7u));
	bytes_add16(b, 0);
	bytes_add16(b, wire);
	for (uint32_t i = 0; i < extensions; i++)
		bytes_add64(b, (uint64_t)(i + 1 < extensions ? 0x83 : 0x03) << 56);
	bytes_add(b, "\0\0", pad);
	bytes_add(b, frame, data_bytes);
	while (bytes++ % 8)
		bytes_add8(b, 0);
}

static void erf_as_tshark_reads_it(void **state)
{
	struct file_bytes b = {0};
	char path[FILE_BYTES_PATH], command[200], *out, *p;
	struct capture_read c;

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		uint64_t t = UINT64_C(1700000000) << 32 | i * UINT64_C(140000007);

		add_erf(&b, t, i % 3 ? 2 : 21, i % 4, 90 + i, (uint16_t)(i % 2 ? 1086 : 90 + i),
		        i % 5);
	}
	(void)bytes_save(path, &b);
	capture_read(&c, path, NULL, 4);
	if (c.rc)
		fail_msg("%s", c.err.msg);
	assert_string_equal(c.format, "erf");
	assert_int_equal(c.n, 30);
	(void)snprintf(command, sizeof(command),
	        "tshark -r %s -T fields -e frame.time_epoch -e erf.wlen 2>/dev/null", path);
	p = out = shell(command);
	for (uint32_t i = 0; i < 30; i++) {
		const struct packet *q = &c.packet[i];
		uint32_t fcs = i % 3 ? 4 : 0, wire = i % 2 ? 1086 : 90 + i;
		uint32_t head = 16 + 8 * (i % 5) + (i % 3 ? 2 : 0);
		/* Of a packet that was cut, the filling cannot be told from the packet. */
		uint32_t filled = ((head + 90 + i + 7) & ~7u) - head;
		int64_t s, ns;
		unsigned wlen;

		assert_int_equal(sscanf(p, "%" SCNd64 ".%" SCNd64 " %u\n", &s, &ns, &wlen), 3);
		assert_true(q->t_ns == s * S + ns);
		assert_int_equal(wlen, wire);
		assert_int_equal(q->wire_bytes, wire - fcs);
		assert_int_equal(q->cap_bytes, i % 2 ? filled : 90 + i - fcs);
		assert_memory_equal(q->data, frame, 90 + i - fcs);
		assert_int_equal(c.interface[q->interface].link, i % 3 ? 1 : 247);
		assert_int_equal(c.interface[q->interface].resolution_ps, 233);
		assert_int_equal(c.interface[q->interface].name[4], '0' + i % 4);
		p += strcspn(p, "\n") + 1;
	}
	assert_int_equal(c.n_interfaces, 8);
	free(out);
	(void)unlink(path);
	capture_read_fini(&c);
	bytes_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(capinfos_agrees),
	        cmocka_unit_test(tshark_sees_each_packet),
	        cmocka_unit_test(tshark_sees_the_statistics),
	        cmocka_unit_test(tcpdump_reads_it),
	        cmocka_unit_test(reads_what_tools_write),
	        cmocka_unit_test(erf_as_tshark_reads_it),
	};
	char remove[100];
	int failed;

	if (system("command -v tshark capinfos editcap mergecap tcpdump gzip zstd "
	           ">/dev/null")) {
		printf("skipped: needs tshark, capinfos, editcap, mergecap, tcpdump, gzip, "
		       "zstd\n");
		return TEST_SKIP;
	}
	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(ours, sizeof(ours), "%s/ours.pcapng", folder);
	write_ours();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)snprintf(remove, sizeof(remove), "rm -r %s", folder);
	return system(remove) || failed;
}
