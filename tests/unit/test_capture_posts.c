/* SPDX-License-Identifier: Apache-2.0 */
/* When messages of a capture were posted: on times that are made for each conclusion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/imports/capture_work.h"

#define HOSTS 4

/* Pairs are added one after the other, by source. */
static void init(struct capture_work *w)
{
	*w = (struct capture_work){.n_hosts = HOSTS, .packet_wire = 1122};
	w->message = calloc(256, sizeof(*w->message));
	w->pair = calloc(16, sizeof(*w->pair));
	w->rate_bps = calloc(HOSTS, sizeof(*w->rate_bps));
	assert_true(w->message && w->pair && w->rate_bps);
	for (int i = 0; i < HOSTS; i++)
		w->rate_bps[i] = 100000000000;
}

static void pair(struct capture_work *w, uint32_t src, uint32_t dst)
{
	const uint32_t n = w->n_pairs;

	w->pair[w->n_pairs++] = (struct capture_pair){.src = src,
	        .dst = dst,
	        .flow = n,
	        .first = w->n_messages,
	        .qp = n && w->pair[n - 1].src == src ? w->pair[n - 1].qp + 1 : 0};
}

static void message(struct capture_work *w, int64_t first, int64_t last, int64_t arrived,
        int64_t acked, uint32_t packets)
{
	struct capture_pair *p = &w->pair[w->n_pairs - 1];

	p->n++;
	w->message[w->n_messages] = (struct capture_message){.first_ns = first,
	        .last_ns = last,
	        .arrived_ns = arrived,
	        .acked_ns = acked,
	        .number = w->n_messages,
	        .bytes = packets * 1024,
	        .packets = packets,
	        .flow = w->n_pairs - 1,
	        .pair = w->n_pairs - 1,
	        .src = p->src,
	        .dst = p->dst,
	        .priority = -1};
	w->n_messages++;
}

static void find(struct capture_work *w)
{
	struct err e = {0};

	assert_int_equal(capture_posts_find(w, &e), 0);
}

/* Messages 5 us behind the acknowledgement of the former, at unequal times. */
static void a_closed_loop_is_seen(void **state)
{
	struct capture_work w;
	int64_t t = 100;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	for (int i = 0; i < 6; i++) {
		const int64_t acked = t + 3000 + 700 * i;

		message(&w, t, t + 900, t + 1900, acked, 10);
		t = acked + 5000 + 10 * i;
	}
	find(&w);
	assert_int_equal(w.message[0].how, POST_AT);
	assert_int_equal(w.message[0].start_ps, 100000);
	for (uint32_t i = 1; i < 6; i++) {
		assert_int_equal(w.message[i].how, POST_AFTER);
		assert_int_equal(w.message[i].n_after, 1);
		assert_int_equal(w.message[i].after[0], i - 1);
		assert_int_equal(w.message[i].start_ps, (5000 + 10 * (i - 1)) * 1000);
	}
	capture_work_fini(&w);
}

/* A period is none: the acknowledgements come at unequal times before. */
static void a_clock_is_no_loop(void **state)
{
	struct capture_work w;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	for (int i = 0; i < 8; i++)
		message(&w, i * 30000, i * 30000 + 900, i * 30000 + 1900,
		        i * 30000 + 3000 + i * 3000, 10);
	find(&w);
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(w.message[i].how, POST_AT);
		assert_int_equal(w.message[i].start_ps, i * 30000000);
	}
	capture_work_fini(&w);
}

