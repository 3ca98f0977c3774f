/* SPDX-License-Identifier: Apache-2.0 */
/* CE, CNP and cut: whose, when, and how QPs find their other end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/cc/dcqcn_rp.h"
#include "scenarios/knob_value.h"
#include "tests/support/tracekit.h"

/* One sample per CNP, from the first CE packet since the CNP before. */
static void ce_to_cnp(void **state)
{
	const struct trace_result *r;
	const struct trace_flow *f;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	kit_ack(&k, 1);
	k.ecn = 3;
	kit_data(&k, BTH_SEND_ONLY, 2, 64); /* CE at 0 */
	k.t_ns += 1000;
	kit_data(&k, BTH_SEND_ONLY, 3, 64); /* CE at 1000 */
	k.t_ns += 2000;
	kit_cnp(&k); /* 3000 after the first */
	k.t_ns += 5000;
	kit_cnp(&k); /* no CE since */
	k.t_ns += 1000;
	kit_data(&k, BTH_SEND_ONLY, 4, 64);
	k.t_ns += 700;
	kit_cnp(&k);
	r = kit_finish(&k);
	f = kit_flow(&k, r);
	assert_int_equal(r->roce.cnps, 3);
	assert_int_equal(r->roce.ce_packets, 3);
	assert_int_equal(r->roce.cnps_without_ce, 1);
	assert_int_equal(f->loop.ce_to_cnp_ns.n, 2);
	assert_int_equal(f->loop.ce_to_cnp_ns.min, 700);
	assert_int_equal(f->loop.ce_to_cnp_ns.max, 3000);
	assert_int_equal(r->ce_to_cnp_ns->count, 2);
	assert_int_equal(r->cnp_gap_qp_ns, 1700);
	assert_int_equal(f->loop.cnps_ce, 2);
	assert_int_equal(f->loop.cnps_unexplained, 1);
	assert_int_equal(r->n_event[TRACE_EV_CNP_WITHOUT_CE], 1);
	kit_close(&k);
}

/* CNPs seen at two interfaces: without CE is counted once in all, and as each shows it. */
static void without_ce_at_two(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	(void)kit_interface(&k, "tap1", 0);
	for (uint32_t psn = 0; psn < 10; psn++) {
		for (k.interface = 0; k.interface < 2; k.interface++) {
			k.ecn = psn == 5 && k.interface == 1 ? 3 : 2; /* marked in between */
			kit_data(&k, BTH_SEND_ONLY, psn, 64);
			k.t_ns += 700;
		}
		for (k.interface = 2; k.interface-- > 0;) {
			kit_ack(&k, psn);
			k.t_ns += 100;
			if (psn == 3 || psn == 6 || psn == 7)
				kit_cnp(&k);
			k.t_ns += 600;
		}
	}
	r = kit_finish(&k);
	assert_int_equal(r->roce.cnps, 3);
	assert_int_equal(r->roce.cnps_without_ce, 2);
	assert_int_equal(r->ce_to_cnp_ns->count, 1);
	assert_int_equal(r->interface[0].counts.cnps_without_ce, 3);
	assert_int_equal(r->interface[1].counts.cnps_without_ce, 2);
	kit_close(&k);
}

/* CE and CNPs before the first acknowledgement wait until it pairs the flows. */
static void before_the_pairing(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	/* Another QP between the same hosts: no CNP of the first may go to it. */
	k.b_qp = 0x99;
	k.sport = 51000;
	kit_data(&k, BTH_SEND_ONLY, 0x500000, 64);
	k.b_qp = 0x22;
	k.sport = 50000;
	k.ecn = 3;
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	k.t_ns += 400;
	kit_cnp(&k);
	k.t_ns += 100;
	kit_data(&k, BTH_SEND_ONLY, 2, 64);
	k.t_ns += 900;
	kit_cnp(&k);
	k.t_ns += 10;
	kit_ack(&k, 2);
	r = kit_finish(&k);
	assert_int_equal(kit_flow(&k, r)->pairing, TRACE_PAIR_PSN);
	assert_int_equal(kit_flow(&k, r)->src_qp, 0x11);
	assert_int_equal(kit_flow(&k, r)->loop.ce_to_cnp_ns.n, 2);
	assert_int_equal(kit_flow(&k, r)->loop.ce_to_cnp_ns.min, 400);
	assert_int_equal(kit_flow(&k, r)->loop.ce_to_cnp_ns.max, 900);
	assert_int_equal(r->roce.cnps_without_ce, 0);
	/* Both messages were acknowledged although the ACK came before the pairing. */
	assert_int_equal(r->net_fct_ns->count, 2);
	kit_close(&k);
}

