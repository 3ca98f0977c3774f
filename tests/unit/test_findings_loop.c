/* SPDX-License-Identifier: Apache-2.0 */
/* Findings in marks, notifications and pauses: just below its threshold each is absent, at the
 * threshold it is there, and nothing else is. One place, captures made frame by frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "tests/support/findings_check.h"

#define GBPS INT64_C(1000000000)
#define US   INT64_C(1000)
enum { NOT_ECT = 0, ECT = 2, CE = 3 };

static void sends(struct tracekit *k, uint32_t psn, uint32_t n, uint8_t ecn, int64_t step_ns)
{
	k->ecn = ecn;
	for (uint32_t i = 0; i < n; i++) {
		kit_data(k, BTH_SEND_ONLY, psn + i, 256);
		k->t_ns += step_ns;
	}
}

static void acknowledge(struct tracekit *k, uint32_t psn, bool becn)
{
	struct frame_spec s = kit_spec(k, false, BTH_ACKNOWLEDGE, psn);

	s.aeth_syndrome = 0x1f;
	s.becn = becn;
	kit_frame(k, &s);
}

enum answer { ACKS, CNPS, BECN };

/* n marks, an answer, and `after_ns` from the first mark to the end. */
static void marked(struct tracekit *k, uint32_t n, enum answer how, int64_t after_ns)
{
	int64_t begin_ns;

	kit_open(k, NULL, 100 * GBPS);
	sends(k, 0, 1, ECT, 200);
	acknowledge(k, 0, false);
	begin_ns = k->t_ns;
	sends(k, 1, n, CE, 200);
	if (how == CNPS)
		kit_cnp(k);
	acknowledge(k, n, how == BECN);
	k->t_ns = begin_ns + after_ns;
	sends(k, n + 1, 1, ECT, 0);
}

static void ce_without_cnp(void **state)
{
	struct tracekit k;

	(void)state;
	marked(&k, 5, ACKS, 50 * US);
	findings_are(&k, "ce-without-cnp");
	marked(&k, 4, ACKS, 50 * US);
	findings_are(&k, "");
	marked(&k, 5, ACKS, 50 * US - 1);
	findings_are(&k, "");
	marked(&k, 5, CNPS, 50 * US);
	findings_are(&k, "");
	marked(&k, 5, BECN, 50 * US);
	findings_are(&k, "");
}

static void becn_is_counted(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	marked(&k, 5, BECN, 50 * US);
	r = kit_finish(&k);
	assert_int_equal(r->roce.becn_acks, 1);
	assert_int_equal(r->roce.acks, 2);
	assert_int_equal(r->roce.cnps, 0);
	assert_int_equal(r->roce.ce_packets, 5);
	kit_close(&k);
}

/* One mark that is answered, then CNPs that nothing explains. */
static void cnp_without_ce(void **state)
{
	(void)state;
	for (uint32_t n = 4; n <= 5; n++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		sends(&k, 0, 1, CE, 200);
		kit_cnp(&k);
		acknowledge(&k, 0, false);
		for (uint32_t i = 0; i < n; i++) {
			k.t_ns += 60 * US;
			kit_cnp(&k);
		}
		findings_are(&k, n < 5 ? "" : "cnp-without-ce");
	}
}

/* CNPs with the stamp of the mark that they answer, before the two directions are known for
 * such.
 */
static void at_one_time(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 100 * GBPS);
	for (uint32_t i = 0; i < 8; i++) {
		sends(&k, i, 1, CE, 0);
		kit_cnp(&k);
		k.t_ns += 60 * US;
	}
	acknowledge(&k, 7, false);
	r = kit_finish(&k);
	assert_int_equal(kit_flow(&k, r)->loop.cnps_ce, 8);
	assert_int_equal(kit_flow(&k, r)->loop.cnps_unexplained, 0);
	kit_close(&k);
}

/* A WRITE of n packets at one distance, with CNPs evenly between them; `cut`: after one of them
 * the distance is double. */
