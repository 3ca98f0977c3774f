/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Priority pause in whole runs, to the picosecond. A sender that always has data goes on for
 * its response time after an XOFF (IEEE 802.3 31B.3.7: so many quanta of 512 bit times at its
 * rate) and not a frame longer; it starts again the moment an XON comes or the quanta run out;
 * XOFF is repeated in time (IEEE 802.1Q clause 36). At hosts and at switch ports, for every
 * priority, whose neighbours do not notice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "tests/support/simkit.h"
#include "tests/support/trace_check.h"

/* host1 - [front -] switch - host0, the last link slow; host2 takes what must not be paused. */
enum { SLOW, SENDER, BYSTANDER, SWITCH, FRONT };

struct stage {
	int64_t rate_bps;
	int64_t response_ps; /* or PFC_RESPONSE_STANDARD */
	int64_t quanta, refresh_percent;
	int priority;
	bool behind_switch;
	enum sim_core core;
};

static void build(struct simkit *k, const struct stage *g)
{
	const int64_t d_ps = 600 * PS_PER_NS;
	const uint32_t near = g->behind_switch ? (uint32_t)FRONT : (uint32_t)SENDER;
	const struct topo_link link[] = {
	        {SLOW, SWITCH, g->rate_bps / 5, d_ps},
	        {near, SWITCH, g->rate_bps, d_ps},
	        {BYSTANDER, SWITCH, g->rate_bps, d_ps},
	        {SENDER, FRONT, g->rate_bps * 2, d_ps},
	};

	simkit_init(k);
	k->sw.pfc_priorities = 1 << g->priority;
	k->sw.pfc_response_ps = g->response_ps;
	k->sw.pfc_quanta = g->quanta;
	k->sw.pfc_refresh_percent = g->refresh_percent;
	k->sw.pfc_headroom_bytes = 4000000;
	k->sw.pfc_reserve_bytes = 0;
	k->sw.buffer_bytes = 4 * 4000000 + 400000;
	k->sw.lossy_alpha_q32 = 8 * Q32_ONE;
	k->nic.ack_every = 16;
	k->nic.retransmit_timeout_ps = 0;
	k->core = g->core;
	simkit_links(k, 3, g->behind_switch ? 2 : 1, link, g->behind_switch ? 4 : 3);
	simkit_flow(k, SENDER, SLOW, 2000000, 0)->priority = (int8_t)g->priority;
	simkit_flow(k, SENDER, BYSTANDER, 400000, 0)->priority =
	        (int8_t)((g->priority + 1) % 8);
}

/* What the paused port saw and did. */
struct log {
	int64_t stop_ps[4096]; /* XOFF received, the first of each episode */
	int64_t end_ps[4096];  /* XON received or quanta over */
	int64_t told_ps[4096]; /* every XOFF, when it was sent */
	int episodes, told;
	int64_t *start_ps; /* frames of the priority, ascending; then TIME_NEVER */
	int64_t *other_ps; /* of the other one */
	int starts, others;
};

static void take_pause(struct log *l, const struct stage *g, const struct trace_frame *f)
{
	int64_t now_ps = f->d.t_ps;

	assert_int_equal(f->d.psn, 1 << g->priority);
	if (!f->d.sent_unit) { /* XON */
		if (l->episodes && l->end_ps[l->episodes - 1] > now_ps)
			l->end_ps[l->episodes - 1] = now_ps;
		return;
	}
	l->told_ps[l->told++] = f->start_ps;
	if (!l->episodes || l->end_ps[l->episodes - 1] <= now_ps)
		l->stop_ps[l->episodes++] = now_ps;
	l->end_ps[l->episodes - 1] = now_ps + g->quanta * (512 * PS_PER_S / g->rate_bps);
	assert_true(l->episodes < 4096 && l->told < 4096);
}

static struct log observe(const struct trace *t, const struct stage *g)
{
	const uint32_t paused = g->behind_switch ? (uint32_t)FRONT : (uint32_t)SENDER;
	struct log l = {.start_ps = malloc((t->n + 1) * sizeof(int64_t)),
	        .other_ps = malloc((t->n + 1) * sizeof(int64_t))};

