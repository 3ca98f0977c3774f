/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order queue pairs are opened. A NIC serves those that have something to send in
 * turn, here in the order in which they were opened, and begins behind the first of them: of
 * several that are opened at once that one comes last (gen/rnic/requester.c). So that the wire
 * shows what the capture does, the last one of such a burst is opened first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/imports/capture_work.h"

static int by_first_packet(const void *a, const void *b, void *work)
{
	const struct capture_work *w = work;
	const struct capture_message *x = &w->message[*(const uint32_t *)a],
	                             *y = &w->message[*(const uint32_t *)b];

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->turn_ns != y->turn_ns)
		return x->turn_ns < y->turn_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static bool same_post(const struct capture_message *x, const struct capture_message *y)
{
	return x->src == y->src && x->n_after == y->n_after && x->start_ps == y->start_ps &&
	       !memcmp(x->after, y->after, x->n_after * sizeof(x->after[0]));
}

/* first[]: the first messages of queue pairs. How many from at on one host posts at once, one
 * packet behind the other on the wire. */
static uint32_t burst(
        const struct capture_work *w, const uint32_t *first, uint32_t at, uint32_t n)
{
	const struct capture_message *head = &w->message[first[at]];
	const int64_t rate = w->rate_bps[head->src];
	const int64_t packet_ns = rate ? w->packet_wire * 8 * INT64_C(1000000000) / rate : 0;
	uint32_t k = 1;

	while (at + k < n && same_post(head, &w->message[first[at + k]]) &&
	        w->message[first[at + k]].first_ns - w->message[first[at + k - 1]].first_ns <=
	                packet_ns + 2)
		k++;
	return k;
}

int capture_turns_find(struct capture_work *w, struct err *e)
{
	uint32_t *first = malloc(((size_t)w->n_pairs + 1) * sizeof(*first));

	if (!first)
		return err_set(e, -ENOMEM, "no memory for %u queue pairs", w->n_pairs);
	for (uint32_t i = 0; i < w->n_messages; i++)
		w->message[i].turn_ns = w->message[i].first_ns;
	for (uint32_t k = 0; k < w->n_pairs; k++)
		first[k] = w->pair[k].first;
	qsort_r(first, w->n_pairs, sizeof(*first), by_first_packet, w);
	for (uint32_t k = 0; k < w->n_pairs; k++) {
		const uint32_t src = w->message[first[k]].src;
		uint32_t n;

		if (k && w->message[first[k - 1]].src == src)
			continue;
		n = burst(w, first, k, w->n_pairs);
		if (n > 1)
			w->message[first[k + n - 1]].turn_ns =
			        w->message[first[k]].first_ns - 1;
	}
	qsort_r(first, w->n_pairs, sizeof(*first), by_first_packet, w);
	for (uint32_t k = 0, qp = 0; k < w->n_pairs; k++) {
		const struct capture_message *m = &w->message[first[k]];

		qp = k && w->message[first[k - 1]].src == m->src ? qp + 1 : 0;
		w->pair[m->pair].qp = qp;
	}
	free(first);
	return 0;
}
