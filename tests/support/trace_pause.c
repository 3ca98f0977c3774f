/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pause, from the frames on the wire: a priority pause frame for a port is received when its
 * last byte is in (d.t_ps). XOFF with n quanta of 512 bit times at the port's rate stops the
 * priority from at most its response time later (802.3 31B.3.7) until n quanta after reception;
 * a further XOFF moves only the end; a time of zero (XON) or the end lets it go at once.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/trace_check.h"

struct paused {
	int64_t from_ps, until_ps; /* until_ps 0: not paused */
};

static int64_t quanta_ps(int64_t n, int64_t rate_bps)
{
	return (int64_t)((__int128)n * 512 * PS_PER_S / rate_bps);
}

int64_t trace_standard_response_ps(int64_t rate_bps)
{
	static const int64_t gbps[] = {10, 25, 40, 50, 100, 200};
	static const int64_t quanta[] = {60, 80, 118, 147, 394, 453};

	for (int i = 0; i < 6; i++)
		if (rate_bps <= gbps[i] * SIMKIT_GBPS)
			return quanta_ps(quanta[i], rate_bps);
	return quanta_ps(905, rate_bps);
}

/* How long the sender at the other end of the link may go on. A host takes the value of the
 * switch port that it hangs on. */
static int64_t response_ps(const struct topo *t, uint32_t link)
{
	uint32_t sender = trace_other_end(t, link);
	uint32_t port = trace_node_of(t, sender) < t->n_hosts ? link : sender;
	const struct switch_cfg *cfg = &t->profile[t->port[port].profile];

	return cfg->pfc_response_ps == PFC_RESPONSE_STANDARD
	               ? trace_standard_response_ps(t->port[link].rate_bps)
	               : cfg->pfc_response_ps;
}

static void take_pause_frame(
        struct paused *p, const struct desc *d, int64_t rate_bps, int64_t resp_ps)
{
	for (int pr = 0; pr < 8; pr++) {
		if (!(d->psn & (1u << pr)))
			continue;
		if (!(d->sent_unit & (1u << pr))) {
			p[pr].until_ps = 0;
			continue;
		}
		if (p[pr].until_ps <= d->t_ps)
			p[pr].from_ps = d->t_ps + resp_ps;
		p[pr].until_ps = d->conn ? d->t_ps + quanta_ps(d->conn, rate_bps) : TIME_NEVER;
	}
}

/* With no response time the frame of the very instant may still start: a port's turn comes
 * before what arrives at the same time. */
static bool may_start(const struct paused *p, int64_t start_ps, int64_t resp_ps)
{
	return start_ps >= p->until_ps || start_ps < p->from_ps ||
	       (resp_ps == 0 && start_ps == p->from_ps);
}

static bool is_control(const struct desc *d)
{
	return d->kind != DESC_DATA && d->kind != DESC_PFC;
}

static void check_link(
        struct trace *t, const struct simkit *k, const uint64_t *by_link, uint32_t link)
{
	const uint32_t back = trace_other_end(k->topo, link); /* pause frames come there */
	const int64_t resp_ps = response_ps(k->topo, link);
	const bool host = trace_node_of(k->topo, back) < k->topo->n_hosts;
	struct paused p[8] = {{0, 0}};
	uint64_t at = by_link[back];

	for (uint64_t i = by_link[link]; i < by_link[link + 1]; i++) {
		const struct trace_frame *f = &t->f[i];

		for (; at < by_link[back + 1] &&
		        (t->f[at].d.kind != DESC_PFC || t->f[at].d.t_ps <= f->start_ps);
		        at++)
			/* what arrives with a start is seen after it, but for a stop that
			 * takes effect at once and a go: both are dealt with in may_start */
			if (t->f[at].d.kind == DESC_PFC) {
				take_pause_frame(
				        p, &t->f[at].d, k->topo->port[link].rate_bps, resp_ps);
				t->paused++;
			}
		if (f->d.kind == DESC_PFC ||
		        (host && is_control(&f->d) && !k->nic.ack_obeys_pause))
			continue;
		/* a switch port obeys for its own lossless priorities alone */
		if (!host && !(k->topo->profile[k->topo->port[back].profile].pfc_priorities >>
		                             f->d.priority &
		                     1))
			continue;
		if (!may_start(&p[f->d.priority], f->start_ps, resp_ps))
			fail_msg("seed %" PRIu64 ": node %u starts a frame of priority %u at "
			         "%" PRId64 " ps, paused from %" PRId64 " to %" PRId64,
			        k->seed, trace_node_of(k->topo, back), f->d.priority,
			        f->start_ps, p[f->d.priority].from_ps,
			        p[f->d.priority].until_ps);
		if (p[f->d.priority].until_ps && f->start_ps < p[f->d.priority].from_ps)
			t->blocked_ps++;
	}
}

void trace_check_pause(struct trace *t, const struct simkit *k, const uint64_t *by_link)
{
	for (uint32_t l = 0; l < k->topo->n_ports; l++)
		check_link(t, k, by_link, l);
}