	assert_true(l.start_ps && l.other_ps);
	for (uint64_t i = 0; i < t->n; i++) {
		const struct trace_frame *f = &t->f[i];

		if (f->to == paused && f->d.kind == DESC_PFC)
			take_pause(&l, g, f);
		if (f->to != SWITCH || f->d.in_port != SENDER || f->d.kind != DESC_DATA)
			continue;
		if (f->d.priority == g->priority)
			l.start_ps[l.starts++] = f->start_ps;
		else
			l.other_ps[l.others++] = f->start_ps;
	}
	l.start_ps[l.starts] = TIME_NEVER;
	return l;
}

static int64_t response_of(const struct stage *g)
{
	return g->response_ps == PFC_RESPONSE_STANDARD ? trace_standard_response_ps(g->rate_bps)
	                                               : g->response_ps;
}

/* Each episode that is longer than the response: the port goes on to its end, to the frame, and
 * starts again at once. Two priorities share the port, so a turn may be the other's. */
static int check_episodes(const struct log *l, const struct stage *g, int64_t all_sent_ps)
{
	const int64_t longest_ps = (58 + 16 + 1024 + 24) * 8 * PS_PER_S / g->rate_bps;
	int at = 0, seen = 0;

	for (int i = 0; i < l->episodes; i++) {
		int64_t from_ps = l->stop_ps[i] + response_of(g), before;

		if (l->end_ps[i] <= from_ps || l->end_ps[i] >= all_sent_ps)
			continue;
		while (l->start_ps[at] < from_ps ||
		        (response_of(g) == 0 && l->start_ps[at] == from_ps))
			at++;
		assert_true(at > 0);
		before = l->start_ps[at - 1];
		assert_true(before >= from_ps - 2 * longest_ps);
		/* nothing between, and then at once, or after a frame of the other priority */
		assert_in_range(l->start_ps[at], l->end_ps[i], l->end_ps[i] + longest_ps);
		seen++;
	}
	return seen;
}

static struct run_record *run(struct simkit *k, struct trace *t, const struct stage *g)
{
	struct run_record *r;

	build(k, g);
	k->tap = trace_tap;
	k->tap_arg = t;
	r = simkit_run(k);
	assert_int_equal(r->n.drops_lossless + r->n.drops_lossy, 0);
	return r;
}

/* How long the record says that the port was paused. */
static void check_record(const struct run_record *r, const struct log *l, const struct stage *g)
{
	const uint32_t node = g->behind_switch ? (uint32_t)FRONT : (uint32_t)SENDER;
	int64_t sum_ps = 0;

	for (int i = 0; i < l->episodes; i++)
		sum_ps += l->end_ps[i] - l->stop_ps[i];
	for (uint64_t i = 0; i < r->n_pause; i++)
		if (r->pause[i].node == node && r->pause[i].priority == g->priority) {
			assert_int_equal(r->pause[i].paused_ps, sum_ps);
			assert_int_equal(r->pause[i].episodes, l->episodes);
			return;
		}
	fail_msg("no pause on record");
}

static int try(const struct stage *g)
{
	struct simkit k;
	struct trace t = {0};
	struct run_record *r = run(&k, &t, g);
	struct log l = observe(&t, g);
	int seen = check_episodes(&l, g, l.start_ps[l.starts - 1]);

	check_record(r, &l, g);
	assert_int_equal(l.starts, (2000000 + 1023) / 1024);
	/* the bystander's message takes what is left of the port and never waits: while the
	 * other priority is paused it follows frame by frame */
	for (int i = 1; i < l.others; i++)
		assert_true(l.other_ps[i] - l.other_ps[i - 1] <=
		                    2 * (58 + 16 + 1024 + 24) * 8 * PS_PER_S / g->rate_bps ||
		            g->behind_switch);
	free(l.start_ps);
	free(l.other_ps);
	run_record_free(r);
	trace_fini(&t);
	simkit_fini(&k);
	return seen;
}