/* QPs that count in step are told apart by the source port that both directions share. */
static void in_step(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	for (uint32_t psn = 0; psn < 6; psn++)
		for (uint32_t q = 0; q < 4; q++) {
			k.b_qp = 0x200 + q;
			k.a_qp = 0x100 + (q ^ 1);
			k.sport = k.back_sport = (uint16_t)(50000 + q);
			kit_data(&k, BTH_SEND_ONLY, psn, 64);
			k.t_ns += 10;
			kit_ack(&k, psn);
		}
	r = kit_finish(&k);
	assert_int_equal(r->n_flows, 8);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *f = &r->flow[i];

		assert_int_not_equal(f->peer, TRACE_NONE);
		assert_int_equal(f->src_qp, (f->dqp ^ 1) + (f->dqp < 0x200 ? 0x100 : -0x100));
	}
	kit_close(&k);
}

/* More of them than are remembered as candidates, and thousands of CE marks before any ACK. */
static void many_in_step(void **state)
{
	enum { QPS = 40, PACKETS = 300 };
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	k.ecn = 3;
	for (uint32_t psn = 0; psn < PACKETS; psn++)
		for (uint32_t q = 0; q < QPS; q++) {
			k.b_qp = 0x200 + q;
			k.a_qp = 0x100 + (q ^ 1);
			k.sport = k.back_sport = (uint16_t)(50000 + q);
			kit_data(&k, BTH_SEND_ONLY, psn, 64);
			k.t_ns += 10;
			if (psn % 50 == 49)
				kit_cnp(&k);
			if (psn > 290)
				kit_ack(&k, psn);
		}
	r = kit_finish(&k);
	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *f = &r->flow[i];

		assert_int_not_equal(f->peer, TRACE_NONE);
		assert_int_equal(f->src_qp, (f->dqp ^ 1) + (f->dqp < 0x200 ? 0x100 : -0x100));
		if (f->dqp < 0x200)
			continue;
		/* 50 rounds of 40 packets, 10 ns each, less what is left of the last one. */
		assert_int_equal(f->loop.ce_to_cnp_ns.n, PACKETS / 50);
		assert_int_equal(f->loop.ce_to_cnp_ns.min, 49 * QPS * 10 + 10);
		assert_int_equal(f->loop.ce_to_cnp_ns.max, 49 * QPS * 10 + 10);
	}
	assert_int_equal(r->roce.cnps_without_ce, 0);
	kit_close(&k);
}

/* Ports alone pair nothing: one that fits by its port, but acknowledges what was never sent. */
static void ports_alone_pair_nothing(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	k.back_sport = k.sport;
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	for (uint32_t i = 0; i < 8; i++)
		kit_ack(&k, 0x700000 + i);
	r = kit_finish(&k);
	assert_int_equal(kit_flow(&k, r)->peer, TRACE_NONE);
	kit_close(&k);
}

static void a_loss_explains_a_cnp(void **state)
{
	const struct trace_result *r;
	struct tracekit k;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_SEND_ONLY, 1, 64);
	kit_ack(&k, 1);
	kit_data(&k, BTH_SEND_ONLY, 3, 64);
	kit_nak(&k, 0x60, 2);
	kit_cnp(&k);
	r = kit_finish(&k);
	assert_int_equal(kit_flow(&k, r)->loop.cnps_loss, 1);
	assert_int_equal(kit_flow(&k, r)->loop.cnps_unexplained, 0);
	kit_close(&k);
}