/* Host 1 passes on what comes from host 0, one behind, and what comes from host 2 as well. */
static void answers_to_arrivals_are_seen(void **state)
{
	static const int64_t at[] = {0, 41000, 95000, 131000, 190000, 222000};
	struct capture_work w;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	for (int i = 0; i < 6; i++)
		message(&w, at[i], at[i] + 900, at[i] + 2000, at[i] + 3000, 10);
	pair(&w, 1, 3);
	message(&w, 500, 1400, 2400, 3400, 10); /* of its own */
	for (int i = 0; i < 6; i++) {
		const int64_t ready = at[i] + 2000 + (i % 2 ? 4000 : 0);

		message(&w, ready + 1000, ready + 1900, ready + 3000, ready + 4000, 10);
	}
	pair(&w, 2, 1);
	for (int i = 0; i < 6; i++) /* in turn before and behind those of host 0 */
		message(&w, at[i] + (i % 2 ? 4000 : -4000), at[i] + (i % 2 ? 4900 : -3100),
		        at[i] + 2000 + (i % 2 ? 4000 : -4000), at[i] + 7100, 10);
	find(&w);
	assert_int_equal(w.message[6].n_after, 0);
	for (uint32_t i = 0; i < 6; i++) {
		const struct capture_message *m = &w.message[7 + i];

		assert_int_equal(m->how, POST_AFTER);
		assert_int_equal(m->n_after, 2);
		assert_true((m->after[0] == i && m->after[1] == 13 + i) ||
		            (m->after[1] == i && m->after[0] == 13 + i));
		assert_int_equal(m->start_ps, 1000000);
	}
	capture_work_fini(&w);
}

/* Twice is a coincidence; and once before the other, and it is none of its effects. */
static void rare_and_early_ones_are_left_alone(void **state)
{
	struct capture_work w;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	for (int i = 0; i < 6; i++)
		message(&w, i * 50000, i * 50000 + 900, i * 50000 + 2000, i * 50000 + 3000, 10);
	pair(&w, 1, 2);
	for (int i = 0; i < 6; i++) { /* the fourth is earlier */
		const int64_t t = i * 50000 + (i == 3 ? 1500 : 3000);

		message(&w, t, t + 900, t + 2000, t + 30000 + i * 2500, 10);
	}
	find(&w);
	for (uint32_t i = 6; i < 12; i++)
		assert_int_equal(w.message[i].n_after, 0);
	capture_work_fini(&w);
}

/* Ten messages right behind each other, of which two are under way at a time. */
static void messages_that_waited_keep_the_queue_filled(void **state)
{
	struct capture_work w;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	for (int i = 0; i < 10; i++)
		message(&w, 1000 * i, 1000 * i + 900, 1000 * i + 1900, 1000 * i + 2500, 10);
	find(&w);
	assert_int_equal(w.message[0].how, POST_AT);
	for (uint32_t i = 1; i < 10; i++) {
		/* At its first packet the two before are not acknowledged: depth 3. */
		assert_int_equal(w.message[i].how, i < 3 ? POST_TOGETHER : POST_BEHIND);
		if (i >= 3)
			assert_int_equal(w.message[i].after[0], i - 3);
		else
			assert_int_equal(w.message[i].start_ps, 0);
	}
	capture_work_fini(&w);
}

/* Three queue pairs whose first packets follow each other were posted at once; not a fourth. */
static void check_burst(uint32_t packets)
{
	struct capture_work w;

	init(&w);
	for (uint32_t i = 0; i < 4; i++) {
		const int64_t t = 5000 + (i < 3 ? 90 * i : 4000);

		pair(&w, 0, i % 3 + 1);
		message(&w, t, t + 5000, t + 6000, t + 7000, packets);
	}
	find(&w);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(w.message[i].start_ps, 5000000);
	/* It found the port busy: half a packet earlier. */
	if (packets == 20)
		assert_in_range(w.message[3].start_ps, 8950000, 8999000);
	else
		assert_int_equal(w.message[3].start_ps, 9000000);
	capture_work_fini(&w);
}

/* Twenty packets of each fill the port, five leave it free most of the time. */
static void bursts_are_posted_at_once(void **state)
{
	(void)state;
	check_burst(20);
	check_burst(5);
}

