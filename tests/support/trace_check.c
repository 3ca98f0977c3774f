/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/trace_check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define HEAD_BYTES 64 /* a cut-through switch decides once it has seen a minimum frame */

void trace_tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct trace *t = arg;

	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 1024;
		t->f = reallocarray(t->f, t->cap, sizeof(*t->f));
		assert_non_null(t->f);
	}
	t->f[t->n++] = (struct trace_frame){.start_ps = start_ps, .to = to, .d = *d};
}

void trace_fini(struct trace *t)
{
	free(t->f);
	*t = (struct trace){0};
}

uint32_t trace_other_end(const struct topo *t, uint32_t link)
{
	return t->node[t->port[link].peer_node].first_port + t->port[link].peer_port;
}

uint32_t trace_node_of(const struct topo *t, uint32_t link)
{
	return t->port[trace_other_end(t, link)].peer_node;
}

static const struct switch_cfg *profile_of(const struct topo *t, uint32_t node)
{
	return &t->profile[t->node[node].profile];
}

static bool cuts_through(const struct topo *t, uint32_t node)
{
	return node >= t->n_hosts && profile_of(t, node)->forwarding == FORWARD_CUT_THROUGH;
}

static int64_t wire_bytes(const struct simkit *k, const struct desc *d)
{
	return d->frame_bytes + k->frame.fcs_bytes + k->frame.gap_bytes;
}

/* Sorts the frames by link, keeping the order of each; by_link has n_ports + 1 places. */
static uint64_t *sort_by_link(struct trace *t, const struct topo *topo)
{
	uint64_t *first = calloc(topo->n_ports + 2, sizeof(*first));
	struct trace_frame *sorted = malloc((t->n + 1) * sizeof(*sorted));

	assert_non_null(first);
	assert_non_null(sorted);
	for (uint64_t i = 0; i < t->n; i++) {
		t->f[i].link = topo->node[t->f[i].to].first_port + t->f[i].d.in_port;
		first[t->f[i].link + 2]++;
	}
	for (uint32_t l = 0; l < topo->n_ports; l++)
		first[l + 2] += first[l + 1];
	for (uint64_t i = 0; i < t->n; i++)
		sorted[first[t->f[i].link + 1]++] = t->f[i];
	free(t->f);
	t->f = sorted;
	t->cap = t->n + 1;
	return first;
}

/* Wire bits over the rate; what is left of a picosecond goes to the next frame. With a clock
 * step: the largest multiple of it below the exact time, if there is one. */
static int64_t duration_ps(
        const struct simkit *k, int64_t bytes, int64_t rate_bps, int64_t *carry)
{
	__int128 bits_ps = (__int128)bytes * 8 * PS_PER_S;
	int64_t step_ps = k->frame.time_step_ps, t_ps;

	if (step_ps > 1) {
		t_ps = (int64_t)((bits_ps - 1) / rate_bps);
		return t_ps < step_ps ? t_ps : t_ps / step_ps * step_ps;
	}
	t_ps = (int64_t)((bits_ps + *carry) / rate_bps);
	*carry = (int64_t)((bits_ps + *carry) % rate_bps);
	return t_ps;
}

static int64_t arrival_ps(const struct simkit *k, const struct trace_frame *f)
{
	const struct topo_port *p = &k->topo->port[f->link];
	int64_t t_ps = f->end_ps + p->delay_ps;
	int64_t behind_bytes = wire_bytes(k, &f->d) - HEAD_BYTES - k->frame.gap_bytes;

	if (f->d.kind == DESC_PFC) /* obeyed by the MAC, before the pipeline */
		return t_ps;
	if (f->to >= k->topo->n_hosts)
		t_ps += profile_of(k->topo, f->to)->latency_ps;
	if (cuts_through(k->topo, f->to) && behind_bytes > 0 && k->frame.time_step_ps == 1)
		t_ps -= behind_bytes * 8 * PS_PER_S / p->rate_bps;
	return t_ps;
}

