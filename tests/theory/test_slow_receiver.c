/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A receiver whose host takes packets more slowly than the wire brings them: its throughput is
 * receive_rate to the packet, its NIC pauses the switch port for the rest of the time, the
 * switch passes the pause on, and nothing is lost. Where the class is lossy it drops instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define WIRE_BYTES (58 + 1024 + 24)

struct pauses {
	struct {
		uint32_t to;
		int64_t start_ps, arrival_ps;
		bool stop;
	} frame[20000];
	int n, from_host, from_switch;
	int64_t first_data_ps, last_data_ps; /* of the switch port to the slow host */
};

static void tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct pauses *p = arg;

	if (d->kind == DESC_DATA && to == 1) {
		if (!p->first_data_ps)
			p->first_data_ps = start_ps;
		p->last_data_ps = start_ps;
	}
	if (d->kind != DESC_PFC)
		return;
	assert_true(p->n < 20000);
	p->frame[p->n].to = to;
	p->frame[p->n].start_ps = start_ps;
	p->frame[p->n].arrival_ps = d->t_ps;
	p->frame[p->n++].stop = d->sent_unit != 0;
	p->from_host += to == 2;
	p->from_switch += to != 2;
}

/* Two hosts on a switch at 100G, 1 us links; host 1 is slow. */
static void make(struct simkit *k, struct pauses *p, int64_t rate_bps, int64_t bytes)
{
	simkit_init(k);
	k->nic.receive_rate_bps = rate_bps;
	k->sw.buffer_bytes = 4000000;
	*p = (struct pauses){0};
	k->tap = tap;
	k->tap_arg = p;
	simkit_star(k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	simkit_flow(k, 0, 1, bytes, 0);
}

/*
 * The switch port to the slow host always has something to send, so it is idle only where it is
 * paused: between its first and last packet, idle time is what is left of sending at line rate.
 * Each episode is counted from the arrival of XOFF, and stops the port one response time later,
 * or when the frame that it then sends is out.
 */
static void check_duty(const struct pauses *p, const struct run_record *r, int64_t packets)
{
	const int64_t frame_ps = WIRE_BYTES * 80;
	const int64_t response_ps = 394 * 512 * 10; /* 802.3 31B.3.7 at 100G */
	const int64_t idle_ps =
	        p->last_data_ps - p->first_data_ps - (packets - 1) * frame_ps - 16 * 80;
	const struct pause_record *q = NULL;

	for (uint64_t i = 0; i < r->n_pause; i++) {
		assert_int_equal(r->pause[i].priority, 3);
		assert_true(r->pause[i].node != 1);
		if (r->pause[i].node == 2)
			q = &r->pause[i];
	}
	assert_non_null(q);
	assert_int_equal(q->port, 1);
	/* what is paused after the last packet keeps nothing back */
	assert_true(idle_ps >= q->paused_ps - (int64_t)q->episodes * (response_ps + frame_ps) -
	                               (r->t_end_ps - p->last_data_ps));
	assert_true(idle_ps <= q->paused_ps - ((int64_t)q->episodes - 1) * response_ps);
}

static void throughput_is_the_hosts_rate(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 80, 99};
	const int64_t packets = 20000;
	struct pauses *p = test_malloc(sizeof(*p));

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++) {
		struct run_record *r;
		struct simkit k;
		int64_t first_ps, last_ps;

		make(&k, p, gbps[i] * SIMKIT_GBPS, packets * 1024);
		r = simkit_run(&k);
		/* the first packet is at the NIC after two hops; from then on the host never
		 * waits: the last is taken after all wire bytes at its rate, and its ACK
		 * returns */
		first_ps = 2 * ((WIRE_BYTES + 16) * INT64_C(80) + PS_PER_US);
		last_ps = first_ps + (WIRE_BYTES * packets + 16) * INT64_C(8000) / gbps[i];
		assert_int_equal(r->n_msg, 1);
		/* an ACK never waits for more than a PFC frame before it */
		assert_in_range(r->msg[0].done_ps, last_ps + 2 * (86 * 80 + PS_PER_US),
		        last_ps + 2 * (86 * 80 + PS_PER_US) + 84 * 80);
		assert_int_equal(r->n.data_packets_delivered, packets);
		assert_int_equal(r->n.drops_host + r->n.drops_lossless, 0);
		assert_int_equal(r->n.headroom_violations, 0);
		assert_true(p->from_host > 2);
		check_duty(p, r, packets);
		run_record_free(r);
		simkit_fini(&k);
	}
	test_free(p);
}

