/* SPDX-License-Identifier: Apache-2.0 */
/* Rank programs on a host: when their messages are posted, what is on record of them, and which
 * queue pairs they use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

static void star(struct simkit *k, uint32_t hosts)
{
	simkit_init(k);
	simkit_star(k, hosts, 100 * SIMKIT_GBPS, PS_PER_US);
}

/* With a period each round has its intended time, and a late round is counted from it. */
static void rounds_are_posted_at_their_times(void **state)
{
	struct simkit k;
	struct load_cfg *c;
	struct run_record *r;

	(void)state;
	star(&k, 2);
	c = simkit_load(&k, LOAD_RING);
	c->message_bytes = 100000; /* 8.6 us and more */
	c->repeat = 5;
	c->period_ps = 5 * PS_PER_US;
	c->start_ps = 3 * PS_PER_US;
	r = simkit_run(&k);
	assert_int_equal(r->n_msg, 10);
	for (uint32_t i = 0; i < 5; i++) {
		const struct msg_record *m = simkit_msg(r, 0, 1, i);

		assert_int_equal(m->post_ps, (3 + 5 * i) * PS_PER_US);
		assert_int_equal(m->seq, i);
		assert_int_equal(m->tag, i);
		/* one queue pair: a message starts when the one before is sent */
		assert_true(m->first_ps > m->post_ps || i == 0);
	}
	run_record_free(r);
	simkit_fini(&k);
}

/* Without one the next round starts the moment the last ACK of the former is in. */
static void round_follows_round(void **state)
{
	struct simkit k;
	struct load_cfg *c;
	struct run_record *r;

	(void)state;
	star(&k, 2);
	c = simkit_load(&k, LOAD_RING);
	c->message_bytes = 10000;
	c->repeat = 4;
	r = simkit_run(&k);
	for (uint32_t i = 1; i < 4; i++)
		assert_int_equal(
		        simkit_msg(r, 0, 1, i)->post_ps, simkit_msg(r, 0, 1, i - 1)->done_ps);
	run_record_free(r);
	simkit_fini(&k);
}

/* Flows get a queue pair each; one that is done is used again, so many flows one after another
 * need one, and several at once need several. */
static void finished_queue_pairs_are_used_again(void **state)
{
	struct simkit k;
	struct run_record *r;
	uint32_t most = 0;

	(void)state;
	star(&k, 3);
	for (int i = 0; i < 50; i++)
		simkit_flow(&k, 1, 0, 5000, i * 20 * PS_PER_US);
	for (int i = 0; i < 6; i++)
		simkit_flow(&k, 2, 0, 5000, 0);
	r = simkit_run(&k);
	assert_int_equal(r->n_msg, 56);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(simkit_msg(r, 1, 0, i)->conn, 0);
	for (uint32_t i = 0; i < 6; i++)
		if (simkit_msg(r, 2, 0, i)->conn > most)
			most = simkit_msg(r, 2, 0, i)->conn;
	assert_int_equal(most, 5);
	run_record_free(r);
	simkit_fini(&k);
}

/* Flows of one pair and different priorities do not share one either. */
static void priorities_have_their_own_queue_pairs(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	star(&k, 2);
	for (int i = 0; i < 4; i++)
		simkit_flow(&k, 0, 1, 5000, i * 20 * PS_PER_US)->priority = (int8_t)(i % 2 + 3);
	r = simkit_run(&k);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(simkit_msg(r, 0, 1, i)->priority, i % 2 + 3);
		assert_int_equal(simkit_msg(r, 0, 1, i)->conn, i % 2);
	}
	run_record_free(r);
	simkit_fini(&k);
}

/* A QP that fails takes its messages with it, the program goes on, and the run ends. Host 0's
 * link carries nothing back: its ACKs are on a lossy priority of a switch without a pool. */
static void failure_is_on_record_and_ends_the_run(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	simkit_init(&k);
	k.sw.pfc_headroom_bytes = 100000;
	k.sw.pfc_reserve_bytes = 10000;
	k.sw.buffer_bytes = 2 * 110000 + 1;
	k.nic.ack_priority = 0;
	k.nic.retransmit_timeout_ps = 50 * PS_PER_US;
	k.nic.retry_limit = 2;
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	simkit_flow(&k, 0, 1, 1000, 0);
	r = simkit_run(&k);
	assert_int_equal(r->end, RUN_WORKLOAD_DONE);
	assert_int_equal(r->n.messages_failed, 1);
	assert_int_equal(r->n.timeouts, 3);
	assert_int_equal(r->n.drops_lossy, 3);
	assert_int_equal(r->msg[0].status, MSG_FAILED);
	assert_int_equal(r->msg[0].done_ps, TIME_NEVER);
	assert_int_equal(r->msg[0].retransmits, 2);
	assert_int_equal(r->n.data_packets_delivered, 3);
	assert_int_equal(r->n.payload_delivered_bytes, 1000); /* once */
	run_record_free(r);
	simkit_fini(&k);
}

static void stop_leaves_messages_unfinished(void **state)
{
	struct simkit k;
	struct run_record *r;

	(void)state;
	star(&k, 3);
	simkit_flow(&k, 0, 1, 1000, 0);
	simkit_flow(&k, 0, 1, 10000000, 0);
	simkit_flow(&k, 2, 1, 1000, 90 * PS_PER_US); /* never starts */
	k.stop_ps = 50 * PS_PER_US;
	r = simkit_run(&k);
	assert_int_equal(r->end, RUN_TIME_UP);
	assert_int_equal(r->t_end_ps, 50 * PS_PER_US);
	assert_int_equal(r->n_msg, 2);
	assert_int_equal(r->msg[0].status, MSG_COMPLETED);
	assert_int_equal(r->msg[1].status, MSG_UNFINISHED);
	assert_int_equal(r->msg[1].done_ps, TIME_NEVER);
	run_record_free(r);
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rounds_are_posted_at_their_times),
	        cmocka_unit_test(round_follows_round),
	        cmocka_unit_test(finished_queue_pairs_are_used_again),
	        cmocka_unit_test(priorities_have_their_own_queue_pairs),
	        cmocka_unit_test(failure_is_on_record_and_ends_the_run),
	        cmocka_unit_test(stop_leaves_messages_unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
