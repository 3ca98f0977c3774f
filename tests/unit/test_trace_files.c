/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: two captures of one path with clocks that differ, a file that is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/trace/trace.h"
#include "analysis/trace/trace_json.h"
#include "capture/pcapng_writer.h"
#include "dataplane/base/check.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/opcode.h"

#define START_NS  INT64_C(1700000000000000000)
#define OFFSET_NS INT64_C(3000000777) /* the receiver's clock is ahead by so much */

enum { PACKETS = 2000, LATENCY_NS = 1500 };

struct side {
	FILE *f;
	struct pcapng_writer w;
	char path[64];
	int64_t ahead_ns, drift_ppb;
};

static void side_open(struct side *s, const char *name, int64_t ahead_ns, int64_t drift_ppb)
{
	struct capture_interface i = {.link = 1,
	        .resolution_ps = 1000,
	        .received = CAPTURE_NO_COUNT,
	        .dropped_by_interface = CAPTURE_NO_COUNT,
	        .dropped_by_os = CAPTURE_NO_COUNT,
	        .filter_accepted = CAPTURE_NO_COUNT,
	        .delivered = CAPTURE_NO_COUNT};
	int fd;

	(void)snprintf(i.name, sizeof(i.name), "%s", name);
	(void)snprintf(s->path, sizeof(s->path), "/tmp/squall-trace-%s-XXXXXX", name);
	fd = mkstemp(s->path);
	CHECK(fd >= 0);
	s->f = fdopen(fd, "w");
	CHECK(s->f);
	s->ahead_ns = ahead_ns;
	s->drift_ppb = drift_ppb;
	pcapng_begin(&s->w, s->f, "test", NULL, NULL);
	(void)pcapng_interface(&s->w, &i, NULL);
}

static void side_packet(struct side *s, const struct frame_spec *spec, int64_t t_ns)
{
	uint8_t frame[2048];
	uint32_t n = frame_build(frame, sizeof(frame), spec, true);
	struct packet p = {
	        .t_ns = t_ns + s->ahead_ns + (t_ns - START_NS) * s->drift_ppb / 1000000000,
	        .data = frame,
	        .cap_bytes = n,
	        .wire_bytes = n};

	pcapng_packet(&s->w, &p, NULL);
}

static struct frame_spec spec_of(bool from_a, uint8_t opcode, uint32_t psn, uint16_t ip_id)
{
	struct frame_spec s = {.ip_version = 4,
	        .ttl = 64,
	        .ecn = 2,
	        .ip_id = ip_id,
	        .sport = 50000,
	        .opcode = opcode,
	        .dqp = from_a ? 2 : 1,
	        .psn = psn,
	        .aeth_syndrome = 0x1f,
	        .payload_bytes = from_a ? 64 : 0};

	memcpy(s.src.ip, (uint8_t[]){10, 0, 0, from_a ? 1 : 2}, 4);
	memcpy(s.dst.ip, (uint8_t[]){10, 0, 0, from_a ? 2 : 1}, 4);
	return s;
}

/* Every hundredth packet is lost between the two and sent again 20 us later. */
static void make(struct side *a, struct side *b, int64_t ahead_ns, int64_t drift_ppb)
{
	int64_t t_ns = START_NS;
	uint16_t id = 1;

	side_open(a, "sender", 0, 0);
	side_open(b, "receiver", ahead_ns, drift_ppb);
	for (uint32_t psn = 0; psn < PACKETS; psn++) {
		struct frame_spec s = spec_of(true, BTH_SEND_ONLY, psn, id++);

		side_packet(a, &s, t_ns);
		if (psn % 100 == 50) {
			t_ns += 20000;
			s.ip_id = id++;
			side_packet(a, &s, t_ns);
		}
		side_packet(b, &s, t_ns + LATENCY_NS);
		s = spec_of(false, BTH_ACKNOWLEDGE, psn, 0);
		s.aeth_msn = psn;
		side_packet(b, &s, t_ns + LATENCY_NS + 300);
		side_packet(a, &s, t_ns + 2 * LATENCY_NS + 300);
		t_ns += 10000;
	}
	CHECK(!fclose(a->f) && !fclose(b->f));
}

static char *json_of(const char *const path[], uint32_t n, uint32_t threads,
        void (*look)(const struct trace_result *r))
{
	const struct trace_options o = {.threads = threads};
	const struct trace_json_options j = {.messages = true, .timeline = true};
	const struct trace_result *r;
	struct trace *t;
	struct err e = {0};
	char *text;
	size_t bytes;
	FILE *f;

	assert_int_equal(trace_open(&t, &o, &e), 0);
	assert_int_equal(trace_files(t, path, n, &e), 0);
	r = trace_finish(t);
	if (look)
		look(r);
	f = open_memstream(&text, &bytes);
	assert_non_null(f);
	trace_json_write(f, r, &j);
	assert_int_equal(fclose(f), 0);
	trace_close(t);
	return text;
}