/*
 * Steady state: after XOFF the buffer rises by what is under way, falls at the host's rate to
 * XON, and rises again. Every pause that the NIC asks for begins when it has sent its frame
 * and ends when its XON is there: who is paused is the switch port, and what the NIC had in its
 * buffer never passed the buffer.
 */
static void the_nic_pauses_its_switch_port_and_that_one_the_sender(void **state)
{
	struct pauses *p = test_malloc(sizeof(*p));
	struct run_record *r;
	struct simkit k;
	bool stopped = false;

	(void)state;
	make(&k, p, 20 * SIMKIT_GBPS, 20000000);
	k.nic.pfc_xon_offset_bytes = 20000;
	r = simkit_run(&k);
	assert_true(p->from_host > 10 && p->from_switch > 2);
	for (int i = 0; i < p->n; i++) {
		/* a PFC frame takes its 84 bytes and the propagation, no latency */
		assert_int_equal(
		        p->frame[i].arrival_ps, p->frame[i].start_ps + 84 * 80 + PS_PER_US);
		if (p->frame[i].to != 2)
			assert_int_equal(p->frame[i].to, 0);
		if (p->frame[i].to != 2)
			continue;
		assert_true(p->frame[i].stop || stopped); /* XON only after XOFF */
		stopped = p->frame[i].stop;
	}
	for (uint64_t q = 0; q < r->n_pause; q++)
		assert_true(r->pause[q].node == 0 ||
		            (r->pause[q].node == 2 && r->pause[q].port == 1));
	assert_int_equal(r->n_pause, 2);
	run_record_free(r);
	simkit_fini(&k);
	test_free(p);
}

/* A class that the NIC does not pause: what finds no room is dropped and sent again, and all
 * arrives. */
static void a_lossy_class_is_dropped_by_the_host(void **state)
{
	struct pauses *p = test_malloc(sizeof(*p));
	struct run_record *r;
	struct simkit k;

	(void)state;
	make(&k, p, 50 * SIMKIT_GBPS, 2000000);
	k.nic.pfc_priorities = 0;
	k.nic.receive_buffer_bytes = 100000;
	k.nic.pfc_xoff_bytes = 100000;
	k.nic.retry_limit = NIC_RETRY_UNLIMITED;
	k.nic.retransmit_timeout_ps = 200 * PS_PER_US;
	r = simkit_run(&k);
	assert_int_equal(p->from_host, 0);
	assert_true(r->n.drops_host > 100);
	assert_int_equal(r->n.drops_lossless + r->n.drops_lossy, 0);
	assert_int_equal(r->n.data_packets_dropped, r->n.drops_host);
	assert_int_equal(r->n.data_packets_sent,
	        r->n.data_packets_delivered + r->n.data_packets_dropped);
	assert_int_equal(r->msg[0].status, MSG_COMPLETED);
	assert_int_equal(r->n.payload_delivered_bytes, 2000000);
	run_record_free(r);
	simkit_fini(&k);
	test_free(p);
}

/* The smallest receive buffer that auto headroom allows: never exceeded, whatever arrives. */
static void headroom_of_the_nic_suffices(void **state)
{
	struct pauses *p = test_malloc(sizeof(*p));
	struct err e = {0};

	(void)state;
	for (int64_t bytes = 1000; bytes < 200000; bytes += bytes / 2) {
		struct run_record *r;
		struct simkit k;
		int rc;

		make(&k, p, 3 * SIMKIT_GBPS, 2000000);
		k.nic.receive_buffer_bytes = bytes;
		k.nic.retransmit_timeout_ps = 0;
		rc = simkit_try(&r, &k, &e);
		if (rc) { /* refused: names the key */
			assert_int_equal(rc, -22);
			assert_true(!strncmp(e.msg, "fabric.nic.receive_buffer:", 26));
			assert_true(bytes < 80000);
		} else {
			assert_int_equal(r->n.drops_host, 0);
			assert_int_equal(r->msg[0].status, MSG_COMPLETED);
			run_record_free(r);
		}
		simkit_fini(&k);
	}
	test_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(throughput_is_the_hosts_rate),
	        cmocka_unit_test(the_nic_pauses_its_switch_port_and_that_one_the_sender),
	        cmocka_unit_test(a_lossy_class_is_dropped_by_the_host),
	        cmocka_unit_test(headroom_of_the_nic_suffices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
