/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PFC watchdog. By itself: when a storm is seen and when it ends, exact and by polls, to
 * the picosecond. In a simulation (a fast link into a switch whose only way on is slow, so that
 * it pauses for long): the time against that of the pause frame, which packets are dropped,
 * that nobody is paused on the storm's behalf, and what the other actions do.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/watchdog.h"
#include "tests/support/simkit.h"

#define US PS_PER_US

static struct switch_cfg cfg_of(int64_t detect_ps, int64_t restore_ps, int64_t poll_ps)
{
	return (struct switch_cfg){.watchdog_detect_ps = detect_ps,
	        .watchdog_restore_ps = restore_ps,
	        .watchdog_poll_ps = poll_ps,
	        .watchdog_drop_ingress = 1,
	        .pfc_priorities = 0x18};
}

/* A port under test; the pause has no response time. */
struct bench {
	struct watchdog w;
	struct pause_rx p;
};

static struct bench bench_of(int64_t detect_ps, int64_t restore_ps, int64_t poll_ps)
{
	struct switch_cfg c = cfg_of(detect_ps, restore_ps, poll_ps);
	struct bench b = {0};

	assert_true(watchdog_init(&b.w, &c));
	return b;
}

static void xoff(struct bench *b, int pr, int64_t now_ps)
{
	pause_rx_xoff(&b->p, pr, now_ps, TIME_NEVER, 0);
	(void)pause_rx_update(&b->p, now_ps);
	(void)watchdog_look(&b->w, &b->p, now_ps);
}

static void xon(struct bench *b, int pr, int64_t now_ps)
{
	pause_rx_xon(&b->p, pr, now_ps);
	(void)pause_rx_update(&b->p, now_ps);
	(void)watchdog_look(&b->w, &b->p, now_ps);
}

static void test_off_without_key_or_priorities(void **state)
{
	struct switch_cfg c = cfg_of(WATCHDOG_OFF, US, 0);
	struct watchdog w;

	(void)state;
	assert_false(watchdog_init(&w, &c));
	c = cfg_of(US, US, 0);
	c.pfc_priorities = 0;
	assert_false(watchdog_init(&w, &c));
}

static void test_exact_detection_and_restoration(void **state)
{
	struct bench b = bench_of(100 * US, 30 * US, 0);

	(void)state;
	xoff(&b, 3, 7);
	assert_int_equal(watchdog_next_ps(&b.w), 7 + 100 * US);
	xoff(&b, 3, 50 * US); /* a refresh changes nothing */
	assert_int_equal(watchdog_next_ps(&b.w), 7 + 100 * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 6 + 100 * US), 0);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 7 + 100 * US), 1 << 3);
	assert_int_equal(b.w.storm, 1 << 3);
	assert_int_equal(b.w.paused_ps[3], 7);
	assert_int_equal(watchdog_next_ps(&b.w), TIME_NEVER); /* as long as it is paused */
	xon(&b, 3, 200 * US);
	assert_int_equal(watchdog_next_ps(&b.w), 230 * US);
	xoff(&b, 3, 229 * US); /* the storm goes on */
	assert_int_equal(watchdog_next_ps(&b.w), TIME_NEVER);
	xon(&b, 3, 300 * US);
	xon(&b, 3, 310 * US); /* a storm of XONs is none */
	assert_int_equal(watchdog_next_ps(&b.w), 330 * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 330 * US), 1 << 3);
	assert_int_equal(b.w.storm, 0);
	assert_int_equal(watchdog_next_ps(&b.w), TIME_NEVER);
	xoff(&b, 3, 400 * US); /* and it can come again */
	assert_int_equal(watchdog_next_ps(&b.w), 500 * US);
}

static void test_bursts_of_half_the_time_are_no_storm(void **state)
{
	struct bench b = bench_of(100 * US, 100 * US, 0);

	(void)state;
	for (int64_t i = 0; i < 15; i++) {
		xoff(&b, 3, i * 200 * US);
		assert_int_equal(watchdog_fire(&b.w, &b.p, i * 200 * US + 50 * US), 0);
		xon(&b, 3, i * 200 * US + 50 * US);
		assert_int_equal(watchdog_next_ps(&b.w), TIME_NEVER);
	}
	assert_int_equal(b.w.storm, 0);
}