static void look_at_two(const struct trace_result *r)
{
	const struct trace_flow *f = r->flow[0].src.ip[3] == 1 ? &r->flow[0] : &r->flow[1];
	uint64_t lost = 0;

	assert_int_equal(r->roce.data_packets, PACKETS + PACKETS / 100);
	assert_int_equal(r->roce.acks, PACKETS);
	assert_int_equal(r->roce.retransmitted_packets, PACKETS / 100);
	assert_int_equal(f->n_views, 2);
	assert_int_equal(r->view[f->first_view].interface, 0);
	assert_int_equal(r->view[f->first_view].lost_after, PACKETS / 100);
	for (uint32_t i = 0; i < r->n_paths; i++)
		lost += r->path[i].lost;
	assert_int_equal(lost, PACKETS / 100);
	assert_int_equal(r->n_losses, PACKETS / 100);
	for (uint32_t i = 0; i < r->n_losses; i++) {
		assert_int_equal(r->loss[i].first_psn % 100, 50);
		assert_int_equal(r->loss[i].after_interface, 0);
		assert_int_equal(r->loss[i].before_interface, 1);
	}
	assert_int_equal(r->interface[1].offset_ns, -OFFSET_NS);
	assert_int_equal(r->interface[1].residual_ns, LATENCY_NS);
	assert_int_equal(f->latency_ns.min, LATENCY_NS);
	assert_int_equal(f->latency_ns.max, LATENCY_NS);
	assert_int_equal(f->latency_ns.n, PACKETS);
	assert_false(r->path[0].common_clock);
	assert_int_equal(r->n_messages, PACKETS);
}

static void two_captures(void **state)
{
	struct side a, b;
	const char *path[2];
	char *one, *four;

	(void)state;
	make(&a, &b, OFFSET_NS, 0);
	path[0] = a.path;
	path[1] = b.path;
	one = json_of(path, 2, 1, look_at_two);
	four = json_of(path, 2, 4, look_at_two);
	assert_string_equal(one, four);
	free(one);
	free(four);
	(void)unlink(a.path);
	(void)unlink(b.path);
}

/* A clock that is off by an hour and runs 50 ppm faster, over 20 ms: 1 us of drift. */
static void look_at_drift(const struct trace_result *r)
{
	const struct trace_flow *f = r->flow[0].src.ip[3] == 1 ? &r->flow[0] : &r->flow[1];

	assert_int_equal(r->roce.data_packets, PACKETS + PACKETS / 100);
	assert_int_equal(r->roce.missing_psns, 0); /* sent again before the next */
	assert_int_equal(r->n_losses, PACKETS / 100);
	for (uint32_t i = 0; i < r->n_losses; i++) {
		assert_int_equal(r->loss[i].first_psn % 100, 50);
		assert_int_equal(r->loss[i].after_interface, 0);
		assert_int_equal(r->loss[i].before_interface, 1);
	}
	assert_in_range(r->interface[1].drift_ppb, -50400, -49600);
	assert_int_equal(f->latency_ns.n, PACKETS);
	assert_in_range(f->latency_ns.min, LATENCY_NS - 10, LATENCY_NS + 10);
	assert_in_range(f->latency_ns.max, LATENCY_NS - 10, LATENCY_NS + 10);
	assert_int_equal(r->n_paths, 2);
}

static void clocks_that_drift(void **state)
{
	struct side a, b;
	const char *path[2];

	(void)state;
	make(&a, &b, INT64_C(3600000000000), 50000);
	path[0] = a.path;
	path[1] = b.path;
	free(json_of(path, 2, 2, look_at_drift));
	(void)unlink(a.path);
	(void)unlink(b.path);
}

static void look_at_cut(const struct trace_result *r)
{
	assert_true(r->file[0].cut);
	assert_true(r->frames > 100);
	assert_int_equal(r->file[0].frames, r->frames);
	assert_string_equal(r->file[0].format, "pcapng");
}

static void cut_within_a_packet(void **state)
{
	struct side a, b;
	const char *path[1];
	struct stat st;

	(void)state;
	make(&a, &b, OFFSET_NS, 0);
	assert_int_equal(stat(b.path, &st), 0);
	assert_int_equal(truncate(b.path, st.st_size / 2 / 4 * 4 + 2), 0);
	path[0] = b.path;
	free(json_of(path, 1, 2, look_at_cut));
	(void)unlink(a.path);
	(void)unlink(b.path);
}

static void no_such_file(void **state)
{
	const char *path[] = {"/nonexistent/capture.pcap"};
	const struct trace_options o = {.threads = 1};
	struct err e = {0};
	struct trace *t;

	(void)state;
	assert_int_equal(trace_open(&t, &o, &e), 0);
	assert_true(trace_files(t, path, 1, &e) < 0);
	assert_non_null(strstr(e.msg, "/nonexistent/capture.pcap"));
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(two_captures),
	        cmocka_unit_test(clocks_that_drift),
	        cmocka_unit_test(cut_within_a_packet),
	        cmocka_unit_test(no_such_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
