/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control loop of one sender as its packets show it: CE mark, CNP, rate cut. A CNP's sample
 * runs from the first CE packet of its QP since the CNP before, both stamps of one interface.
 *
 * The cut that a CNP caused is looked for in the spacing of the sender's packets: the rate over
 * the packets before the CNP, and the first of two packets in a row that are spaced wider by
 * more than a tenth. The start of a message is no spacing, and a sender that has not slowed
 * down after 256 packets did not cut.
 */
#include "analysis/trace/trace_int.h"
#include "dataplane/wire/opcode.h"

enum { WATCH_PACKETS = 256, MARK_PACKETS = 32, BEFORE_MIN_PACKETS = 4 };

void loop_ce(struct trace *t, struct view *v, int64_t t_ns, uint64_t number)
{
	if (v->peer == TRACE_NONE)
		pair_pend(t, v, &(struct pending){t_ns, number, 0, PENDING_CE, 0, false});
	else if (v->first_ce_ns == TRACE_UNKNOWN)
		v->first_ce_ns = t_ns;
}

static void watch_cut(struct view *g, int64_t t_ns)
{
	int64_t span_ns = g->cut.last_ns - g->cut.mark_ns;
	uint64_t bytes = g->cut.bytes - g->cut.mark_bytes;

	/* One that waited for its flow to be known: what followed it is past. */
	if (t_ns < g->cut.last_ns)
		return;
	if (g->cut.cnp_ns != TRACE_UNKNOWN || g->cut.packets < BEFORE_MIN_PACKETS || !bytes ||
	        span_ns <= 0 || span_ns > INT64_MAX / 2000)
		return;
	g->cut.before_ps_per_byte = span_ns * 1000 / (int64_t)bytes;
	g->cut.cnp_ns = t_ns;
	g->cut.slow = g->cut.watched = 0;
	g->loop.watches++;
}

/* g: the view of the data that the CNP is about. */
void loop_cnp(struct trace *t, struct view *g, const struct pending *cnp)
{
	bool ce = g->first_ce_ns != TRACE_UNKNOWN, loss = g->last_loss_ns != TRACE_UNKNOWN;
	int64_t delay_ns = cnp->t_ns - g->first_ce_ns;

	if (!ce)
		g->shown.cnps_without_ce++;
	if (cnp->once) {
		if (ce) {
			g->loop.cnps_ce++;
			span_add(&g->loop.ce_to_cnp_ns, delay_ns);
			if (g->selected)
				hist_add(t->r.ce_to_cnp_ns, delay_ns < 0 ? 0 : delay_ns);
		} else {
			if (g->once)
				g->once->cnps_without_ce++;
			*(loss ? &g->loop.cnps_loss : &g->loop.cnps_unexplained) += 1;
			trace_evidence_at(t, TRACE_EV_CNP_WITHOUT_CE, g, cnp);
		}
		if (g->last_cnp_ns != TRACE_UNKNOWN)
			span_add(&g->loop.cnp_gap_ns, cnp->t_ns - g->last_cnp_ns);
	}
	g->last_cnp_ns = cnp->t_ns;
	g->first_ce_ns = g->last_loss_ns = TRACE_UNKNOWN;
	watch_cut(g, cnp->t_ns);
	model_cnp(t, g, cnp->t_ns);
}

static void spaced(
        struct trace *t, struct view *v, int64_t gap_ns, uint32_t wire_bytes, int64_t t_ns)
{
	int64_t ps_per_byte = gap_ns * 1000 / wire_bytes, after;

	if (++v->cut.watched > WATCH_PACKETS) {
		v->cut.cnp_ns = TRACE_UNKNOWN;
		return;
	}
	if (ps_per_byte * 10 <= v->cut.before_ps_per_byte * 11) {
		v->cut.slow = 0;
		return;
	}
	if (v->cut.slow++ == 0) {
		v->cut.slow_ns = t_ns;
		return;
	}
	after = v->cut.before_ps_per_byte * 1000 / ps_per_byte;
	span_add(&v->loop.cnp_to_cut_ns, v->cut.slow_ns - v->cut.cnp_ns);
	span_add(&v->loop.cut_permille, after);
	if (v->selected && v->cut.slow_ns >= v->cut.cnp_ns)
		hist_add(t->r.cnp_to_cut_ns, v->cut.slow_ns - v->cut.cnp_ns);
	v->cut.cnp_ns = TRACE_UNKNOWN;
	v->cut.packets = 0;
}

void loop_data(struct trace *t, struct view *v, const struct obs *o)
{
	int64_t gap_ns = o->t_ns - v->cut.last_ns;

	if (!v->home)
		return;
	if (opcode_table[o->opcode].flags & OPCODE_FIRST || v->cut.packets == 0) {
		v->cut.packets = 0;
	} else if (v->cut.cnp_ns != TRACE_UNKNOWN && gap_ns >= 0 &&
	           gap_ns < INT64_MAX / 10000) {
		spaced(t, v, gap_ns, o->wire_bytes, o->t_ns);
	}
	if (v->cut.packets >= MARK_PACKETS)
		model_compare(
		        v, v->cut.bytes - v->cut.mark_bytes, v->cut.last_ns - v->cut.mark_ns);
	if (v->cut.packets == 0 || v->cut.packets >= MARK_PACKETS) {
		v->cut.mark_ns = o->t_ns;
		v->cut.mark_bytes = v->cut.bytes + o->wire_bytes;
		v->cut.packets = 0;
	}
	v->cut.packets++;
	v->cut.bytes += o->wire_bytes;
	v->cut.last_ns = o->t_ns;
}
