/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times that can be worked out by hand, to the picosecond.
 *
 * Bytes (README, "Words"): a data frame has Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 + ICRC 4 =
 * 58 bytes and its payload, padded to a multiple of four, the first of a message a RETH of 16
 * more, at least 60; an ACK 62. On the wire come FCS 4, preamble and gap 20. t(x) = 8 x / rate,
 * d: propagation of a link, L: pipeline latency of a switch.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define ACK_WIRE  86
#define HEAD_WIRE 84 /* 64 bytes seen, and the preamble and gap that go with a frame */
#define MAX_HOPS  4

static int64_t wire(int64_t payload_bytes, bool first)
{
	int64_t frame_bytes = 58 + (payload_bytes + 3) / 4 * 4 + (first ? 16 : 0);

	return (frame_bytes < 60 ? 60 : frame_bytes) + 24;
}

static int64_t packets_of(int64_t bytes, int64_t mtu_bytes)
{
	return (bytes + mtu_bytes - 1) / mtu_bytes;
}

/* Wire bytes of packet p of a message. */
static int64_t packet_wire(int64_t bytes, int64_t mtu_bytes, int64_t p)
{
	int64_t last = packets_of(bytes, mtu_bytes) - 1;

	return wire(p == last ? bytes - last * mtu_bytes : mtu_bytes, p == 0);
}

static int64_t message_wire(int64_t bytes, int64_t mtu_bytes)
{
	int64_t sum = 0;

	for (int64_t p = 0; p < packets_of(bytes, mtu_bytes); p++)
		sum += packet_wire(bytes, mtu_bytes, p);
	return sum;
}

static int64_t at_rate(int64_t wire_bytes, int64_t rate_bps)
{
	assert_int_equal(8 * PS_PER_S % rate_bps, 0);
	return wire_bytes * (8 * PS_PER_S / rate_bps);
}

/* FCT of one message in a run; room for everything, so that nothing but the wire counts. */
struct chain {
	int64_t rate_bps[MAX_HOPS], delay_ps[MAX_HOPS];
	uint32_t n;
	int64_t latency_ps;
	enum forwarding forwarding;
};

static int64_t fct_ps(const struct chain *c, int64_t bytes, int64_t mtu_bytes)
{
	struct simkit k;
	struct run_record *r;
	int64_t fct;

	simkit_init(&k);
	k.sw.buffer_bytes = INT64_C(1) << 32;
	k.sw.latency_ps = c->latency_ps;
	k.sw.forwarding = c->forwarding;
	k.frame.path_mtu_bytes = mtu_bytes;
	simkit_chain(&k, c->n, c->rate_bps, c->delay_ps);
	simkit_flow(&k, 0, 1, bytes, 1234567);
	r = simkit_run(&k);
	assert_int_equal(r->n_msg, 1);
	assert_int_equal(r->msg[0].status, MSG_COMPLETED);
	assert_int_equal(r->msg[0].post_ps, 1234567);
	assert_int_equal(r->msg[0].first_ps, 1234567);
	assert_int_equal(r->n.data_packets_delivered, packets_of(bytes, mtu_bytes));
	fct = r->msg[0].done_ps - r->msg[0].post_ps;
	assert_int_equal(r->msg[0].alone_ps, fct);
	run_record_free(r);
	simkit_fini(&k);
	return fct;
}

static int64_t travel_ps(const struct chain *c)
{
	int64_t sum = (c->n - 1) * c->latency_ps;

	for (uint32_t i = 0; i < c->n; i++)
		sum += c->delay_ps[i];
	return sum;
}

/* The ACK of the packet before may still be on its way out when the last one comes. */
static int64_t ack_wait_wire(int64_t bytes, int64_t mtu_bytes)
{
	int64_t n = packets_of(bytes, mtu_bytes), last = packet_wire(bytes, mtu_bytes, n - 1);

	return n > 1 && last < ACK_WIRE ? ACK_WIRE - last : 0;
}

/*
 * Equal links, store and forward: a flow shop in which each machine takes equally long for a
 * job, whose makespan is the sum of the jobs and, for each machine but one, the longest
 * (Pinedo, "Scheduling", proportionate permutation flow shops). The ACK: each link once.
 */
