/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RNR, UC and UD through a fabric: when refused messages come, which messages are lost, and
 * that a run with no ACKs goes on until its last packet has arrived.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define MAX_CONN 128
#define WIRE     (58 + 1024 + 24)

struct seen {
	uint32_t n_hosts;
	int rnr_naks;
	int64_t rnr_ps[64], first_ps[64]; /* RNR NAKs there; starts of first packets */
	int firsts;
	/* of each connection: the message in progress at its receiver, whole messages */
	uint32_t psn[MAX_CONN];
	bool good[MAX_CONN];
	int64_t whole, last_data_ps, acks;
};

static void tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct seen *s = arg;

	s->acks += d->kind == DESC_ACK || d->kind == DESC_NAK;
	if (d->kind == DESC_RNR_NAK && to < s->n_hosts)
		s->rnr_ps[s->rnr_naks++ % 64] = d->t_ps;
	if (d->kind != DESC_DATA)
		return;
	if (to >= s->n_hosts && (d->flags & DESC_FIRST))
		s->first_ps[s->firsts++ % 64] = start_ps;
	if (to >= s->n_hosts)
		return;
	assert_true(d->conn < MAX_CONN);
	s->last_data_ps = d->t_ps;
	if (d->flags & DESC_FIRST)
		s->good[d->conn] = true;
	else
		s->good[d->conn] &= d->psn == s->psn[d->conn];
	s->psn[d->conn] = d->psn + 1;
	s->whole += (d->flags & DESC_LAST) && s->good[d->conn];
}

static void open_kit(struct simkit *k, struct seen *s, uint32_t n_hosts)
{
	simkit_init(k);
	*s = (struct seen){.n_hosts = n_hosts};
	k->tap = tap;
	k->tap_arg = s;
}

/*
 * One QP, five messages of one packet posted at once, one receive, 100 us of work each, RNR
 * timer 30 us. Message k is accepted when the work on k - 1 is done, at the first attempt after
 * it: every attempt comes a round trip and a timer after the last.
 */
static void refused_messages_come_after_the_timer(void **state)
{
	const int64_t tx_ps = (58 + 16 + 1000 + 24) * INT64_C(80), ack_ps = 86 * 80;
	const int64_t rtt_ps = 2 * (tx_ps + PS_PER_US) + 2 * (ack_ps + PS_PER_US);
	struct seen *s = test_malloc(sizeof(*s));
	struct run_record *r;
	struct load_cfg *c;
	struct simkit k;
	int64_t arrival_ps, work_ps, attempts = 0;

	(void)state;
	open_kit(&k, s, 2);
	k.nic.receive_queue = 1;
	k.nic.receive_time_ps = 100 * PS_PER_US;
	k.nic.rnr_timer_ps = 30 * PS_PER_US;
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(&k, LOAD_INCAST);
	c->message_bytes = 1000;
	c->repeat = 5;
	c->period_ps = 1;
	c->senders = 1;
	c->receiver = 1;
	r = simkit_run(&k);
	assert_int_equal(r->n_msg, 5);
	/* the second is sent right behind the first; its refusal reaches the sender one round
	 * trip after its start */
	arrival_ps = 2 * (tx_ps + PS_PER_US);
	work_ps = arrival_ps + 100 * PS_PER_US;
	arrival_ps += tx_ps;
	for (int m = 1; m < 5; m++) {
		while (arrival_ps < work_ps) {
			arrival_ps += rtt_ps + 30 * PS_PER_US;
			attempts++;
		}
		/* a picosecond between posts is no more than that */
		assert_in_range(r->msg[m].done_ps, arrival_ps + 2 * (ack_ps + PS_PER_US),
		        arrival_ps + 2 * (ack_ps + PS_PER_US) + 4);
		work_ps = arrival_ps + 100 * PS_PER_US;
		arrival_ps += tx_ps;
	}
	assert_int_equal(s->rnr_naks, attempts);
	assert_int_equal(r->n.rnr_naks, attempts);
	assert_int_equal(r->n.timeouts + r->n.naks, 0);
	run_record_free(r);
	simkit_fini(&k);
	test_free(s);
}

/* Eight UC senders into too small a buffer: what arrives whole is exactly what an observer of
 * the last link sees arrive whole, and nothing is answered. */