static void deaf(struct tracekit *k, uint32_t n, uint32_t cnps, bool cut)
{
	uint32_t sent = 0;

	kit_open(k, NULL, 100 * GBPS);
	sends(k, 0xffffff, 1, CE, 200);
	kit_ack(k, 0xffffff);
	for (uint32_t i = 0; i < n; i++) {
		struct frame_spec s = kit_spec(k, true,
		        i == 0       ? BTH_WRITE_FIRST
		        : i + 1 == n ? BTH_WRITE_LAST
		                     : BTH_WRITE_MIDDLE,
		        i);

		s.ecn = CE;
		s.payload_bytes = k->mtu;
		s.reth_bytes = n * k->mtu;
		kit_frame(k, &s);
		k->t_ns += cut && i > n / 2 ? 400 : 200;
		if (sent < cnps && i >= 39 * (sent + 1)) {
			kit_cnp(k);
			sent++;
		}
	}
	kit_ack(k, n - 1);
	assert_int_equal(sent, cnps);
}

static void cnp_ignored(void **state)
{
	struct tracekit k;

	(void)state;
	deaf(&k, 1999, 50, false);
	findings_are(&k, "cnp-ignored");
	deaf(&k, 2000, 49, false);
	findings_are(&k, "");
	deaf(&k, 1998, 50, false);
	findings_are(&k, "");
	deaf(&k, 2000, 50, true);
	findings_are(&k, "");
}

/*
 * QPs that are marked all the time, and their receiver's CNPs: one timer for all, or one for
 * each with phases by chance, at any speed of replay.
 */
static void answered(struct tracekit *k, uint32_t qps, uint32_t cnps, uint32_t ce_per_cnp,
        bool one_timer, int64_t step_ns)
{
	struct rng rng = rng_make(7, 0, RNG_FAULT);
	uint32_t psn[8] = {0}, at = 0;

	kit_open(k, NULL, 100 * GBPS);
	for (uint32_t i = 0; i < cnps; i++) {
		for (uint32_t n = 0; n < ce_per_cnp; n++) {
			k->b_qp = 0x100 + at % qps;
			k->a_qp = 0x200 + at % qps;
			k->sport = (uint16_t)(50000 + at % qps);
			sends(k, psn[at % qps], 1, CE, 0);
			kit_ack(k, psn[at % qps]++);
			k->t_ns += step_ns / ce_per_cnp;
			at++;
		}
		kit_cnp(k);
		k->t_ns += one_timer ? 100 : (int64_t)rng_below(&rng, 8 * (uint64_t)step_ns);
	}
}

static void throttled(void **state)
{
	const struct {
		uint32_t qps, cnps, ce_per_cnp;
		bool one_timer;
		int64_t step_ns;
		const char *findings;
	} cases[] = {
	        {4, 50, 3, true, 4 * US, "cnp-throttled-per-port"},
	        {3, 50, 3, true, 4 * US, ""}, {4, 49, 3, true, 4 * US, ""},
	        {4, 50, 2, true, 4 * US, ""}, {4, 50, 3, true, 2 * US - 200, ""},
	        {4, 50, 3, true, 4000 * US, "cnp-throttled-per-port"},
	        {4, 50, 3, false, 4000 * US, ""}, /* a slow replay */
	};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tracekit k;

		answered(&k, cases[c].qps, cases[c].cnps, cases[c].ce_per_cnp,
		        cases[c].one_timer, cases[c].step_ns);
		print_message("case %zu\n", c);
		findings_are(&k, cases[c].findings);
	}
}

/* Data with and without ECT in one queue. */
static void non_ect(void **state)
{
	const struct {
		uint32_t not_ect, ce;
		const char *findings;
	} cases[] = {{10, 10, "non-ect"}, {9, 10, ""}, {10, 9, ""}};

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		sends(&k, 0, 30, ECT, 200);
		sends(&k, 30, cases[c].ce, CE, 200);
		k.b_qp = 0x33;
		k.sport++;
		sends(&k, 0, cases[c].not_ect, NOT_ECT, 200);
		findings_are(&k, cases[c].findings);
	}
}

