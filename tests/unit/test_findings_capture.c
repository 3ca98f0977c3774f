/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in what is wrong with packets and answers: just below its threshold each is absent,
 * at the threshold it is there, and nothing else is. One place, captures of a few frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/findings_check.h"

#define GBPS INT64_C(1000000000)
#define US   INT64_C(1000)

static void feed(struct tracekit *k, const uint8_t *frame, uint32_t bytes)
{
	struct packet p = {
	        .t_ns = k->t_ns, .data = frame, .cap_bytes = bytes, .wire_bytes = bytes};

	assert_int_equal(trace_feed(k->trace, &p, 1, ++k->number, NULL), 0);
	k->t_ns += 200;
}

/* A SEND whose byte `at`, counted from the end where negative, is not what it was. */
static void damaged(struct tracekit *k, uint32_t psn, int at)
{
	uint8_t frame[2048];
	struct frame_spec s = kit_spec(k, true, BTH_SEND_ONLY, psn);
	uint32_t n;

	s.payload_bytes = 256;
	n = frame_build(frame, sizeof(frame), &s, true);
	frame[at < 0 ? (uint32_t)((int)n + at) : (uint32_t)at] ^= 1;
	feed(k, frame, n);
}

static void sends(struct tracekit *k, uint32_t psn, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		kit_data(k, BTH_SEND_ONLY, psn + i, 256);
		k->t_ns += 200;
	}
}

static void one_icrc(void **state)
{
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	sends(&k, 0, 20);
	findings_are(&k, "");
	kit_open(&k, NULL, 100 * GBPS);
	sends(&k, 0, 20);
	damaged(&k, 20, -1);
	findings_are(&k, "corruption");
}

/* Nine, and more than half. */
static void most_icrcs(void **state)
{
	const struct {
		uint32_t bad, good;
		const char *findings;
	} cases[] = {{8, 0, "corruption"}, {9, 9, "corruption"}, {9, 8, "icrc-rewritten"}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		for (uint32_t i = 0; i < cases[c].bad; i++)
			damaged(&k, i, -1);
		sends(&k, cases[c].bad, cases[c].good);
		findings_are(&k, cases[c].findings);
	}
}

/* Byte 24 and 25 are the checksum of the IPv4 header, which the ICRC leaves out. */
static void malformed(void **state)
{
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	sends(&k, 0, 20);
	damaged(&k, 20, 25);
	findings_are(&k, "malformed");
}

static void refused(void **state)
{
	const struct {
		uint8_t syndrome;
		const char *findings;
	} cases[] = {{0x1f, ""}, {0x20 | 12, "rnr"}, {0x61, "invalid-request"},
	        {0x62, "remote-access-error"}, {0x63, "remote-operation-error"},
	        {0x64, "nak-other"}, {0x65, "nak-other"}, {0x60, "loss-hidden"}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		sends(&k, 0, 20);
		kit_nak(&k, cases[c].syndrome, 19);
		findings_are(&k, cases[c].findings);
	}
}

static void statistics(struct tracekit *k, uint64_t by_os, uint64_t by_interface)
{
	kit_open(k, NULL, 100 * GBPS);
	sends(k, 0, 20);
	trace_interface_counts(k->trace, 0, 20, by_os, by_interface);
}

static void capture_drops(void **state)
{
	struct tracekit k;

	(void)state;
	statistics(&k, 0, 0);
	findings_are(&k, "");
	statistics(&k, 1, 0);
	findings_are(&k, "capture-loss");
	statistics(&k, 0, 1);
	findings_are(&k, "capture-loss");
}

/* A message of ten of which one is not shown, acknowledged or not. */
static void acknowledged_unseen(void **state)
{
	(void)state;
	for (int acked = 0; acked < 2; acked++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		kit_data(&k, BTH_SEND_FIRST, 0, 1024);
		for (uint32_t i = 1; i < 9; i++) {
			k.t_ns += 200;
			if (i != 5)
				kit_data(&k, BTH_SEND_MIDDLE, i, 1024);
		}
		k.t_ns += 200;
		kit_data(&k, BTH_SEND_LAST, 9, 1024);
		k.t_ns += 2000;
		if (acked)
			kit_ack(&k, 9);
		findings_are(&k, acked ? "capture-loss" : "");
	}
}

/* One QP is answered, the other is not, for as long as `after_ns` before the capture ends. */
static void unanswered(struct tracekit *k, int64_t after_ns, bool answer)
{
	kit_open(k, NULL, 100 * GBPS);
	k->b_qp = 0x33;
	k->a_qp = 0x44;
	kit_data(k, BTH_SEND_ONLY, 7, 256);
	if (answer) {
		k->t_ns += 2 * US;
		kit_ack(k, 7);
		k->t_ns -= 2 * US;
	}
	k->b_qp = 0x22;
	k->a_qp = 0x11;
	k->t_ns += after_ns - 2 * US;
	kit_data(k, BTH_SEND_ONLY, 1000, 256);
	k->t_ns += 2 * US;
	kit_ack(k, 1000);
}

static void unacknowledged(void **state)
{
	struct tracekit k;

	(void)state;
	unanswered(&k, 1000 * US - 1, false);
	findings_are(&k, "");
	unanswered(&k, 1000 * US, false);
	findings_are(&k, "unacknowledged");
	unanswered(&k, 1000 * US, true);
	findings_are(&k, "");
}

static void link_level_pause(void **state)
{
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	uint8_t frame[PFC_FRAME_BYTES];
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	sends(&k, 0, 20);
	pause_frame_build(frame, mac, 100);
	feed(&k, frame, sizeof(frame));
	sends(&k, 20, 20);
	findings_are(&k, "link-level-pause");
}

/* Four flows with one source port; three; four with two. */
static void one_source_port(void **state)
{
	const struct {
		uint32_t flows;
		bool other;
		const char *findings;
	} cases[] = {{3, false, ""}, {4, false, "one-source-port"}, {4, true, ""}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		for (uint32_t i = 0; i < cases[c].flows; i++) {
			k.b_qp = 0x100 + i;
			k.sport = cases[c].other && i == 2 ? 50002 : 50000;
			sends(&k, 0, 4);
		}
		findings_are(&k, cases[c].findings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_icrc),
	        cmocka_unit_test(most_icrcs),
	        cmocka_unit_test(malformed),
	        cmocka_unit_test(refused),
	        cmocka_unit_test(capture_drops),
	        cmocka_unit_test(acknowledged_unseen),
	        cmocka_unit_test(unacknowledged),
	        cmocka_unit_test(link_level_pause),
	        cmocka_unit_test(one_source_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