static void check_links(struct trace *t, const struct simkit *k, const uint64_t *by_link)
{
	for (uint32_t l = 0; l < k->topo->n_ports; l++) {
		int64_t free_ps = 0, carry = 0;

		for (uint64_t i = by_link[l]; i < by_link[l + 1]; i++) {
			struct trace_frame *f = &t->f[i];

			if (f->start_ps < free_ps)
				fail_msg("seed %" PRIu64 ": link to node %u busy until %" PRId64
				         " ps, next frame at %" PRId64,
				        k->seed, f->to, free_ps, f->start_ps);
			free_ps = f->end_ps =
			        f->start_ps + duration_ps(k, wire_bytes(k, &f->d),
			                              k->topo->port[l].rate_bps, &carry);
			if (f->d.t_ps != arrival_ps(k, f))
				fail_msg("seed %" PRIu64 ": frame of %u bytes to node %u "
				         "started at %" PRId64 ", there at %" PRId64
				         ", expected %" PRId64,
				        k->seed, f->d.frame_bytes, f->to, f->start_ps,
				        f->d.t_ps, arrival_ps(k, f));
		}
	}
}

/* What does not change from hop to hop. */
static uint64_t identity(const struct desc *d)
{
	uint64_t x = hash_combine((uint64_t)d->conn << 32 | d->psn, d->sent_unit);

	x = hash_combine(x, (uint64_t)d->dst << 48 | (uint64_t)d->frame_bytes << 32 |
	                            (uint64_t)d->payload_bytes << 16 | d->entropy);
	return hash_combine(x, (uint64_t)d->kind << 16 | (uint64_t)d->priority << 8 |
	                               (d->flags & (uint8_t)~DESC_CE));
}

/* The frames that came to a switch, findable by identity. */
struct arrival {
	uint64_t who;
	uint64_t frame;
	const struct trace_frame *f;
	bool gone;
};

struct arrivals {
	struct arrival *a;
	uint64_t n;
};

/* The order in which a switch takes what comes: by time, then port. */
static bool comes_before(const struct trace_frame *a, const struct trace_frame *b)
{
	return a->d.t_ps != b->d.t_ps ? a->d.t_ps < b->d.t_ps : a->link < b->link;
}

static int by_who(const void *pa, const void *pb)
{
	const struct arrival *a = pa, *b = pb;

	if (a->who != b->who)
		return a->who < b->who ? -1 : 1;
	if (comes_before(a->f, b->f) != comes_before(b->f, a->f))
		return comes_before(a->f, b->f) ? -1 : 1;
	return a->frame < b->frame ? -1 : 1;
}

static struct arrivals arrivals_at(
        const struct trace *t, const struct topo *topo, const uint64_t *by_link, uint32_t node)
{
	const uint32_t first = topo->node[node].first_port;
	struct arrivals x = {0};

	x.a = malloc((t->n + 1) * sizeof(*x.a));
	assert_non_null(x.a);
	for (uint64_t i = by_link[first]; i < by_link[first + topo->node[node].n_ports]; i++)
		if (t->f[i].d.kind != DESC_PFC)
			x.a[x.n++] = (struct arrival){
			        .who = identity(&t->f[i].d), .frame = i, .f = &t->f[i]};
	qsort(x.a, x.n, sizeof(*x.a), by_who);
	return x;
}

/*
 * The arrival that left as *out: not accounted for, not before `after` (or NULL), and with CE
 * only if out has it. Of equal frames (ACKs) an earlier one may have been dropped: when the
 * port was idle, the one that came just then and went straight through is preferred.
 */
static const struct trace_frame *take_arrival(struct arrivals *x, const struct trace_frame *out,
        const struct trace_frame *after, bool port_idle)
{
	const uint64_t who = identity(&out->d);
	uint64_t lo = 0, hi = x->n, found = UINT64_MAX;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (x->a[mid].who < who)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < x->n && x->a[lo].who == who; lo++) {
		const struct arrival *a = &x->a[lo];

		if (a->gone || (after && comes_before(a->f, after)) ||
		        (a->f->d.flags & ~out->d.flags & DESC_CE))
			continue;
		if (found == UINT64_MAX || (port_idle && a->f->d.t_ps == out->start_ps))
			found = lo;
	}
	if (found == UINT64_MAX)
		return NULL;
	x->a[found].gone = true;
	return x->a[found].f;
}