/* A rate cut between two messages spreads the packets of the second one: it had waited. */
static void a_slower_message_had_waited(void **state)
{
	struct capture_work w;

	(void)state;
	init(&w);
	pair(&w, 0, 1);
	message(&w, 0, 900, 2000, 9000, 10);
	message(&w, 1800, 10800, 12000, 14000, 10); /* 1000 apart; 900 behind the former */
	pair(&w, 1, 2);
	message(&w, 0, 900, 2000, 9000, 10);
	message(&w, 1800, 2700, 3800, 14000, 10); /* 100 apart */
	find(&w);
	assert_int_equal(w.message[1].how, POST_TOGETHER);
	assert_int_equal(w.message[3].how, POST_AT);
	capture_work_fini(&w);
}

#define BUSY 8

/* Host 1 answers host 0 on two queue pairs, of which the second one is idle only once. */
static void make_siblings(struct capture_work *w, int64_t early)
{
	init(w);
	for (int k = 0; k < 2; k++) {
		pair(w, 0, 1);
		for (int i = 0; i < BUSY; i++) {
			const int64_t t = 20000 * i + 300 * k;

			message(w, t, t + 900, t + 2000, t + 3000, 10);
		}
	}
	pair(w, 1, 2);
	for (int i = 0; i < BUSY; i++) {
		const int64_t t = 20000 * i + 2000;

		message(w, t, t + 900, t + 2000, t + 3000, 10);
	}
	pair(w, 1, 2);
	for (int i = 0; i < BUSY; i++) { /* each until the next one begins */
		const int64_t t = 20000 * i + 2300 + (i ? 3000 : 0) - (i == 5 ? early : 0);

		message(w, t, t + 18000, t + 30000, t + 40000, 10);
	}
}

static void siblings_have_the_same_rule(void **state)
{
	struct capture_work w;

	(void)state;
	make_siblings(&w, 0);
	find(&w);
	for (uint32_t i = 0; i < BUSY; i++) {
		const struct capture_message *m = &w.message[3 * BUSY + i];

		assert_int_equal(w.message[2 * BUSY + i].n_after, 1);
		assert_int_equal(w.message[2 * BUSY + i].after[0], i);
		assert_int_equal(m->how, POST_AFTER);
		assert_int_equal(m->n_after, 1);
		assert_int_equal(m->after[0], BUSY + i);
		assert_int_equal(m->start_ps, i == 1 ? 3000000 : 0);
	}
	capture_work_fini(&w);
	/* Once before its arrival: none of its effects. */
	make_siblings(&w, 3200);
	find(&w);
	for (uint32_t i = 0; i < BUSY; i++)
		assert_int_not_equal(w.message[3 * BUSY + i].how, POST_AFTER);
	capture_work_fini(&w);
}

/* Host 1 sums what comes from hosts 0 and 2, of which 2 is later, by little, once alone. What
 * comes from host 3 runs ahead. */
static void make_sum(struct capture_work *w, int64_t early)
{
	init(w);
	pair(w, 0, 1);
	for (int i = 0; i < BUSY; i++)
		message(w, 20000 * i, 20000 * i + 900, 20000 * i + 2000, 20000 * i + 3000, 10);
	pair(w, 1, 0);
	for (int i = 0; i < BUSY; i++) {
		const int64_t t = 20000 * i + 2000 + (i == 4 ? 60 : 0);

		message(w, t, t + 900, t + 2000, t + 3000, 10);
	}
	pair(w, 2, 1);
	for (int i = 0; i < BUSY; i++) {
		const int64_t t = 20000 * i + (i == 4 ? 60 : i == 6 ? early : -9000);

		message(w, t, t + 900, t + 2000, t + 3000, 10);
	}
	pair(w, 3, 1);
	for (int i = 0; i < BUSY; i++)
		message(w, 1000 * i, 1000 * i + 900, 1000 * i + 1900, 1000 * i + 2500, 10);
}

static void a_second_cause_is_found(void **state)
{
	struct capture_work w;

	(void)state;
	make_sum(&w, -9000);
	find(&w);
	for (uint32_t i = 0; i < BUSY; i++) {
		const struct capture_message *m = &w.message[BUSY + i];

		assert_int_equal(m->n_after, 2);
		assert_int_equal(m->after[0], i);
		assert_int_equal(m->after[1], 2 * BUSY + i);
	}
	capture_work_fini(&w);
	make_sum(&w, 5); /* its seventh arrives too late */
	find(&w);
	for (uint32_t i = 0; i < BUSY; i++)
		assert_int_equal(w.message[BUSY + i].n_after, 1);
	capture_work_fini(&w);
}