static int64_t stored_wire(int64_t bytes, int64_t mtu_bytes, uint32_t links)
{
	int64_t longest = 0;

	for (int64_t p = 0; p < packets_of(bytes, mtu_bytes); p++)
		if (packet_wire(bytes, mtu_bytes, p) > longest)
			longest = packet_wire(bytes, mtu_bytes, p);
	return message_wire(bytes, mtu_bytes) + (links - 1) * longest +
	       ack_wait_wire(bytes, mtu_bytes) + links * ACK_WIRE;
}

/* Equal links, cut-through: each switch holds a frame back by its head alone, so a packet finds
 * its way free just as it comes. */
static int64_t cut_wire(int64_t bytes, int64_t mtu_bytes, uint32_t links)
{
	return message_wire(bytes, mtu_bytes) + (links - 1) * HEAD_WIRE +
	       ack_wait_wire(bytes, mtu_bytes) + ACK_WIRE + (links - 1) * HEAD_WIRE;
}

static void check_equal_links(int64_t rate_bps, int64_t mtu_bytes, int64_t bytes)
{
	for (uint32_t links = 2; links <= MAX_HOPS; links++) {
		struct chain c = {.n = links, .latency_ps = 350000};

		for (uint32_t i = 0; i < links; i++) {
			c.rate_bps[i] = rate_bps;
			c.delay_ps[i] = 1000000 + i * 1001;
		}
		assert_int_equal(fct_ps(&c, bytes, mtu_bytes),
		        2 * travel_ps(&c) +
		                at_rate(stored_wire(bytes, mtu_bytes, links), rate_bps));
		c.forwarding = FORWARD_CUT_THROUGH;
		assert_int_equal(fct_ps(&c, bytes, mtu_bytes),
		        2 * travel_ps(&c) +
		                at_rate(cut_wire(bytes, mtu_bytes, links), rate_bps));
	}
}

static void single_flow_over_equal_links(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 100, 200, 400, 800};
	static const int64_t mtu[] = {256, 512, 1024, 2048, 4096, 9000};
	static const int64_t whole[] = {1, 2, 3, 10};

	(void)state;
	for (size_t i = 0; i < sizeof(mtu) / sizeof(mtu[0]); i++) {
		int64_t rate_bps = gbps[i % 7] * SIMKIT_GBPS;

		check_equal_links(rate_bps, mtu[i], 1);
		check_equal_links(rate_bps, mtu[i], mtu[i] / 2);
		for (size_t k = 0; k < sizeof(whole) / sizeof(whole[0]); k++)
			for (int64_t off = -1; off <= 1; off++)
				check_equal_links(rate_bps, mtu[i], whole[k] * mtu[i] + off);
	}
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++) {
		check_equal_links(gbps[i] * SIMKIT_GBPS, 1024, 1000000);
		check_equal_links(gbps[i] * SIMKIT_GBPS, 4096, 4097);
	}
}

/* One packet: each link in turn, whatever its rate. */
static void one_packet_over_unequal_links(void **state)
{
	static const struct chain c = {.rate_bps = {400 * SIMKIT_GBPS, 25 * SIMKIT_GBPS,
	                                       800 * SIMKIT_GBPS, 100 * SIMKIT_GBPS},
	        .delay_ps = {0, 5000000, 1, 70000},
	        .n = 4,
	        .latency_ps = 123456};
	int64_t want_ps = 2 * travel_ps(&c);

	(void)state;
	for (uint32_t i = 0; i < c.n; i++)
		want_ps += at_rate(wire(777, true), c.rate_bps[i]) +
		           at_rate(ACK_WIRE, c.rate_bps[i]);
	assert_int_equal(fct_ps(&c, 777, 1024), want_ps);
}

/* A slower link in the middle: it never idles once the first packet is there. The packets after
 * it are as far apart as it lets them. */
static void long_flow_through_a_bottleneck(void **state)
{
	static const struct chain c = {
	        .rate_bps = {400 * SIMKIT_GBPS, 40 * SIMKIT_GBPS, 100 * SIMKIT_GBPS},
	        .delay_ps = {300000, 2000000, 40000},
	        .n = 3,
	        .latency_ps = 500000};
	const int64_t bytes = 1000 * 1024;
	int64_t want_ps = 2 * travel_ps(&c);

	(void)state;
	want_ps += at_rate(wire(1024, true), c.rate_bps[0]) +
	           at_rate(message_wire(bytes, 1024), c.rate_bps[1]) +
	           at_rate(wire(1024, false), c.rate_bps[2]);
	for (uint32_t i = 0; i < c.n; i++)
		want_ps += at_rate(ACK_WIRE, c.rate_bps[i]);
	assert_int_equal(fct_ps(&c, bytes, 1024), want_ps);
}

