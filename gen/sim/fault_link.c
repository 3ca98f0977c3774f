/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What faults do to a frame that starts on a link. All is decided here, at the sending end: a
 * link that will go down before a frame has arrived loses it as surely as one that is down.
 */
#include "gen/sim/fault_int.h"
#include "gen/sim/node.h"

static uint8_t frame_bit(const struct desc *d)
{
	switch (d->kind) {
	case DESC_DATA:
		return FAULT_FRAMES_DATA;
	case DESC_CNP:
		return FAULT_FRAMES_CNP;
	case DESC_PFC:
		return FAULT_FRAMES_PFC;
	default:
		return FAULT_FRAMES_ACK;
	}
}

/* d->dst is the receiver of this frame: of a connection's answers, its source. */
static bool of_connection(
        const struct fault_filter *m, const struct sim_thread *th, const struct desc *d)
{
	const struct conn *c;
	bool answer = d->kind != DESC_DATA;

	if (m->src == FAULT_ANY_HOST && m->dst == FAULT_ANY_HOST && m->qp == FAULT_ANY_QP)
		return true;
	if (d->kind == DESC_PFC)
		return false;
	c = &th->sim->arena.conn[d->conn];
	if (m->src != FAULT_ANY_HOST && m->src != c->src)
		return false;
	if (m->dst != FAULT_ANY_HOST && m->dst != (answer ? c->req.dst : d->dst))
		return false;
	return m->qp == FAULT_ANY_QP || m->qp == c->req.slot;
}

static bool has_psn(const struct fault_filter *m, const struct desc *d)
{
	const uint32_t psn = d->psn & 0xffffff;

	if (!m->n_psn)
		return true;
	for (uint32_t i = 0; i < m->n_psn; i++)
		if (psn >= m->psn[i].first && psn <= m->psn[i].last)
			return d->kind != DESC_PFC && d->kind != DESC_CNP;
	return false;
}

static bool matches(
        const struct fault_filter *m, const struct sim_thread *th, const struct desc *d)
{
	if (!(m->frames & frame_bit(d)))
		return false;
	if (m->sent != FAULT_SENT_ANY &&
	        (m->sent == FAULT_SENT_AGAIN) != ((d->flags & DESC_RETRANSMIT) != 0))
		return false;
	return has_psn(m, d) && of_connection(m, th, d);
}

/* Is it this frame's turn? Counts and draws of an instance depend on the frames that it has
 * seen alone. */
static bool chosen(struct fault_instance *i, const struct sim_thread *th, const struct desc *d)
{
	const struct fault_filter *m = &i->f->filter;

	if (i->packets >= m->count || !matches(m, th, d))
		return false;
	if (i->f->kind == FAULT_MARK && (!(d->flags & DESC_ECT) || (d->flags & DESC_CE)))
		return false;
	i->matched++;
	if (i->matched % (uint64_t)m->every)
		return false;
	return m->probability_q32 >= Q32_ONE ||
	       (int64_t)(hash_combine(i->seed, i->matched) >> 32) < m->probability_q32;
}

/* Frames on a delayed link keep their order: none ends before the one in front of it has, and
 * is as long on the link as it takes to be sent, by no more than the sender reckons: else each
 * would be later than the one before, without end. */
static int64_t in_order(struct port_faults *pf, const struct sim_thread *th,
        const struct desc *d, int64_t arrival_ps)
{
	int64_t *last_ps = &pf->last_ps[d->kind == DESC_PFC];
	int64_t tx_ps =
	        tx_ps_floor((int64_t)d->frame_bytes + th->sim->fcs_gap_bytes, pf->fastest_bps);

	tx_ps -= tx_ps % th->sim->cfg->frame->time_step_ps;
	if (arrival_ps < *last_ps + tx_ps)
		arrival_ps = *last_ps + tx_ps;
	*last_ps = arrival_ps;
	return arrival_ps;
}

/* Is this one of the frames that a fault of the host is about? */
static bool is_about(enum fault_kind k, const struct desc *d)
{
	switch (k) {
	case FAULT_SLOW_RECEIVER:
		return d->kind == DESC_PFC;
	case FAULT_DATA_PRIORITY:
	case FAULT_ONE_SOURCE_PORT:
		return d->kind == DESC_DATA;
	case FAULT_CNP_PRIORITY:
	case FAULT_CNP_THROTTLED:
		return d->kind == DESC_CNP;
	default:
		return false;
	}
}

/* What becomes of it; false: it is lost. */
static bool passes(struct port_faults *pf, struct sim_thread *th, struct desc *d,
        int64_t start_ps, int64_t *arrival_ps)
{
	const int64_t inside_ps = d->kind == DESC_PFC ? 0 : pf->latency_ps;
	int64_t held_ps = 0;
	bool lost = false, delayed = false;

	for (uint32_t k = 0; k < pf->n && !lost; k++) {
		struct fault_instance *i = &pf->inst[k];
		const struct sim_fault *f = i->f;

		if (f->kind == FAULT_LINK_DOWN) {
			lost = start_ps<f->until_ps && * arrival_ps - inside_ps> f->from_ps;
			if (lost)
				fault_touched(i, start_ps, 1);
			continue;
		}
		delayed |= f->kind == FAULT_LINK_DELAY;
		if (start_ps < f->from_ps || start_ps >= f->until_ps)
			continue;
		switch (f->kind) {
		case FAULT_DROP:
		case FAULT_CORRUPT:
			if (!chosen(i, th, d))
				continue;
			lost = true;
			if (f->kind == FAULT_CORRUPT)
				d->flags |= DESC_CORRUPT;
			break;
		case FAULT_MARK:
			if (!chosen(i, th, d))
				continue;
			d->flags |= DESC_CE;
			break;
		case FAULT_HOLD:
			if (!chosen(i, th, d))
				continue;
			held_ps += f->delay_ps;
			break;
		case FAULT_LINK_DELAY:
			*arrival_ps += f->delay_ps;
			break;
		case FAULT_LINK_RATE:
			break;
		default:
			if (!is_about(f->kind, d))
				continue;
			break;
		}
		fault_touched(i, start_ps, 1);
	}
	if (delayed && !lost)
		*arrival_ps = in_order(pf, th, d, *arrival_ps);
	*arrival_ps += held_ps;
	return !lost;
}

void fault_send(struct sim_thread *th, struct port_faults *pf, uint32_t to,
        const struct desc *d, int64_t start_ps, int64_t arrival_ps, uint16_t in_port)
{
	struct desc copy = *d;

	const bool arrives = passes(pf, th, &copy, start_ps, &arrival_ps);

	th->n.packet_hops++;
	if (UNLIKELY(th->sim->tapped))
		sim_tapped(th, to, d, arrives || (copy.flags & DESC_CORRUPT) ? &copy : NULL,
		        start_ps, arrival_ps, in_port);
	if (arrives) {
		sim_emit(th, to, &copy, arrival_ps, in_port);
		return;
	}
	th->n.data_packets_dropped += d->kind == DESC_DATA;
	sim_count_lossless(th, d);
	if (copy.flags & DESC_CORRUPT)
		th->n.drops_corrupt++;
	else
		th->n.drops_fault++;
}
