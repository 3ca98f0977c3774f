/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/tap_qps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"

/* No more are in flight at a time by far; beyond them an ACK on its way might count short. */
#define RUNS_KEPT 4096

#define PSN_PURPOSE UINT64_C(0x70736e) /* of the draw */

int tap_qps_init(struct tap_qps *q, uint32_t n_hosts, uint32_t mtu_bytes, uint64_t seed,
        int64_t first_psn, struct err *e)
{
	*q = (struct tap_qps){.n_hosts = n_hosts,
	        .mtu_bytes = mtu_bytes,
	        .seed = seed,
	        .first_psn = first_psn,
	        .host = calloc(n_hosts, sizeof(*q->host))};
	if (!q->host)
		return err_set(e, -ENOMEM, "capture: out of memory for %u hosts", n_hosts);
	for (uint32_t i = 0; i < n_hosts; i++)
		q->host[i].next_qpn = TAP_FIRST_QPN;
	return 0;
}

void tap_qps_fini(struct tap_qps *q)
{
	for (uint32_t i = 0; q->host && i < q->n_hosts; i++) {
		for (uint32_t k = 0; k < q->host[i].n; k++)
			free(q->host[i].qp[k].run);
		free(q->host[i].qp);
	}
	free(q->host);
	*q = (struct tap_qps){0};
}

static struct tap_qp *at(struct tap_host *h, uint32_t slot)
{
	uint32_t n = h->n ? h->n : 4;

	if (slot < h->n)
		return &h->qp[slot];
	while (n <= slot)
		n *= 2;
	h->qp = reallocarray(h->qp, n, sizeof(*h->qp));
	CHECK(h->qp);
	memset(h->qp + h->n, 0, (n - h->n) * sizeof(*h->qp));
	h->n = n;
	return &h->qp[slot];
}

static uint32_t first_psn(const struct tap_qps *q, uint32_t src, uint32_t slot)
{
	if (q->first_psn != TAP_RANDOM_PSN)
		return (uint32_t)q->first_psn;
	return (uint32_t)hash_combine(
	               hash_combine(q->seed, PSN_PURPOSE), (uint64_t)src << 32 | slot) &
	       0xffffff;
}

static struct tap_messages *new_run(struct tap_qp *q)
{
	if (q->n_runs == RUNS_KEPT) {
		q->n_runs = RUNS_KEPT / 2;
		memmove(q->run, q->run + RUNS_KEPT / 2, RUNS_KEPT / 2 * sizeof(*q->run));
	}
	if (q->n_runs == q->cap_runs) {
		q->cap_runs = q->cap_runs ? q->cap_runs * 2 : 1;
		q->run = reallocarray(q->run, q->cap_runs, sizeof(*q->run));
		CHECK(q->run);
	}
	return &q->run[q->n_runs++];
}

void tap_qps_message(struct tap_qps *q, uint32_t src, uint32_t slot, uint32_t dst, uint32_t psn,
        int64_t bytes)
{
	const int64_t packets = bytes ? (bytes + q->mtu_bytes - 1) / q->mtu_bytes : 1;
	struct tap_qp *qp = at(&q->host[src], slot);
	struct tap_messages *m = qp->n_runs ? &qp->run[qp->n_runs - 1] : NULL;
	uint32_t before = 0;

	if (!qp->requester) {
		qp->requester = q->host[src].next_qpn++;
		qp->responder = q->host[dst].next_qpn++;
		qp->first_psn = first_psn(q, src, slot);
	}
	if (m && m->bytes == bytes && psn == m->psn + m->packets * m->count) {
		m->count++;
		return;
	}
	if (m)
		before = m->before + m->count;
	*new_run(qp) = (struct tap_messages){.psn = psn,
	        .packets = (uint32_t)packets,
	        .count = 1,
	        .before = before,
	        .bytes = bytes};
}

struct tap_qp *tap_qps_get(const struct tap_qps *q, uint32_t src, uint32_t slot)
{
	CHECK(src < q->n_hosts && slot < q->host[src].n &&
	        q->host[src].qp[slot].requester); /* its first message was told */
	return &q->host[src].qp[slot];
}

/* The newest run that begins before psn, or NULL. */
static const struct tap_messages *run_before(const struct tap_qp *q, uint32_t psn)
{
	for (uint32_t i = q->n_runs; i-- > 0;)
		if ((int32_t)(psn - q->run[i].psn) > 0)
			return &q->run[i];
	return NULL;
}

uint32_t tap_qp_messages(const struct tap_qp *q, uint32_t psn)
{
	const struct tap_messages *m = run_before(q, psn);
	uint32_t whole;

	if (!m)
		return q->n_runs ? q->run[0].before : 0;
	whole = (psn - m->psn) / m->packets;
	return m->before + (whole < m->count ? whole : m->count);
}

int64_t tap_qp_message_bytes(const struct tap_qp *q, uint32_t psn, int64_t usual)
{
	const struct tap_messages *m = run_before(q, psn + 1);

	return m && (psn - m->psn) / m->packets < m->count ? m->bytes : usual;
}