/*
 * A rate whose byte time is no whole number of picoseconds: what is left over is carried, so
 * the end of a back-to-back burst of W wire bytes is floor(8 W / rate) after its start, however
 * many packets it has, and so is the time that ACKs have taken in all.
 */
static void fractions_of_a_picosecond_are_not_lost(void **state)
{
	static const int64_t gbps[] = {30, 99, 56, 360};

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++) {
		struct chain c = {.rate_bps = {10 * SIMKIT_GBPS, gbps[i] * SIMKIT_GBPS},
		        .delay_ps = {1000000, 1000000},
		        .n = 2};
		int64_t one = wire(5, true), t_ps;

		/* one packet there, one ACK back */
		t_ps = at_rate(one + ACK_WIRE, c.rate_bps[0]) + 4000000;
		t_ps += one * 8 * PS_PER_S / c.rate_bps[1] +
		        ACK_WIRE * 8 * PS_PER_S / c.rate_bps[1];
		assert_int_equal(fct_ps(&c, 5, 1024), t_ps);
		/* a queue before that link: it sends back to back */
		c.rate_bps[0] = 400 * SIMKIT_GBPS;
		t_ps = at_rate(wire(1024, true) + ACK_WIRE, c.rate_bps[0]) + 4000000;
		t_ps += message_wire(204800, 1024) * 8 * PS_PER_S / c.rate_bps[1];
		t_ps += 200 * ACK_WIRE * 8 * PS_PER_S / c.rate_bps[1] -
		        199 * ACK_WIRE * 8 * PS_PER_S / c.rate_bps[1];
		assert_int_equal(fct_ps(&c, 204800, 1024), t_ps);
	}
}

/*
 * N : 1 without congestion control, PFC and ECN out of reach: the receiver's link is busy from
 * the first packet's arrival to the end of all of them, so the last byte is in after t(all),
 * and the last ACK goes back over two links.
 */
static void check_incast(uint32_t senders, int64_t bytes, int64_t send_gbps, int64_t recv_gbps)
{
	const int64_t d_ps = 700000, latency_ps = 300000;
	const int64_t send_bps = send_gbps * SIMKIT_GBPS, recv_bps = recv_gbps * SIMKIT_GBPS;
	struct topo_link link[SIMKIT_MAX_LINKS];
	struct simkit k;
	struct run_record *r;
	int64_t last_ps;

	simkit_init(&k);
	k.sw.buffer_bytes = INT64_C(1) << 33;
	k.sw.pfc_alpha_q32 = 256 * Q32_ONE;
	k.sw.latency_ps = latency_ps;
	for (uint32_t i = 0; i <= senders; i++)
		link[i] = (struct topo_link){i, senders + 1, i ? send_bps : recv_bps, d_ps};
	simkit_links(&k, senders + 1, 1, link, senders + 1);
	simkit_load(&k, LOAD_INCAST)->message_bytes = bytes;
	r = simkit_run(&k);
	assert_int_equal(r->end, RUN_WORKLOAD_DONE);
	assert_int_equal(r->n_msg, senders);
	assert_int_equal(r->n.pause_frames + r->n.ecn_marked_packets, 0);
	last_ps = at_rate(wire(bytes < 1024 ? bytes : 1024, true), send_bps) + d_ps +
	          latency_ps + at_rate(senders * message_wire(bytes, 1024), recv_bps) + d_ps;
	last_ps += at_rate(ACK_WIRE, recv_bps) + d_ps + latency_ps +
	           at_rate(ACK_WIRE, send_bps) + d_ps;
	assert_int_equal(r->msg[senders - 1].done_ps, last_ps);
	/* what came in less what went out when the senders were done */
	if (send_bps == recv_bps && bytes % 1024 == 0 && bytes > 1024)
		assert_true(r->max_queue_bytes >=
		            (senders - 1) * (bytes / 1024 - 2) * (58 + 1024 + 4));
	run_record_free(r);
	simkit_fini(&k);
}

static void incast_drains_at_line_rate(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 100, 200, 400, 800};

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		check_incast(8, 100 * 1024, gbps[i], gbps[i]);
	check_incast(2, 1000000, 100, 100);
	check_incast(32, 64 * 1024, 100, 100);
	check_incast(63, 5000, 100, 100);
	check_incast(63, 700, 100, 100);
	check_incast(4, 200000, 100, 200);
	check_incast(4, 200000, 400, 25);
}

