/* SPDX-License-Identifier: Apache-2.0 */
/* Which view of a flow follows which: what packets that two of them have shown say. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

struct view_edge *view_edge(const struct view *v, uint32_t to)
{
	for (uint32_t i = 0; i < v->n_edges; i++)
		if (v->edge[i].to == to)
			return &v->edge[i];
	return NULL;
}

bool view_behind(const struct view *a, const struct view *b)
{
	return (double)a->position_sum * (double)b->position_n >
	       (double)b->position_sum * (double)a->position_n;
}

/* More go this way than the other: stamps that are off turn single packets round, and copies
 * taken for each other lead from the end of a path to its begin. */
static bool forward(const struct trace *t, const struct view *v, const struct view_edge *g)
{
	const struct view *to = view_at(t, g->to);
	const struct view_edge *back = view_edge(to, v->index);

	return g->n && view_behind(to, v) && (!back || g->n > back->n);
}

const struct view_edge *view_onward(const struct trace *t, const struct view *v, int64_t t_ns)
{
	const struct view_edge *best = NULL;
	bool best_now = false;

	for (uint32_t i = 0; i < v->n_edges; i++) {
		const struct view_edge *g = &v->edge[i];
		bool now = t_ns >= g->first_ns && t_ns <= g->last_ns;

		if (!forward(t, v, g))
			continue;
		if (!best || (now && !best_now) || (now == best_now && g->n > best->n)) {
			best = g;
			best_now = now;
		}
	}
	return best;
}

static uint32_t path_of(struct trace *t, const struct view *before, const struct view *after)
{
	uint32_t from = before->interface, to = after->interface;
	struct trace_path *more;

	for (uint32_t i = 0; i < t->r.n_paths; i++)
		if (t->r.path[i].from == from && t->r.path[i].to == to)
			return i;
	if (t->r.n_paths >= 4096)
		return TRACE_NONE;
	if ((t->r.n_paths & (t->r.n_paths - 1)) == 0) {
		more = realloc(
		        t->r.path, (t->r.n_paths ? 2 * t->r.n_paths : 1) * sizeof(*more));
		if (!more) {
			t->failed = -ENOMEM;
			return TRACE_NONE;
		}
		t->r.path = more;
	}
	t->r.path[t->r.n_paths] = (struct trace_path){.from = from,
	        .to = to,
	        .from_direction = before->direction,
	        .to_direction = after->direction};
	return t->r.n_paths++;
}

void edge_add(struct trace *t, struct view *from, const struct view *to, int64_t at_ns,
        int64_t latency_ns)
{
	struct view_edge *g = view_edge(from, to->index), *more;

	if (!g) {
		if ((from->n_edges & (from->n_edges - 1)) == 0) {
			more = realloc(from->edge,
			        (from->n_edges ? 2 * from->n_edges : 1) * sizeof(*more));
			if (!more) {
				t->failed = -ENOMEM;
				return;
			}
			from->edge = more;
		}
		g = &from->edge[from->n_edges++];
		*g = (struct view_edge){.to = to->index,
		        .path = path_of(t, from, to),
		        .first_ns = at_ns,
		        .last_ns = at_ns};
	}
	g->n++;
	g->latency_ns = latency_ns;
	g->first_ns = at_ns < g->first_ns ? at_ns : g->first_ns;
	g->last_ns = at_ns > g->last_ns ? at_ns : g->last_ns;
	if (g->path != TRACE_NONE)
		t->r.path[g->path].matched++;
	if (!from->on_set || at_ns < from->on_first_ns)
		from->on_first_ns = at_ns;
	if (!from->on_set || at_ns > from->on_last_ns)
		from->on_last_ns = at_ns;
	from->on_set = true;
}

void edge_time(
        struct trace *t, const struct view *from, const struct view *to, int64_t latency_ns)
{
	const struct view_edge *g = view_edge(from, to->index);

	if (g && g->path != TRACE_NONE)
		span_add(&t->r.path[g->path].latency_ns, latency_ns);
}

void edge_take(struct trace *t, struct view *from, const struct view *to, int64_t latency_ns)
{
	struct view_edge *g = view_edge(from, to->index);
	struct trace_path *p = g && g->path != TRACE_NONE ? &t->r.path[g->path] : NULL;

	if (g && g->n)
		g->n--;
	if (!p || !p->matched)
		return;
	p->matched--;
	if (latency_ns == TRACE_UNKNOWN || !p->latency_ns.n)
		return;
	p->latency_ns.n--;
	p->latency_ns.sum -= latency_ns;
}