/* The first poll by which the pause, or its absence, has lasted long enough, to the ps. */
static void test_polls(void **state)
{
	struct bench b = bench_of(200 * US, 150 * US, 100 * US);

	(void)state;
	xoff(&b, 4, 1);
	assert_int_equal(watchdog_next_ps(&b.w), 300 * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 300 * US), 1 << 4);
	assert_int_equal(b.w.paused_ps[4], 1);
	xon(&b, 4, 400 * US); /* over at 550 */
	assert_int_equal(watchdog_next_ps(&b.w), 600 * US);
	xoff(&b, 4, 599 * US);
	xon(&b, 4, 650 * US); /* over at 800, which is a poll */
	assert_int_equal(watchdog_next_ps(&b.w), 800 * US);
	xoff(&b, 4, 799 * US);
	xon(&b, 4, 650 * US + 1 + 150 * US);
	assert_int_equal(watchdog_next_ps(&b.w), 1000 * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 1000 * US), 1 << 4);
	xoff(&b, 4, 1000 * US); /* on a poll: there again after two more */
	assert_int_equal(watchdog_next_ps(&b.w), 1200 * US);
	xon(&b, 4, 1200 * US - 1);
	assert_int_equal(watchdog_next_ps(&b.w), TIME_NEVER);
}

/* At any time of the pause and for lengths that are no multiple of the interval: detect to less
 * than detect + poll, and a poll. */
static void test_polls_keep_their_bounds(void **state)
{
	const int64_t detect_ps = 460 * US, restore_ps = 700 * US, poll_ps = 150 * US;

	(void)state;
	for (int64_t at_ps = 0; at_ps < 4 * poll_ps; at_ps += 7919 * 1000 + 1) {
		struct bench b = bench_of(detect_ps, restore_ps, poll_ps);
		int64_t seen_ps, end_ps = at_ps + 2178987654, over_ps;

		xoff(&b, 3, at_ps);
		seen_ps = watchdog_next_ps(&b.w);
		assert_in_range(seen_ps - at_ps, detect_ps, detect_ps + poll_ps - 1);
		assert_int_equal(seen_ps % poll_ps, 0);
		assert_int_equal(watchdog_fire(&b.w, &b.p, seen_ps), 1 << 3);
		xon(&b, 3, end_ps);
		over_ps = watchdog_next_ps(&b.w);
		assert_in_range(over_ps - end_ps, restore_ps, restore_ps + poll_ps - 1);
		assert_int_equal(over_ps % poll_ps, 0);
	}
}

/* Each priority for itself, and those that are not lossless not at all. */
static void test_all_priorities_at_once(void **state)
{
	struct bench b = bench_of(100 * US, 100 * US, 0);

	(void)state;
	for (int pr = 0; pr < PRIORITIES; pr++)
		xoff(&b, pr, pr * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 103 * US), 1 << 3);
	assert_int_equal(watchdog_next_ps(&b.w), 104 * US);
	assert_int_equal(watchdog_fire(&b.w, &b.p, 200 * US), 1 << 4);
	assert_int_equal(b.w.storm, 0x18);
}

static void test_forward_lifts_the_pause_of_stormed_queues(void **state)
{
	struct switch_cfg c = cfg_of(100 * US, 100 * US, 0);
	struct bench b = {0};

	(void)state;
	c.watchdog_action = WATCHDOG_FORWARD;
	assert_true(watchdog_init(&b.w, &c));
	xoff(&b, 3, 0);
	xoff(&b, 4, 50 * US);
	assert_int_equal(watchdog_look(&b.w, &b.p, 60 * US), 0x18);
	(void)watchdog_fire(&b.w, &b.p, 100 * US);
	assert_int_equal(watchdog_look(&b.w, &b.p, 100 * US), 0x10);
	assert_false(watchdog_drops_out(&b.w, 3));
}

/*
 * host0 - 100G - near - 100G - far - 50M - host1. Port 1 of the near switch leads to the far
 * one.
 */
#define NEAR 2
#define FAR  3

struct seen {
	int64_t xoff_at_near_ps;   /* first XOFF's arrival */
	int64_t storm_ps, over_ps; /* as a former run had it */
	int xoffs_to_host0_in_storm, data_to_far_in_storm, acks_to_host0_in_storm;
};

