/* SPDX-License-Identifier: Apache-2.0 */
/* What an imported folder means in our keys: every value of the model, rate by rate and port by
 * port, and what --set may still change. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import.h"

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static const char config[] =
        "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nSIMULATOR_STOP_TIME 2.0300\n"
        "CC_MODE 1\nALPHA_RESUME_INTERVAL 1.9\nRATE_DECREASE_INTERVAL 4\n"
        "CLAMP_TARGET_RATE 0\nRP_TIMER 300\nEWMA_GAIN 0.00390625\n"
        "FAST_RECOVERY_TIMES 1\nRATE_AI 20Mb/s\nRATE_HAI 200Mb/s\n"
        "MIN_RATE 1000Mb/s\nL2_ACK_INTERVAL 1\nHAS_WIN 0\nVAR_WIN 0\n"
        "ACK_HIGH_PRIO 1\n"
        "KMAX_MAP 4 25000000000 400 50000000000 800 100000000000 1600 "
        "400000000000 6400\n"
        "KMIN_MAP 4 25000000000 100 50000000000 200 100000000000 400 "
        "400000000000 1600\n"
        "PMAX_MAP 4 25000000000 0.2 50000000000 0.2 100000000000 0.20 "
        "400000000000 0.10\n"
        "BUFFER_SIZE 32\n";

/* Hosts 1, 2, 5 (25G), 6 (50G, long cable), 7 (100G); switches 0 and 3; 400G between them. */
static const char mixed[] = "8 3 8\n0 3 4\n"
                            "1 0 25Gbps 1000ns 0\n2 0 25Gbps 1000ns 0\n5 3 25Gbps 1000ns 0\n"
                            "6 3 50Gbps 3000ns 0\n7 3 100Gbps 1000ns 0\n0 3 400Gbps 1000ns 0\n"
                            "0 4 400Gbps 2000ns 0\n3 4 400Gbps 1000ns 0\n";

static const char star[] = "4 1 3\n0\n1 0 100Gbps 1000ns 0\n2 0 100Gbps 1000ns 0\n"
                           "3 0 100Gbps 1000ns 0\n";

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/squall-import-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	put("config.txt", config);
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"config.txt", "topology.txt", "flow.txt"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path); /* it may be absent */
	}
	return rmdir(dir);
}

static int load(struct scenario **out, const struct scenario_set *set, uint32_t n_set,
        struct import_notes *notes, struct err *e)
{
	const struct import_format *format;
	uint64_t seed = 7;

	assert_int_equal(import_find(&format, "hpcc", e), 0);
	return format->load(out, dir, set, n_set, &seed, notes, e);
}

static struct scenario *loaded(const char *topology, const char *flows)
{
	struct import_notes notes = {0};
	struct scenario *s;
	struct err e = {0};