static void lost_messages_are_counted(void **state)
{
	struct seen *s = test_malloc(sizeof(*s));
	struct run_record *r;
	struct load_cfg *c;
	struct simkit k;

	(void)state;
	for (int transport = TRANSPORT_UC; transport <= TRANSPORT_UD; transport++) {
		open_kit(&k, s, 9);
		k.sw.pfc_priorities = 0;
		k.sw.buffer_bytes = 200000;
		k.nic.priority = 0;
		simkit_star(&k, 9, 100 * SIMKIT_GBPS, PS_PER_US);
		c = simkit_load(&k, LOAD_INCAST);
		c->transport = transport;
		c->message_bytes = transport == TRANSPORT_UD ? 1024 : 5000;
		c->repeat = 200;
		c->receiver = 0;
		r = simkit_run(&k);
		assert_int_equal(r->end, RUN_WORKLOAD_DONE);
		assert_int_equal(r->n.unacknowledged_sent, 1600);
		assert_int_equal(r->n.unacknowledged_arrived, s->whole);
		assert_int_equal(
		        r->n.unacknowledged_arrived_bytes, s->whole * c->message_bytes);
		assert_int_equal(r->n.unacknowledged_sent_bytes, 1600 * c->message_bytes);
		for (uint64_t i = 0; i < r->n_msg; i++)
			assert_true(r->msg[i].unacknowledged);
		assert_true(s->whole > 100 && s->whole < 1500);
		assert_int_equal(s->acks, 0);
		assert_int_equal(r->n.retransmitted_packets + r->n.timeouts, 0);
		/* what was on its way when the last sender was done has arrived */
		assert_int_equal(r->data_packets_left, 0);
		assert_true(s->last_data_ps > r->msg[r->n_msg - 1].done_ps);
		assert_int_equal(
		        r->n.data_packets_sent, r->n.data_packets_delivered + r->n.drops_lossy);
		run_record_free(r);
		simkit_fini(&k);
	}
	test_free(s);
}

/* Without loss UC is at its receiver what RC is, and done for its sender at line rate: FCT is
 * all bits of the message. */
static void without_loss_nothing_is_lost(void **state)
{
	struct seen *s = test_malloc(sizeof(*s));
	struct run_record *r;
	struct load_cfg *c;
	struct simkit k;

	(void)state;
	open_kit(&k, s, 2);
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	c = simkit_load(&k, LOAD_INCAST);
	c->transport = TRANSPORT_UC;
	c->message_bytes = 100 * 1024;
	c->repeat = 7;
	c->receiver = 1;
	c->senders = 1;
	r = simkit_run(&k);
	for (uint64_t i = 0; i < r->n_msg; i++) {
		assert_int_equal(r->msg[i].done_ps - r->msg[i].post_ps, (100 * WIRE + 16) * 80);
		assert_int_equal(r->msg[i].alone_ps, (100 * WIRE + 16) * 80);
	}
	assert_int_equal(r->n.unacknowledged_arrived, 7);
	assert_int_equal(r->n.payload_delivered_bytes, 700 * 1024);
	/* on the second link each packet waits until the longer first one is out */
	assert_int_equal(s->last_data_ps,
	        7 * (100 * WIRE + 16) * INT64_C(80) + WIRE * 80 + 2 * PS_PER_US + 16 * 80);
	run_record_free(r);
	simkit_fini(&k);
	test_free(s);
}

static void what_cannot_be_is_refused(void **state)
{
	struct seen *s = test_malloc(sizeof(*s));
	struct run_record *r;
	struct simkit k;
	struct err e = {0};

	(void)state;
	open_kit(&k, s, 2);
	k.nic.receive_queue = 1;
	k.nic.retransmit = NIC_SELECTIVE_REPEAT;
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	simkit_flow(&k, 0, 1, 1000, 0);
	assert_int_equal(simkit_try(&r, &k, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "fabric.nic.receive_queue: "));
	simkit_fini(&k);
	test_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(refused_messages_come_after_the_timer),
	        cmocka_unit_test(lost_messages_are_counted),
	        cmocka_unit_test(without_loss_nothing_is_lost),
	        cmocka_unit_test(what_cannot_be_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
