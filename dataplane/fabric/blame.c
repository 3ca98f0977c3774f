/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/blame.h"

/* Of one ingress in one queue. */
struct share {
	int64_t bytes;
	int64_t oldest_ps;
};

static struct share share_of(
        const struct fsw *sw, const struct fifo *q, uint16_t in_port, int64_t now_ps)
{
	struct share s = {.oldest_ps = now_ps};
	const struct chunk *c = q->head;
	uint32_t at = q->head_i;

	for (uint32_t i = 0; i < q->packets; i++, at++) {
		if (at == CHUNK_DESCS) {
			c = c->next;
			at = 0;
		}
		if (c->d[at].in_port != in_port)
			continue;
		if (!s.bytes)
			s.oldest_ps = c->d[at].t_ps;
		s.bytes += fsw_buffer_bytes(sw, c->d[at].frame_bytes);
	}
	return s;
}

/* Does `out` hold most of it, by the depths of the queues alone? In an incast it does, and
 * nothing need be counted. */
static bool is_plain(const struct fsw *sw, uint16_t out, const struct mmu_ingress *in, int pr)
{
	int64_t others = 0, deepest = 0;

	for (uint16_t i = 0; i < sw->n_ports; i++) {
		const int64_t bytes = sw->port[i].cls[pr].q.bytes;

		if (i == out)
			continue;
		others += bytes;
		if (bytes > deepest)
			deepest = bytes;
	}
	return in->used_bytes + in->headroom_bytes - others >= deepest;
}

static uint16_t holds_most(const struct fsw *sw, uint16_t out, const struct desc *d)
{
	uint16_t port = out;
	int64_t most = share_of(sw, &sw->port[out].cls[d->priority].q, d->in_port, 0).bytes;

	for (uint16_t i = 0; i < sw->n_ports; i++) {
		const struct fifo *q = &sw->port[i].cls[d->priority].q;
		int64_t bytes;

		if (i == out || q->bytes <= most)
			continue;
		bytes = share_of(sw, q, d->in_port, 0).bytes;
		if (bytes > most) {
			most = bytes;
			port = i;
		}
	}
	return port;
}

struct blame fsw_blame(const struct fsw *sw, uint16_t out, const struct desc *d)
{
	const struct mmu_ingress *in = &sw->port[d->in_port].cls[d->priority].in;
	const uint8_t bit = (uint8_t)(1u << d->priority);
	struct blame b = {.port = out};
	const struct fsw_port *p;

	if (!is_plain(sw, out, in, d->priority))
		b.port = holds_most(sw, out, d);
	p = &sw->port[b.port];
	b.paused = (p->blocked & bit) != 0;
	if (!b.paused && p->cold->resumed_ps[d->priority])
		b.paused = p->cold->resumed_ps[d->priority] >
		           share_of(sw, &p->cls[d->priority].q, d->in_port, d->t_ps).oldest_ps;
	return b;
}