/* Somebody pauses so many times for so long; of 100 packets some have no ECT. */
static void pauses(struct tracekit *k, uint32_t xoffs, int64_t each_ns, uint32_t not_ect)
{
	kit_open(k, NULL, 100 * GBPS);
	sends(k, 0, not_ect, NOT_ECT, 200);
	sends(k, not_ect, 100 - not_ect, ECT, 200);
	for (uint32_t i = 0; i < xoffs; i++) {
		kit_pfc(k, 9, 1 << 3, 0xffff);
		k->t_ns += each_ns;
		kit_pfc(k, 9, 1 << 3, 0);
		k->t_ns += 1 * US;
	}
}

static void pauses_and_marks(void **state)
{
	struct tracekit k;

	(void)state;
	pauses(&k, 5, 1 * US, 51);
	findings_are(&k, "pfc-without-ecn");
	pauses(&k, 5, 1 * US, 50);
	findings_are(&k, "pfc-before-ecn");
	pauses(&k, 4, 1 * US, 51);
	findings_are(&k, "");
	pauses(&k, 1, 20 * US, 51);
	findings_are(&k, "pfc-without-ecn");
	pauses(&k, 1, 20 * US - 1, 51);
	findings_are(&k, "");
	/* One mark in two thousand is hardly any. */
	pauses(&k, 5, 1 * US, 0);
	sends(&k, 100, 1900, ECT, 200);
	findings_are(&k, "pfc-before-ecn");
	pauses(&k, 5, 1 * US, 0);
	sends(&k, 100, 1, CE, 200);
	sends(&k, 101, 1900, ECT, 200);
	findings_are(&k, "pfc-before-ecn");
	pauses(&k, 5, 1 * US, 0);
	sends(&k, 100, 1, CE, 200);
	sends(&k, 101, 1898, ECT, 200);
	findings_are(&k, "");
}

/* At the port of a sender marks are not seen, ECT is. */
static void pauses_at_the_sender(void **state)
{
	(void)state;
	for (uint32_t not_ect = 50; not_ect <= 51; not_ect++) {
		struct tracekit k;

		kit_open(&k, NULL, 100 * GBPS);
		k.direction = DIRECTION_OUT;
		sends(&k, 0, not_ect, NOT_ECT, 200);
		sends(&k, not_ect, 100 - not_ect, ECT, 200);
		k.direction = DIRECTION_IN;
		for (uint32_t i = 0; i < 5; i++) {
			kit_pfc(&k, 9, 1 << 3, 0xffff);
			k.t_ns += 1 * US;
			kit_pfc(&k, 9, 1 << 3, 0);
			k.t_ns += 1 * US;
		}
		findings_are(&k, not_ect == 51 ? "pfc-without-ecn" : "");
	}
}

/* Nobody knows who asks: 10 ms without a break. */
static void storm(void **state)
{
	(void)state;
	for (int64_t more_ns = -1; more_ns <= 0; more_ns++) {
		struct tracekit k;
		int64_t end_ns;

		kit_open(&k, NULL, 100 * GBPS);
		sends(&k, 0, 1000, NOT_ECT, 20);
		sends(&k, 1000, 1000, CE, 20);
		end_ns = k.t_ns + 10000 * US + more_ns;
		for (; k.t_ns < end_ns - 100 * US; k.t_ns += 100 * US)
			kit_pfc(&k, 9, 1 << 3, 0xffff);
		k.t_ns = end_ns;
		kit_pfc(&k, 9, 1 << 3, 0);
		findings_are(&k, more_ns < 0 ? "non-ect" : "pause-storm non-ect");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ce_without_cnp),
	        cmocka_unit_test(becn_is_counted),
	        cmocka_unit_test(cnp_without_ce),
	        cmocka_unit_test(at_one_time),
	        cmocka_unit_test(cnp_ignored),
	        cmocka_unit_test(throttled),
	        cmocka_unit_test(non_ect),
	        cmocka_unit_test(pauses_and_marks),
	        cmocka_unit_test(pauses_at_the_sender),
	        cmocka_unit_test(storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