	put("topology.txt", topology);
	put("flow.txt", flows);
	if (load(&s, NULL, 0, &notes, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(notes.n, 0);
	return s;
}

static void refused(const char *topology, const char *flows, const char *part)
{
	struct import_notes notes = {0};
	struct scenario *s = NULL;
	struct err e = {0};

	put("topology.txt", topology);
	put("flow.txt", flows);
	assert_int_equal(load(&s, NULL, 0, &notes, &e), -EINVAL);
	assert_null(s);
	if (!strstr(e.msg, part))
		fail_msg("\"%s\" does not hold \"%s\"", e.msg, part);
}

static const struct switch_cfg *port_cfg(const struct scenario *s, uint32_t node, uint32_t port)
{
	const struct topo *t = s->topo;

	assert_true(port < t->node[node].n_ports);
	return &t->profile[t->port[t->node[node].first_port + port].profile];
}

static void test_model(void **state)
{
	struct scenario *s = loaded(star, "2\n1 2 3 100 1000000 2.001\n3 2 3 300 500 2.002\n");
	const struct switch_cfg *p = port_cfg(s, 3, 0);

	(void)state;
	assert_int_equal(s->run.seed, 7);
	assert_int_equal(s->run.stop_after_ps, INT64_C(2029999999000));
	assert_int_equal(s->frame.header_bytes, 48);
	assert_int_equal(s->frame.reth_bytes, 0);
	assert_int_equal(s->frame.ack_bytes, 60);
	assert_int_equal(s->frame.pfc_bytes, 43);
	assert_int_equal(s->frame.fcs_bytes + s->frame.gap_bytes, 0);
	assert_int_equal(s->frame.path_mtu_bytes, 1000);
	assert_int_equal(s->frame.time_step_ps, 1000);

	assert_int_equal(p->buffer_bytes, 33554432);
	assert_int_equal(p->ecn_kmin_bytes, 400000);
	assert_int_equal(p->ecn_kmax_bytes, 1600000);
	assert_int_equal(p->ecn_pmax_q32, (Q32_ONE + 2) / 5);
	assert_int_equal(p->ecn_point, ECN_DEQUEUE);
	assert_int_equal(p->pfc_priorities, 1 << 3);
	assert_int_equal(p->pfc_alpha_q32, Q32_ONE / 8);
	assert_int_equal(p->pfc_reserve_bytes, 4096);
	assert_int_equal(p->pfc_headroom_bytes, 37500);
	assert_int_equal(p->pfc_xon_offset_bytes, 3072);
	assert_int_equal(p->pfc_response_ps, 0);
	assert_int_equal(p->pfc_quanta, PFC_NEVER_EXPIRES);

	assert_int_equal(s->nic.ack_every, 1);
	assert_int_equal(s->nic.ack_duplicates, 0);
	assert_int_equal(s->nic.nak_interval_ps, 500 * PS_PER_US);
	assert_int_equal(s->nic.retransmit_timeout_ps, 0);
	assert_int_equal(s->nic.window_bytes, NIC_WINDOW_OFF);
	assert_int_equal(s->nic.ack_obeys_pause, 0);
	assert_int_equal(s->np.carrier, NP_CARRIER_ACK);
	assert_int_equal(s->np.min_time_between_cnps_ps, 0);

	assert_int_equal(s->dcqcn.cut, DCQCN_CUT_ON_GRID);
	assert_int_equal(s->dcqcn.cut_grid_offset_ps, 1000);
	assert_int_equal(s->dcqcn.first_cnp_cuts, 0);
	assert_int_equal(s->dcqcn.rpg_byte_reset_bytes, 0);
	assert_int_equal(s->dcqcn.g_q32, Q32_ONE / 256);
	assert_int_equal(s->dcqcn.dce_tcp_rtt_ps, PS_PER_US); /* 1.9 us is cut */
	assert_int_equal(s->dcqcn.rate_reduce_monitor_period_ps, 4 * PS_PER_US);
	assert_int_equal(s->dcqcn.rpg_time_reset_ps, 300 * PS_PER_US);
	assert_int_equal(s->dcqcn.rpg_threshold, 1);
	assert_int_equal(s->dcqcn.rpg_ai_rate_bps, 20000000);
	assert_int_equal(s->dcqcn.rpg_hai_rate_bps, 200000000);
	assert_int_equal(s->dcqcn.rpg_min_rate_bps, 1000000000);

	assert_int_equal(s->topo->n_hosts, 3);
	assert_int_equal(s->topo->node[0].outside_id, 1);
	assert_int_equal(s->topo->node[3].outside_id, 0);
	assert_int_equal(s->n_entries, 1);
	assert_int_equal(s->entry[0].cfg.n_flows, 2);
	assert_int_equal(s->entry[0].cfg.flow[1].src, 2);
	assert_int_equal(s->entry[0].cfg.flow[1].dst, 1);
	assert_int_equal(s->entry[0].cfg.flow[0].start_ps, INT64_C(2000999999000));
	assert_int_equal(s->entry[0].cfg.flow[1].dport, 300);
	scenario_free(s);
}

/* Alpha doubles with each doubling of the rate above the first host's; headroom is three times
 * rate x delay; thresholds are those of the port's rate. */
static void test_mixed_rates(void **state)
{
	struct scenario *s = loaded(mixed, "1\n1 7 3 100 1000 2.0\n");
	const uint32_t sw0 = 5, sw3 = 6, sw4 = 7;

	(void)state;
	assert_int_equal(port_cfg(s, sw0, 0)->ecn_kmin_bytes, 100000);
	assert_int_equal(port_cfg(s, sw0, 0)->pfc_alpha_q32, Q32_ONE / 8);
	assert_int_equal(port_cfg(s, sw0, 0)->pfc_headroom_bytes, 9375);
	assert_int_equal(port_cfg(s, sw3, 1)->ecn_kmax_bytes, 800000); /* 50G, 3 us */
	assert_int_equal(port_cfg(s, sw3, 1)->pfc_alpha_q32, Q32_ONE / 4);
	assert_int_equal(port_cfg(s, sw3, 1)->pfc_headroom_bytes, 56250);
	assert_int_equal(port_cfg(s, sw3, 2)->pfc_alpha_q32, Q32_ONE / 2); /* 100G */
	assert_int_equal(
	        port_cfg(s, sw3, 3)->ecn_kmin_bytes, 1600000); /* 400G: 16 x, up to 1 */
	assert_int_equal(port_cfg(s, sw3, 3)->ecn_pmax_q32, (Q32_ONE + 5) / 10);
	assert_int_equal(port_cfg(s, sw3, 3)->pfc_alpha_q32, Q32_ONE);
	assert_int_equal(port_cfg(s, sw3, 3)->pfc_headroom_bytes, 150000);
	assert_int_equal(port_cfg(s, sw0, 3)->pfc_headroom_bytes, 300000); /* the 2 us cable */
	assert_int_equal(port_cfg(s, sw4, 0)->pfc_headroom_bytes, 300000);
	assert_int_equal(port_cfg(s, sw4, 1)->pfc_headroom_bytes, 150000);
	assert_int_equal(s->topo->node[sw4].tier, 2);
	scenario_free(s);
}

/* What most ports of a rate have is the rule, what most of a switch have its exception, and
 * single ports come last. */
static void test_many_cable_lengths(void **state)
{
	static const char topology[] =
	        "10 2 9\n8 9\n0 8 100Gbps 5000ns 0\n1 8 100Gbps 1000ns 0\n"
	        "2 8 100Gbps 1000ns 0\n3 8 100Gbps 1000ns 0\n4 9 100Gbps 2000ns 0\n"
	        "5 9 100Gbps 2000ns 0\n6 9 100Gbps 2000ns 0\n7 9 100Gbps 7000ns 0\n"
	        "8 9 100Gbps 1000ns 0\n";
	static const int64_t sw8[] = {5000, 1000, 1000, 1000, 1000};
	static const int64_t sw9[] = {2000, 2000, 2000, 7000, 1000};
	struct scenario *s = loaded(topology, "1\n0 7 3 100 1000 2.0\n");

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(port_cfg(s, 8, i)->pfc_headroom_bytes, sw8[i] * 75 / 2);
		assert_int_equal(port_cfg(s, 9, i)->pfc_headroom_bytes, sw9[i] * 75 / 2);
	}
	scenario_free(s);
}

/* The pool must not depend on how many priorities are in use. */
static void test_pool_of_several_priorities(void **state)
{
	struct scenario *s = loaded(star, "2\n1 2 3 100 1000 2.0\n3 2 5 100 1000 2.0\n");

	(void)state;
	assert_int_equal(port_cfg(s, 3, 0)->pfc_priorities, 1 << 3 | 1 << 5);
	assert_int_equal(s->topo->profile[s->topo->node[3].profile].buffer_bytes,
	        33554432 + 3 * (37500 + 4096));
	scenario_free(s);
	s = loaded(mixed, "2\n1 7 3 100 1000 2.0\n7 1 4 100 1000 2.0\n");
	assert_int_equal(s->topo->profile[s->topo->node[7].profile].buffer_bytes,
	        33554432 + 300000 + 150000 + 2 * 4096);
	scenario_free(s);
}

/* 2 x 2 us + 2 x 80 ns at 100 Gb/s is 52,000 bytes. */
static void test_window(void **state)
{
	char text[2000];
	struct scenario *s;

	(void)state;
	snprintf(text, sizeof(text), "%s", config);
	memcpy(strstr(text, "HAS_WIN 0"), "HAS_WIN 1", 9);
	memcpy(strstr(text, "VAR_WIN 0"), "VAR_WIN 1", 9);
	put("config.txt", text);
	s = loaded(star, "1\n1 2 3 100 1000 2.0\n");
	assert_int_equal(s->nic.window_bytes, 52000);
	assert_int_equal(s->nic.window_scales_with_rate, 1);
	scenario_free(s);
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "GLOBAL_T 0\n");
	put("config.txt", text);
	refused(mixed, "2\n1 2 3 100 1000 2.0\n1 7 3 100 1000 2.0\n", "GLOBAL_T 0");
	s = loaded(star, "2\n1 2 3 100 1000 2.0\n2 3 3 100 1000 2.0\n");
	assert_int_equal(s->nic.window_bytes, 52000);
	scenario_free(s);
}