static void watch(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct seen *s = arg;
	bool storm = start_ps > s->storm_ps && start_ps < s->over_ps;

	if (d->kind == DESC_PFC && to == NEAR && d->sent_unit && !s->xoff_at_near_ps)
		s->xoff_at_near_ps = d->t_ps;
	s->xoffs_to_host0_in_storm += storm && d->kind == DESC_PFC && to == 0 && d->sent_unit;
	s->data_to_far_in_storm += storm && d->kind == DESC_DATA && to == FAR;
	s->acks_to_host0_in_storm += storm && to == 0 && d->kind != DESC_PFC;
}

/* Under WATCHDOG_DROP: does what the stormed port receives go on? */
static bool keep_ingress;
static int64_t poll_ps;

static struct run_record *run(enum watchdog_action action, int64_t detect_ps, struct seen *s)
{
	const struct topo_link link[] = {
	        {0, NEAR, 100 * SIMKIT_GBPS, PS_PER_US},
	        {NEAR, FAR, 100 * SIMKIT_GBPS, PS_PER_US},
	        {1, FAR, 50000000, PS_PER_US},
	};
	struct run_record *r;
	struct simkit k;

	simkit_init(&k);
	k.sw.buffer_bytes = 400000;
	k.sw.pfc_response_ps = 300000;
	k.sw.watchdog_detect_ps = detect_ps;
	k.sw.watchdog_restore_ps = 100 * US;
	k.sw.watchdog_poll_ps = poll_ps;
	k.sw.watchdog_action = action;
	k.sw.watchdog_drop_ingress = !keep_ingress;
	simkit_links(&k, 2, 2, link, 3);
	simkit_flow(&k, 0, 1, 1000 * 1024, 0);
	k.nic.retransmit_timeout_ps = 20 * PS_PER_MS;
	k.stop_ps = 15 * PS_PER_MS;
	k.tap = watch;
	k.tap_arg = s;
	r = simkit_run(&k);
	simkit_fini(&k);
	assert_int_equal(r->n.data_packets_sent,
	        r->n.data_packets_delivered + r->n.data_packets_dropped + r->data_packets_left);
	return r;
}

/* The storm is seen `detect` after the pause took effect, at the port that it holds up. */
static void check_storm(const struct run_record *r, const struct seen *s, int64_t detect_ps)
{
	const struct watchdog_event *w = r->watchdog;

	assert_true(r->n_watchdog >= 1);
	assert_int_equal(w->kind, WATCHDOG_STORM);
	assert_int_equal(w->node, NEAR);
	assert_int_equal(w->port, 1);
	assert_int_equal(w->priority, 3);
	assert_int_equal(w->paused_since_ps, s->xoff_at_near_ps + 300000);
	assert_int_equal(w->t_ps, w->paused_since_ps + detect_ps);
}

static struct run_record *stormed(
        enum watchdog_action action, int64_t detect_ps, struct seen *s)
{
	struct run_record *r;

	*s = (struct seen){0};
	r = run(action, detect_ps, s);
	check_storm(r, s, detect_ps);
	*s = (struct seen){.storm_ps = r->watchdog[0].t_ps,
	        .over_ps = r->n_watchdog > 1 ? r->watchdog[1].t_ps : r->t_end_ps};
	run_record_free(r);
	return run(action, detect_ps, s);
}

static void test_drop(void **state)
{
	struct seen s;
	struct run_record *r = stormed(WATCHDOG_DROP, 200 * US, &s);

	(void)state;
	/* at that time the near switch is full and holds its sender: all of that is dropped */
	assert_true(r->n.drops_watchdog > 10);
	assert_true(r->n.data_packets_dropped > 10);
	assert_true(r->n.drops_watchdog > r->n.data_packets_dropped); /* ACKs that came back */
	assert_int_equal(s.acks_to_host0_in_storm, 0);
	assert_int_equal(r->n.drops_lossless + r->n.drops_lossy, 0);
	assert_int_equal(s.xoffs_to_host0_in_storm, 0);
	assert_int_equal(r->n.watchdog_storms, 1);
	run_record_free(r);
	keep_ingress = true;
	r = stormed(WATCHDOG_DROP, 200 * US, &s);
	keep_ingress = false;
	assert_int_equal(r->n.drops_watchdog, r->n.data_packets_dropped);
	assert_true(s.acks_to_host0_in_storm > 0);
	run_record_free(r);
}

