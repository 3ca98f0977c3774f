/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pauses: from the reception of XOFF to that of XON, or until the quanta of the latest XOFF ran
 * out (512 bit times of the port each; IEEE 802.3 annex 31B, 802.1Q clause 36). Where both ends
 * of a link were captured the same frame is seen twice, leaving and arriving; it counts once,
 * and the pause is that of the end where it arrives. A frame that is known to leave pauses the
 * other end of the link: how long that is asked for is kept, apart from what this end waited.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/trace_int.h"

/* A frame is seen at the other end of its link within this. */
#define LINK_MAX_NS INT64_C(100000)
#define SEEN        64
#define WHOLE_PORT  TRACE_PRIORITIES

static struct pauser *pauser_of(struct trace *t, const struct obs *o)
{
	struct pauser *p;

	for (uint32_t i = 0; i < t->n_pausers; i++) {
		p = &t->pauser[i];
		if (p->pub.interface == o->interface && p->pub.direction == o->direction &&
		        !memcmp(p->pub.mac, o->u.pfc.mac, 6))
			return p;
	}
	if (t->n_pausers == PAUSERS_MAX)
		return NULL;
	if ((t->n_pausers & (t->n_pausers - 1)) == 0) {
		p = realloc(t->pauser, (t->n_pausers ? 2 * t->n_pausers : 1) * sizeof(*p));
		if (!p) {
			t->failed = -ENOMEM;
			return NULL;
		}
		t->pauser = p;
	}
	p = &t->pauser[t->n_pausers++];
	*p = (struct pauser){.pub = {.interface = o->interface,
	                             .direction = o->direction,
	                             .first_ns = o->t_ns}};
	memcpy(p->pub.mac, o->u.pfc.mac, 6);
	for (int i = 0; i <= TRACE_PRIORITIES; i++)
		p->run[i].begin_ns = TRACE_UNKNOWN;
	p->next = t->iface[o->interface]->first_pauser;
	t->iface[o->interface]->first_pauser = t->n_pausers;
	return p;
}

static uint64_t content_of(const struct obs *o)
{
	uint64_t h = o->what;

	for (int i = 0; i < 6; i++)
		h = (h ^ o->u.pfc.mac[i]) * UINT64_C(0x100000001b3);
	h = (h ^ o->u.pfc.vector) * UINT64_C(0x100000001b3);
	for (int i = 0; i < 8; i++)
		if (o->u.pfc.vector >> i & 1)
			h = (h ^ o->u.pfc.quanta[i] ^ (uint64_t)i << 32) *
			    UINT64_C(0x9e3779b97f4a7c15);
	return h;
}

/* Whether another interface has just shown this frame on its way here. */
static bool shown_before(struct trace *t, const struct obs *o, uint32_t pauser)
{
	uint64_t content = content_of(o);
	uint32_t n = t->n_pfc_seen < SEEN ? t->n_pfc_seen : SEEN;

	for (uint32_t i = 0; i < n; i++) {
		struct pfc_seen *s = &t->pfc_seen[i];
		struct pauser *p;

		if (s->content != content || s->repeated || o->t_ns - s->t_ns > LINK_MAX_NS ||
		        o->t_ns < s->t_ns)
			continue;
		p = &t->pauser[s->pauser];
		if (p->pub.interface == o->interface ||
		        (p->pub.direction == o->direction &&
		                o->direction != DIRECTION_UNKNOWN) ||
		        p->pub.direction == DIRECTION_IN)
			continue;
		s->repeated = true;
		p->repeated_nearer++;
		return true;
	}
	t->pfc_seen[t->n_pfc_seen++ % SEEN] =
	        (struct pfc_seen){.t_ns = o->t_ns, .pauser = pauser, .content = content};
	return false;
}

/* The frames of this sender are seen again nearer to the port that they pause. */
static bool is_repeated(const struct pauser *p)
{
	uint64_t frames = p->pub.xoff_frames + p->pub.xon_frames + p->pub.pause_frames;

	return p->repeated_nearer && 2 * p->repeated_nearer + 2 > frames;
}