/* A second queue pair to the same host has the same two, though host 2 is far ahead there. */
static void a_siblings_second_cause_is_found(void **state)
{
	struct capture_work w;

	(void)state;
	make_sum(&w, -9000);
	pair(&w, 0, 1);
	for (int i = 0; i < BUSY; i++)
		message(&w, 20000 * i + 300, 20000 * i + 1200, 20000 * i + 2300,
		        20000 * i + 3300, 10);
	pair(&w, 2, 1);
	for (int i = 0; i < BUSY; i++)
		message(&w, 1000 * i, 1000 * i + 900, 1000 * i + 1950, 1000 * i + 3000, 10);
	pair(&w, 1, 0);
	for (int i = 0; i < BUSY; i++)
		message(&w, 20000 * i + 2300, 20000 * i + 3200, 20000 * i + 4300,
		        20000 * i + 5300, 10);
	/* By source: the queue pairs of host 1 have to be neighbours. */
	for (uint32_t k = 0; k < w.n_pairs; k++)
		w.pair[k].flow = k;
	for (uint32_t i = 1; i < w.n_pairs; i++) {
		for (uint32_t k = i; k && w.pair[k].src < w.pair[k - 1].src; k--) {
			const struct capture_pair p = w.pair[k];

			w.pair[k] = w.pair[k - 1];
			w.pair[k - 1] = p;
		}
	}
	for (uint32_t k = 0; k < w.n_pairs; k++)
		for (uint32_t i = 0; i < w.pair[k].n; i++)
			w.message[w.pair[k].first + i].pair = k;
	find(&w);
	for (uint32_t i = 0; i < BUSY; i++) {
		const struct capture_message *m = &w.message[6 * BUSY + i];

		assert_int_equal(m->n_after, 2);
		assert_int_equal(m->after[0], 4 * BUSY + i);
		assert_int_equal(m->after[1], 5 * BUSY + i);
	}
	capture_work_fini(&w);
}

/* The simulated NIC begins behind the first queue pair: the last of a burst is opened first. */
static void the_last_of_a_first_burst_is_opened_first(void **state)
{
	struct capture_work w;
	struct err e = {0};

	(void)state;
	init(&w);
	for (uint32_t i = 0; i < 4; i++) {
		const int64_t t = 5000 + (i < 3 ? 90 * i : 4000);

		pair(&w, 0, i % 3 + 1);
		message(&w, t, t + 5000, t + 6000, t + 7000, 10);
	}
	find(&w);
	assert_int_equal(capture_turns_find(&w, &e), 0);
	assert_int_equal(w.pair[0].qp, 1);
	assert_int_equal(w.pair[1].qp, 2);
	assert_int_equal(w.pair[2].qp, 0);
	assert_int_equal(w.pair[3].qp, 3);
	assert_true(w.message[2].turn_ns < w.message[0].turn_ns);
	assert_int_equal(w.message[3].turn_ns, w.message[3].first_ns);
	capture_work_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_closed_loop_is_seen),
	        cmocka_unit_test(a_clock_is_no_loop),
	        cmocka_unit_test(answers_to_arrivals_are_seen),
	        cmocka_unit_test(rare_and_early_ones_are_left_alone),
	        cmocka_unit_test(messages_that_waited_keep_the_queue_filled),
	        cmocka_unit_test(bursts_are_posted_at_once),
	        cmocka_unit_test(a_slower_message_had_waited),
	        cmocka_unit_test(siblings_have_the_same_rule),
	        cmocka_unit_test(a_second_cause_is_found),
	        cmocka_unit_test(a_siblings_second_cause_is_found),
	        cmocka_unit_test(the_last_of_a_first_burst_is_opened_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