/*
 * A ring on one switch: host i sends to i + 1 and acknowledges what i - 1 sends, so data (t)
 *and ACKs (a) share each port, and all hosts do the same at the same time. ACKs go first, the
 *port never idles before the last packet, so that packet j starts at
 *
 *	S(j) = S(j-1) + t(j-1) + a (N(S(j)) - N(S(j-1))),	N(x) = packets arrived before x.
 *
 * The switch's egress carries one neighbour's data and the other's ACKs, which to each other
 * are as on one uplink: the same sequence, later by the longest frame, t(0) + d + L. So packet
 * j arrives at S(j) + t(0) + d + L + t(j) + d, and the last ACK needs 2 (a + d) + L more.
 */
static int64_t ring_fct_ps(const int64_t *t_ps, int64_t packets, int64_t ack_ps, int64_t d_ps,
        int64_t latency_ps, int64_t ack_every)
{
	int64_t *arrival_ps = test_malloc((size_t)packets * sizeof(*arrival_ps));
	int64_t s_ps = 0, acked = 0, fct;

	for (int64_t j = 0; j < packets; j++) {
		/* acked: packets looked at, whose ACK, if they get one, was sent */
		for (; acked < j && arrival_ps[acked] < s_ps; acked++)
			if ((acked + 1) % ack_every == 0)
				s_ps += ack_ps;
		arrival_ps[j] = s_ps + t_ps[0] + d_ps + latency_ps + t_ps[j] + d_ps;
		s_ps += t_ps[j];
	}
	fct = arrival_ps[packets - 1] + 2 * (ack_ps + d_ps) + latency_ps;
	test_free(arrival_ps);
	return fct;
}

static void check_ring(uint32_t hosts, int64_t bytes, int64_t gbps, int64_t ack_every)
{
	const int64_t rate_bps = gbps * SIMKIT_GBPS, d_ps = 1000000, latency_ps = 250000;
	const int64_t packets = packets_of(bytes, 1024);
	int64_t *t_ps = test_malloc((size_t)packets * sizeof(*t_ps)), want_ps;
	struct simkit k;
	struct run_record *r;

	for (int64_t p = 0; p < packets; p++)
		t_ps[p] = at_rate(packet_wire(bytes, 1024, p), rate_bps);
	want_ps = ring_fct_ps(
	        t_ps, packets, at_rate(ACK_WIRE, rate_bps), d_ps, latency_ps, ack_every);
	simkit_init(&k);
	k.sw.latency_ps = latency_ps;
	k.nic.ack_every = ack_every;
	simkit_star(&k, hosts, rate_bps, d_ps);
	simkit_load(&k, LOAD_RING)->message_bytes = bytes;
	r = simkit_run(&k);
	assert_int_equal(r->n_msg, hosts);
	for (uint32_t i = 0; i < hosts; i++)
		assert_int_equal(r->msg[i].done_ps, want_ps);
	run_record_free(r);
	simkit_fini(&k);
	test_free(t_ps);
}

static void ring_shares_its_ports_with_acks(void **state)
{
	int64_t t_ps[8000];

	(void)state;
	for (int i = 0; i < 8000; i++)
		t_ps[i] = 83000;
	/* in the units of a published simulator whose sixteen flows all took 699,991 ns */
	assert_int_equal(ring_fct_ps(t_ps, 8000, 4000, 1000000, 0, 1), 699991000);
	for (uint32_t hosts = 2; hosts <= 16; hosts += 7)
		for (int64_t gbps = 25; gbps <= 400; gbps *= 4) {
			check_ring(hosts, 1000000, gbps, 1);
			check_ring(hosts, 777777, gbps, 4);
		}
	check_ring(5, 1024, 100, 1);
	check_ring(5, 10 * 1024, 100, 1);
	check_ring(16, 8192000, 100, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(single_flow_over_equal_links),
	        cmocka_unit_test(one_packet_over_unequal_links),
	        cmocka_unit_test(long_flow_through_a_bottleneck),
	        cmocka_unit_test(fractions_of_a_picosecond_are_not_lost),
	        cmocka_unit_test(incast_drains_at_line_rate),
	        cmocka_unit_test(ring_shares_its_ports_with_acks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