static void keep(struct trace *t, const struct trace_pause *p)
{
	struct trace_pause *more;

	t->r.all_pauses++;
	if (t->r.n_pauses >= t->opt.max_pauses)
		return;
	if (t->r.n_pauses == t->max_pause) {
		uint32_t max = t->max_pause ? 2 * t->max_pause : 64;

		more = realloc(t->r.pause, max * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		t->r.pause = more;
		t->max_pause = max;
	}
	t->r.pause[t->r.n_pauses++] = *p;
}

static void run_end(struct trace *t, uint32_t index, uint32_t priority, int64_t end_ns,
        bool expired, bool open)
{
	struct pauser *p = &t->pauser[index];
	int64_t begin_ns = p->run[priority].begin_ns, length_ns = end_ns - begin_ns;
	struct trace_pause out = {.interface = p->pub.interface,
	        .priority = (uint8_t)priority,
	        .expired = expired,
	        .open = open,
	        .begin_ns = begin_ns,
	        .end_ns = end_ns,
	        .xoffs = p->run[priority].xoffs,
	        .number = p->run[priority].number};

	p->run[priority].begin_ns = TRACE_UNKNOWN;
	if (length_ns < 0)
		length_ns = 0;
	p->pub.paused_ns[priority] += length_ns;
	p->pub.episodes[priority]++;
	p->pub.expired[priority] += expired;
	if (length_ns > p->pub.longest_ns[priority])
		p->pub.longest_ns[priority] = length_ns;
	if (is_repeated(p) || p->pub.direction == DIRECTION_OUT)
		return;
	memcpy(out.mac, p->pub.mac, 6);
	keep(t, &out);
	for (uint32_t i = 0; i < TRACE_PRIORITIES; i++) {
		if (i != priority && priority != WHOLE_PORT)
			continue;
		timeline_pause(&t->total, i, begin_ns, end_ns);
		timeline_pause(&t->per_iface[p->pub.interface], i, begin_ns, end_ns);
	}
}

static int64_t quanta_ns(uint16_t quanta, int64_t speed_bps)
{
	return ((int64_t)quanta * 512 * INT64_C(1000000000) + speed_bps / 2) / speed_bps;
}

static void edge_apply(struct trace *t, const struct pause_edge *e, int64_t speed_bps)
{
	struct pauser *p = &t->pauser[e->pauser];

	if (p->run[e->priority].begin_ns != TRACE_UNKNOWN &&
	        p->run[e->priority].until_ns <= e->t_ns)
		run_end(t, e->pauser, e->priority, p->run[e->priority].until_ns, true, false);
	if (!e->quanta) {
		if (p->run[e->priority].begin_ns != TRACE_UNKNOWN)
			run_end(t, e->pauser, e->priority, e->t_ns, false, false);
		return;
	}
	if (p->run[e->priority].begin_ns == TRACE_UNKNOWN) {
		p->run[e->priority].begin_ns = e->t_ns;
		p->run[e->priority].xoffs = 0;
		p->run[e->priority].number = e->number;
	}
	p->run[e->priority].xoffs++;
	p->run[e->priority].until_ns = e->t_ns + quanta_ns(e->quanta, speed_bps);
}

/* How long the quanta of those that wait are is known now; without a speed never. */
static void edges_flush(struct trace *t)
{
	for (uint32_t i = 0; i < t->n_edges; i++) {
		const struct pause_edge *e = &t->edge[i];
		const struct iface *f = t->iface[t->pauser[e->pauser].pub.interface];
		int64_t bps = f->pub.speed_bps ? f->pub.speed_bps : iface_inferred_bps(f);

		if (!bps)
			continue;
		edge_apply(t, e, bps);
		t->pauser[e->pauser].waits &= (uint16_t) ~(1u << e->priority);
	}
	t->n_edges = 0;
}

static void edge(struct trace *t, const struct pause_edge *e)
{
	const struct iface *f = t->iface[t->pauser[e->pauser].pub.interface];
	struct pause_edge *more;
	uint32_t max;

	if (f->pub.speed_bps) {
		edge_apply(t, e, f->pub.speed_bps);
		return;
	}
	t->pauser[e->pauser].waits |= (uint16_t)(1u << e->priority);
	if (t->n_edges == PAUSE_EDGES_MAX)
		edges_flush(t);
	if (t->n_edges == t->max_edges) {
		max = t->max_edges ? 2 * t->max_edges : 64;
		more = realloc(t->edge, max * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return;
		}
		t->edge = more;
		t->max_edges = max;
	}
	t->edge[t->n_edges++] = *e;
}

static void count(struct trace *t, struct pauser *p, const struct obs *o, bool again)
{
	struct iface *f = t->iface[o->interface];
	bool xoff = false, xon = false;

	for (int i = 0; i < TRACE_PRIORITIES; i++) {
		if (!(o->u.pfc.vector >> i & 1))
			continue;
		xoff = xoff || o->u.pfc.quanta[i];
		xon = xon || !o->u.pfc.quanta[i];
	}
	if (o->what == OBS_PAUSE) {
		p->pub.pause_frames++;
		f->pub.pause_frames++;
		t->r.pause_frames += !again;
		return;
	}
	p->pub.xoff_frames += xoff;
	p->pub.xon_frames += xon;
	f->pub.xoff_frames += xoff;
	f->pub.xon_frames += xon;
	t->r.xoff_frames += xoff && !again;
	t->r.xon_frames += xon && !again;
}

void pfc_apply(struct trace *t, const struct obs *o)
{
	struct pauser *p = pauser_of(t, o);
	uint32_t index;

	if (!p)
		return;
	index = (uint32_t)(p - t->pauser);
	p->pub.last_ns = o->t_ns;
	count(t, p, o, shown_before(t, o, index));
	if (o->what == OBS_PAUSE) {
		trace_evidence(t, TRACE_EV_PAUSE, o, TRACE_NONE);
		edge(t, &(struct pause_edge){
		                o->t_ns, o->number, index, o->u.pfc.quanta[0], WHOLE_PORT});
		return;
	}
	for (uint8_t i = 0; i < TRACE_PRIORITIES; i++) {
		if (!(o->u.pfc.vector >> i & 1))
			continue;
		edge(t, &(struct pause_edge){o->t_ns, o->number, index, o->u.pfc.quanta[i], i});
		if (!o->u.pfc.quanta[i])
			continue;
		trace_evidence(t, TRACE_EV_XOFF, o, TRACE_NONE);
		if (t->r.priority[i].first_pause_ns == TRACE_UNKNOWN)
			t->r.priority[i].first_pause_ns = o->t_ns;
	}
}

/* Until when there was somebody to see an XON. */
static int64_t listened_ns(const struct trace *t, const struct pauser *p)
{
	int64_t until_ns = t->iface[p->pub.interface]->pub.capture.statistics_ns;

	return until_ns > t->r.last_ns ? until_ns : t->r.last_ns;
}

void pfc_finish(struct trace *t)
{
	edges_flush(t);
	for (uint32_t i = 0; i < t->n_pausers; i++) {
		struct pauser *p = &t->pauser[i];
		int64_t end_ns = listened_ns(t, p);

		for (uint32_t k = 0; k <= TRACE_PRIORITIES; k++) {
			bool over = p->run[k].until_ns <= end_ns;

			if (p->run[k].begin_ns != TRACE_UNKNOWN)
				run_end(t, i, k, over ? p->run[k].until_ns : end_ns, over,
				        !over);
		}
	}
}

/* Of a pause that goes on, what has passed of it. */
static int64_t so_far_ns(const struct trace *t, const struct pauser *p, int priority)
{
	int64_t begin_ns = p->run[priority].begin_ns, end_ns = p->run[priority].until_ns;

	if (begin_ns == TRACE_UNKNOWN)
		return 0;
	end_ns = end_ns < t->r.last_ns ? end_ns : t->r.last_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

struct trace_pauser pfc_pauser(const struct trace *t, uint32_t index)
{
	const struct pauser *p = &t->pauser[index];
	struct trace_pauser out = p->pub;

	for (int k = 0; k <= TRACE_PRIORITIES; k++) {
		int64_t ns = so_far_ns(t, p, k);

		out.paused_ns[k] += ns;
		if (ns > out.longest_ns[k])
			out.longest_ns[k] = ns;
	}
	return out;
}

/* What totals and interfaces say of pauses. */
void pfc_result(struct trace *t)
{
	bool unknown[TRACE_PRIORITIES + 1] = {false};

	memset(t->r.paused_ns, 0, sizeof(t->r.paused_ns));
	t->r.paused_all_ns = 0;
	for (uint32_t i = 0; i < t->n_ifaces; i++) {
		memset(t->iface[i]->pub.paused_ns, 0, sizeof(t->r.paused_ns));
		memset(t->iface[i]->pub.asked_ns, 0, sizeof(t->r.paused_ns));
		t->iface[i]->pub.paused_all_ns = 0;
	}
	for (uint32_t i = 0; i < t->n_pausers; i++) {
		struct pauser *p = &t->pauser[i];
		struct trace_interface *f = &t->iface[p->pub.interface]->pub;

		p->pub.repeated = is_repeated(p);
		for (int k = 0; k <= TRACE_PRIORITIES; k++) {
			int64_t ns = p->pub.paused_ns[k] + so_far_ns(t, p, k);
			int64_t *here = k < WHOLE_PORT ? &f->paused_ns[k] : &f->paused_all_ns;
			int64_t *all =
			        k < WHOLE_PORT ? &t->r.paused_ns[k] : &t->r.paused_all_ns;

			if (p->pub.direction == DIRECTION_OUT) {
				if (k < WHOLE_PORT)
					f->asked_ns[k] += ns;
				continue;
			}
			*here += ns;
			if (!p->pub.repeated)
				*all += ns;
			if (p->waits >> k & 1 && !p->pub.repeated)
				unknown[k] = true;
		}
	}
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		if (unknown[k])
			t->r.paused_ns[k] = TRACE_UNKNOWN;
	if (unknown[WHOLE_PORT])
		t->r.paused_all_ns = TRACE_UNKNOWN;
}