static void response_times_are_those_of_the_standard(void **state)
{
	static const struct {
		int64_t gbps, quanta;
	} table[] = {{10, 60}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453},
	        {400, 905}, {800, 905}};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(trace_standard_response_ps(table[i].gbps * SIMKIT_GBPS),
		        table[i].quanta * 512000 / table[i].gbps);
		for (int behind = 0; behind < 2; behind++)
			assert_true(try(&(struct stage){.rate_bps = table[i].gbps * SIMKIT_GBPS,
			                    .response_ps = PFC_RESPONSE_STANDARD,
			                    .quanta = 65535,
			                    .refresh_percent = 50,
			                    .priority = 3,
			                    .behind_switch = behind}) > 0);
	}
}

static void other_response_times_are_met_to_the_picosecond(void **state)
{
	static const int64_t response_ps[] = {0, 1, 88480, 300000, 1234567};

	(void)state;
	for (size_t i = 0; i < sizeof(response_ps) / sizeof(response_ps[0]); i++)
		for (int behind = 0; behind < 2; behind++)
			assert_true(
			        try(&(struct stage){.rate_bps = 100 * SIMKIT_GBPS,
			                .response_ps = response_ps[i],
			                .quanta = 65535,
			                .refresh_percent = 50,
			                .priority = 3,
			                .behind_switch = behind,
			                .core = i % 2 ? SIM_CORE_HEAP : SIM_CORE_WINDOWS}) > 1);
}

static void every_priority_is_paused_for_itself(void **state)
{
	(void)state;
	for (int pr = 0; pr < 8; pr++)
		for (int behind = 0; behind < 2; behind++)
			assert_true(try(&(struct stage){.rate_bps = 100 * SIMKIT_GBPS,
			                    .response_ps = 100000,
			                    .quanta = 65535,
			                    .refresh_percent = 50,
			                    .priority = pr,
			                    .behind_switch = behind}) > 1);
}

/* 500 quanta at 100G: 2.56 us. Without repetition the port starts again when they are over. */
static void quanta_run_out(void **state)
{
	(void)state;
	for (int behind = 0; behind < 2; behind++)
		assert_int_equal(try(&(struct stage){.rate_bps = 100 * SIMKIT_GBPS,
		                         .response_ps = 100000,
		                         .quanta = 500,
		                         .refresh_percent = 0,
		                         .priority = 3,
		                         .behind_switch = behind}),
		        1);
}

/* With repetition after half of them it stays silent until XON; the repetitions come at half of
 * the quanta after the one before, or one frame later. */
static void refresh_holds_the_pause(void **state)
{
	const struct stage g = {.rate_bps = 100 * SIMKIT_GBPS,
	        .response_ps = 100000,
	        .quanta = 500,
	        .refresh_percent = 50,
	        .priority = 3};
	struct simkit k;
	struct trace t = {0};
	struct run_record *r = run(&k, &t, &g);
	struct log l = observe(&t, &g);
	int repeated = 0;

	(void)state;
	assert_true(check_episodes(&l, &g, l.start_ps[l.starts - 1]) > 1);
	for (int i = 1; i < l.told; i++) {
		int64_t apart_ps = l.told_ps[i] - l.told_ps[i - 1];

		if (apart_ps < 250 * 5120)
			continue; /* XON and a new XOFF between */
		repeated += apart_ps <= 250 * 5120 + (62 + 24) * 80;
	}
	assert_true(repeated > 10 && l.told > 2 * l.episodes);
	free(l.start_ps);
	free(l.other_ps);
	run_record_free(r);
	trace_fini(&t);
	simkit_fini(&k);
}

/* A run ends with its last message, but the window in which that fell is run to its end. */
static void pause_after_the_end_takes_nothing_away(void **state)
{
	struct pause_rx p = {0};

	(void)state;
	pause_rx_xoff(&p, 3, 100, 50, 0);
	(void)pause_rx_update(&p, 150);
	pause_rx_xoff(&p, 3, 1000, 500, 0);
	assert_int_equal(pause_rx_total_ps(&p, 3, 900), 50);
	assert_int_equal(pause_rx_total_ps(&p, 3, 1100), 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pause_after_the_end_takes_nothing_away),
	        cmocka_unit_test(response_times_are_those_of_the_standard),
	        cmocka_unit_test(other_response_times_are_met_to_the_picosecond),
	        cmocka_unit_test(every_priority_is_paused_for_itself),
	        cmocka_unit_test(quanta_run_out),
	        cmocka_unit_test(refresh_holds_the_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
