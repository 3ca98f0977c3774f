/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selective repeat and go-back-N in a fabric that loses or reorders: what each sends again,
 * packet by packet, and what it costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define MAX_CONN 64
#define MAX_PSN  4096

/* How often each packet left its host, and how often it came to its receiver. */
struct copies {
	uint16_t sent[MAX_CONN][MAX_PSN], came[MAX_CONN][MAX_PSN];
	uint32_t next[MAX_CONN];
	uint64_t overtaken;
	uint32_t n_hosts;
	uint32_t to_switch;
};

static void tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct copies *c = arg;

	(void)start_ps;
	if (d->kind != DESC_DATA)
		return;
	assert_true(d->conn < MAX_CONN && d->psn < MAX_PSN);
	if (to < c->n_hosts) {
		c->came[d->conn][d->psn]++;
		c->overtaken += d->psn < c->next[d->conn];
		c->next[d->conn] = d->psn + 1;
	} else if (to == c->to_switch) {
		c->sent[d->conn][d->psn]++;
	}
}

static struct run_record *lossy_incast(struct copies *c, int64_t retransmit)
{
	struct run_record *r;
	struct simkit k;

	simkit_init(&k);
	*c = (struct copies){.n_hosts = 9, .to_switch = 9};
	k.sw.pfc_priorities = 0;
	k.sw.buffer_bytes = 400000;
	k.nic.retransmit = retransmit;
	k.nic.retransmit_timeout_ps = 300 * PS_PER_US;
	k.nic.retransmit_backoff = 0;
	k.nic.retry_limit = NIC_RETRY_UNLIMITED;
	k.nic.window_bytes = 100000;
	k.tap = tap;
	k.tap_arg = c;
	simkit_star(&k, 9, 100 * SIMKIT_GBPS, PS_PER_US);
	for (uint32_t i = 1; i < 9; i++)
		simkit_flow(&k, i, 0, 1000000, 0);
	r = simkit_run(&k);
	simkit_fini(&k);
	return r;
}

/* Eight senders into a buffer that cannot hold them. With selective repeat each packet is sent
 * once more than it was lost at most for what a timeout or a lost ACK adds: nothing that
 * arrived is sent again. Go-back-N sends half as much more. */
static void only_what_was_dropped_is_sent_again(void **state)
{
	struct copies *c = test_malloc(sizeof(*c));
	struct run_record *r;
	int64_t selective, all;
	uint64_t spare = 0;

	(void)state;
	r = lossy_incast(c, NIC_SELECTIVE_REPEAT);
	for (uint64_t i = 0; i < r->n_msg; i++)
		assert_int_equal(r->msg[i].status, MSG_COMPLETED);
	assert_true(r->n.drops_lossy > 100);
	for (uint32_t conn = 0; conn < 8; conn++)
		for (uint32_t psn = 0; psn < 977; psn++) {
			assert_true(c->came[conn][psn] >= 1);
			spare += c->came[conn][psn] > 1;
		}
	selective = r->n.retransmitted_packets;
	/* an ACK may be dropped, too: then a packet that had arrived is sent again */
	assert_int_equal(selective, r->n.data_packets_dropped + (int64_t)spare);
	assert_true((int64_t)spare <= r->n.drops_lossy - r->n.data_packets_dropped);
	run_record_free(r);
	r = lossy_incast(c, NIC_GO_BACK_N);
	all = r->n.retransmitted_packets;
	assert_true(all > selective * 3 / 2);
	run_record_free(r);
	test_free(c);
}

static struct run_record *sprayed(struct copies *c, int64_t retransmit, int64_t threshold)
{
	struct topo_link link[16];
	struct run_record *r;
	struct simkit k;
	uint32_t n = 0;

	simkit_init(&k);
	*c = (struct copies){.n_hosts = 4, .to_switch = 4};
	k.sw.load_balancing = BALANCE_SPRAY;
	k.nic.retransmit = retransmit;
	k.nic.reorder_threshold = threshold;
	k.nic.retransmit_timeout_ps = PS_PER_MS;
	k.tap = tap;
	k.tap_arg = c;
	for (uint32_t h = 0; h < 4; h++)
		link[n++] = (struct topo_link){h, 4 + h / 2, 100 * SIMKIT_GBPS, PS_PER_US};
	for (uint32_t s = 0; s < 4; s++) /* spines whose cables differ: 0 to 1.5 us */
		for (uint32_t l = 0; l < 2; l++)
			link[n++] = (struct topo_link){4 + l, 6 + s, 100 * SIMKIT_GBPS,
			        PS_PER_US + s * 250 * PS_PER_NS};
	simkit_links(&k, 4, 6, link, n);
	simkit_flow(&k, 0, 2, 2000000, 0);
	simkit_flow(&k, 1, 3, 2000000, 0);
	r = simkit_run(&k);
	simkit_fini(&k);
	return r;
}

/* Packets of one QP on four paths of different length overtake each other all the time: up to
 * 1.5 us both ways, 34 packets at 100 Gb/s. With that threshold nothing is sent again and the
 * messages take what they take in order; without it, or with go-back-N, much is. */
static void spraying_needs_the_threshold(void **state)
{
	struct copies *c = test_malloc(sizeof(*c));
	struct run_record *r;

	(void)state;
	r = sprayed(c, NIC_SELECTIVE_REPEAT, 64);
	assert_true(c->overtaken > 500);
	assert_true(r->n.sacks > 500);
	assert_int_equal(r->n.retransmitted_packets, 0);
	for (uint64_t i = 0; i < r->n_msg; i++)
		assert_true(
		        r->msg[i].done_ps - r->msg[i].post_ps < r->msg[i].alone_ps * 105 / 100);
	run_record_free(r);
	r = sprayed(c, NIC_SELECTIVE_REPEAT, 0);
	assert_true(r->n.retransmitted_packets > 100);
	assert_int_equal(r->n.payload_delivered_bytes, 4000000);
	run_record_free(r);
	r = sprayed(c, NIC_GO_BACK_N, 0);
	assert_true(r->n.retransmitted_packets > 1000);
	assert_true(r->msg[0].done_ps > r->msg[0].alone_ps * 3 / 2);
	run_record_free(r);
	test_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(only_what_was_dropped_is_sent_again),
	        cmocka_unit_test(spraying_needs_the_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