static void test_ack_pause(void **state)
{
	char text[2000];
	struct scenario *s;

	(void)state;
	snprintf(text, sizeof(text), "%s", config);
	memcpy(strstr(text, "ACK_HIGH_PRIO 1"), "ACK_HIGH_PRIO 0", 15);
	put("config.txt", text);
	s = loaded(star, "1\n1 2 3 100 1000 2.0\n");
	assert_int_equal(s->nic.ack_obeys_pause, 1);
	scenario_free(s);
	s = loaded(star, "1\n1 2 4 100 1000 2.0\n");
	assert_int_equal(s->nic.ack_obeys_pause, 0);
	scenario_free(s);
}

static void test_set_on_an_import(void **state)
{
	const struct scenario_set set[] = {
	        {"fabric.switch.ecn.kmin", "5KB"}, {"fabric.nic.ack_every", "4"}};
	struct import_notes notes = {0};
	struct scenario *s;
	struct err e = {0};

	(void)state;
	put("topology.txt", star);
	put("flow.txt", "1\n1 2 3 100 1000 2.0\n");
	if (load(&s, set, 2, &notes, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(port_cfg(s, 3, 1)->ecn_kmin_bytes, 5000);
	assert_int_equal(s->nic.ack_every, 4);
	scenario_free(s);
}

static void test_refusals(void **state)
{
	(void)state;
	refused("3 1 2\n0\n1 0 100Gbps 1us 0\n2 0 200Gbps 1us 0\n", "1\n1 2 3 100 1000 2.0\n",
	        "config.txt:19: KMIN_MAP has no value for 200000000000 bit/s");
	/* 400 Gb/s x 1 ms x 3 is 150 MB per port. */
	refused("3 1 2\n0\n1 0 400Gbps 1ms 0\n2 0 400Gbps 1ms 0\n", "1\n1 2 3 100 1000 2.0\n",
	        "buffer");
	refused("4 2 2\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n", "1\n0 1 3 100 1000 2.0\n",
	        "cannot reach");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(test_model, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_many_cable_lengths, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_mixed_rates, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(
	                test_pool_of_several_priorities, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_window, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_ack_pause, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_set_on_an_import, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(test_refusals, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