static bool told_to_pause(const struct trace *t, const uint64_t *by_link, uint32_t port)
{
	for (uint64_t i = by_link[port]; i < by_link[port + 1]; i++)
		if (t->f[i].d.kind == DESC_PFC)
			return true;
	return false;
}

static void check_forwarded(struct trace *t, const struct simkit *k,
        const struct trace_frame *in, const struct trace_frame *out)
{
	if (out->start_ps < in->d.t_ps)
		fail_msg("seed %" PRIu64 ": a frame leaves node %u at %" PRId64
		         ", comes at %" PRId64,
		        k->seed, in->to, out->start_ps, in->d.t_ps);
	if ((in->d.flags & DESC_CE) || !(out->d.flags & DESC_CE))
		return;
	t->marked++;
	if (!(out->d.flags & DESC_ECT))
		fail_msg("seed %" PRIu64 ": CE without ECT", k->seed);
}

/* One egress port: where its frames come from, their order, and that it does not idle. Where
 * frames may leave by their head only the first holds to the picosecond. */
static void check_egress(struct trace *t, const struct simkit *k, const uint64_t *by_link,
        struct arrivals *x, uint32_t port)
{
	const uint32_t link = trace_other_end(k->topo, port);
	const bool pausable = told_to_pause(t, by_link, port);
	const bool stores = !cuts_through(k->topo, trace_node_of(k->topo, port));
	const struct trace_frame *last[8] = {NULL};

	for (uint64_t i = by_link[link]; i < by_link[link + 1]; i++) {
		const struct trace_frame *f = &t->f[i], *a, **l = &last[f->d.priority];
		bool back_to_back = i > by_link[link] && t->f[i - 1].end_ps == f->start_ps;

		if (f->d.kind == DESC_PFC)
			continue;
		a = take_arrival(x, f, stores ? *l : NULL, !back_to_back);
		if (!a)
			fail_msg("seed %" PRIu64 ": the frame to node %u at %" PRId64
			         " ps never came, or before others that went first",
			        k->seed, f->to, f->start_ps);
		check_forwarded(t, k, a, f);
		*l = a;
		if (f->start_ps == a->d.t_ps || !stores)
			continue;
		t->waited++;
		if (!pausable && !back_to_back)
			fail_msg("seed %" PRIu64 ": the port to node %u idles before %" PRId64
			         " ps while a frame waits since %" PRId64,
			        k->seed, f->to, f->start_ps, a->d.t_ps);
	}
}

/* Only a NIC whose host is slow has a reason to. */
static void check_hosts(struct trace *t, const struct simkit *k, const uint64_t *by_link)
{
	for (uint32_t h = 0; h < k->topo->n_hosts; h++) {
		uint32_t link = trace_other_end(k->topo, k->topo->node[h].first_port);

		for (uint64_t i = by_link[link]; i < by_link[link + 1]; i++)
			assert_true(t->f[i].d.kind != DESC_PFC ||
			            k->nic.receive_rate_bps != NIC_RECEIVE_WIRE);
	}
}

void trace_check(struct trace *t, const struct simkit *k, const struct run_record *r)
{
	const struct topo *topo = k->topo;
	uint64_t *by_link = sort_by_link(t, topo);
	bool waiting = false;

	assert_int_equal(t->n, r->n.packet_hops);
	check_links(t, k, by_link);
	check_hosts(t, k, by_link);
	for (uint32_t n = topo->n_hosts; n < topo->n_nodes; n++) {
		struct arrivals x = arrivals_at(t, topo, by_link, n);

		for (uint32_t i = 0; i < topo->node[n].n_ports; i++)
			check_egress(t, k, by_link, &x, topo->node[n].first_port + i);
		free(x.a);
	}
	for (uint32_t i = 0; i < topo->n_profiles; i++)
		waiting |= topo->profile[i].ecn_point == ECN_ENQUEUE;
	if (waiting) /* marked ones may be queued still */
		assert_true(t->marked <= (uint64_t)r->n.ecn_marked_packets);
	else
		assert_int_equal(t->marked, r->n.ecn_marked_packets);
	if (!r->n.watchdog_storms) /* it lets a queue send that was told not to */
		trace_check_pause(t, k, by_link);
	free(by_link);
}