/* From the CNP to the first of the packets that are spaced twice as wide. */
static void the_cut(void **state)
{
	const struct trace_result *r;
	const struct trace_flow *f;
	struct tracekit k;
	int64_t cnp_ns, slow_ns = 0;

	(void)state;
	kit_open(&k, NULL, 0);
	kit_data(&k, BTH_WRITE_FIRST, 0, 1024);
	kit_ack(&k, 0);
	for (uint32_t psn = 1; psn < 20; psn++) {
		k.t_ns += 100;
		kit_data(&k, BTH_WRITE_MIDDLE, psn, 1024);
	}
	k.t_ns += 10;
	cnp_ns = k.t_ns;
	kit_cnp(&k);
	k.t_ns += 90;
	kit_data(&k, BTH_WRITE_MIDDLE, 20, 1024);
	for (uint32_t psn = 21; psn < 30; psn++) {
		k.t_ns += 200;
		kit_data(&k, BTH_WRITE_MIDDLE, psn, 1024);
		slow_ns = slow_ns ? slow_ns : k.t_ns;
	}
	r = kit_finish(&k);
	f = kit_flow(&k, r);
	assert_int_equal(f->loop.cnp_to_cut_ns.n, 1);
	assert_int_equal(f->loop.cnp_to_cut_ns.min, slow_ns - cnp_ns);
	assert_int_equal(f->loop.cut_permille.min, 500);
	kit_close(&k);
}

/* A sender that obeys DCQCN is found to: its packets are spaced by a reaction point of its own.
 */
static void the_model(void **state)
{
	enum { PACKETS = 4000, WIRE_BYTES = 1106 };
	const int64_t line_bps = INT64_C(100000000000);
	struct dcqcn_rp_params params;
	struct trace_options o = {0};
	const struct trace_result *r;
	const struct trace_flow *f;
	struct dcqcn_cfg cfg;
	struct dcqcn_rp rp;
	struct tracekit k;
	int64_t start_ns, t_ps = 0;

	(void)state;
	knob_defaults(&dcqcn_knobs, &cfg);
	o.dcqcn = &cfg;
	dcqcn_rp_params_init(&params, &cfg, line_bps);
	dcqcn_rp_init(&rp, &params);
	kit_open(&k, &o, line_bps);
	start_ns = k.t_ns;
	kit_data(&k, BTH_WRITE_FIRST, 0, 1024);
	kit_ack(&k, 0);
	for (uint32_t psn = 1; psn < PACKETS; psn++) {
		t_ps += tx_ps_floor(WIRE_BYTES, dcqcn_rp_rate_bps(&rp));
		k.t_ns = start_ns + t_ps / 1000;
		kit_data(&k, BTH_WRITE_MIDDLE, psn, 1024);
		dcqcn_rp_sent(&rp, &params, WIRE_BYTES, t_ps);
		if (psn % 500 == 0 && psn < PACKETS / 2) {
			dcqcn_rp_cnp(&rp, &params, t_ps);
			kit_cnp(&k);
		}
	}
	r = kit_finish(&k);
	f = kit_flow(&k, r);
	assert_true(f->loop.of_model_permille.n > 50);
	assert_in_range(trace_span_mean(&f->loop.of_model_permille), 980, 1020);
	assert_int_equal(f->loop.cnp_to_cut_ns.n, 3);
	kit_close(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ce_to_cnp),
	        cmocka_unit_test(without_ce_at_two),
	        cmocka_unit_test(before_the_pairing),
	        cmocka_unit_test(in_step),
	        cmocka_unit_test(many_in_step),
	        cmocka_unit_test(ports_alone_pair_nothing),
	        cmocka_unit_test(a_loss_explains_a_cnp),
	        cmocka_unit_test(the_cut),
	        cmocka_unit_test(the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