/* Pause by pause of the slow far switch the storm ends 100 us after an XON; what was dropped is
 * said then. */
static void test_restored(void **state)
{
	struct seen s = {0};
	struct run_record *r = run(WATCHDOG_DROP, 200 * US, &s);
	const struct watchdog_event *w = r->watchdog;

	(void)state;
	assert_int_equal(r->n_watchdog, 2);
	assert_int_equal(w[1].kind, WATCHDOG_RESTORED);
	assert_int_equal(w[1].node, NEAR);
	assert_int_equal(w[1].port, 1);
	assert_int_equal(w[1].dropped_packets, r->n.drops_watchdog);
	assert_int_equal(r->n.watchdog_restores, 1);
	for (uint64_t i = 0; i < r->n_pause;
	        i++) /* one pause in all, whose end began the wait */
		if (r->pause[i].node == NEAR && r->pause[i].port == 1)
			assert_int_equal(w[1].t_ps,
			        s.xoff_at_near_ps + r->pause[i].paused_ps + 100 * US);
	run_record_free(r);
}

/* The same with polls: at the first one after the exact times. */
static void test_polled_in_a_run(void **state)
{
	struct seen s = {0};
	struct run_record *r = run(WATCHDOG_DROP, 200 * US, &s);
	const int64_t seen_ps = r->watchdog[0].t_ps, over_ps = r->watchdog[1].t_ps;

	(void)state;
	run_record_free(r);
	poll_ps = 37 * US;
	r = run(WATCHDOG_DROP, 200 * US, &s);
	assert_int_equal(r->n_watchdog, 2);
	assert_int_equal(r->watchdog[0].t_ps, (seen_ps + poll_ps - 1) / poll_ps * poll_ps);
	assert_int_equal(r->watchdog[0].paused_since_ps, seen_ps - 200 * US);
	assert_int_equal(r->watchdog[1].kind, WATCHDOG_RESTORED);
	assert_int_equal(r->watchdog[1].t_ps % poll_ps, 0);
	/* as many packets more reached the far switch as delayed its last XON */
	assert_in_range(r->watchdog[1].t_ps, over_ps, over_ps + 2 * poll_ps);
	poll_ps = 0;
	run_record_free(r);
}

static void test_forward(void **state)
{
	struct seen s;
	struct run_record *r = stormed(WATCHDOG_FORWARD, 200 * US, &s);

	(void)state;
	assert_int_equal(r->n.drops_watchdog, 0);
	assert_true(s.data_to_far_in_storm > 100);   /* in spite of its pause */
	assert_true(r->n.headroom_violations > 100); /* which is what the far one gets */
	run_record_free(r);
}

static void test_alert(void **state)
{
	struct seen s;
	struct run_record *r = stormed(WATCHDOG_ALERT, 200 * US, &s);

	(void)state;
	assert_int_equal(r->n.drops_watchdog + r->n.drops_lossless, 0);
	run_record_free(r);
}

static void test_too_short_for_a_storm(void **state)
{
	struct seen s = {0};
	struct run_record *r = run(WATCHDOG_DROP, 14 * PS_PER_MS, &s);

	(void)state;
	assert_true(s.xoff_at_near_ps > 0);
	assert_int_equal(r->n_watchdog, 0);
	assert_int_equal(r->n.drops_watchdog, 0);
	run_record_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_off_without_key_or_priorities),
	        cmocka_unit_test(test_exact_detection_and_restoration),
	        cmocka_unit_test(test_bursts_of_half_the_time_are_no_storm),
	        cmocka_unit_test(test_polls),
	        cmocka_unit_test(test_polls_keep_their_bounds),
	        cmocka_unit_test(test_all_priorities_at_once),
	        cmocka_unit_test(test_forward_lifts_the_pause_of_stormed_queues),
	        cmocka_unit_test(test_drop),
	        cmocka_unit_test(test_restored),
	        cmocka_unit_test(test_polled_in_a_run),
	        cmocka_unit_test(test_forward),
	        cmocka_unit_test(test_alert),
	        cmocka_unit_test(test_too_short_for_a_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
