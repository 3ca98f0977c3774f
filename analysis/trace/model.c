/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rate a DCQCN reaction point with given parameters would have, fed with the CNPs and the
 * packets of a sender as the capture shows them. It is the same state machine that simulated
 * NICs run. Until its first CNP a reaction point is at line rate, so it begins to exist there.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace/trace_int.h"

/* Beyond this the model's clock, in ps, would overflow: 53 days of one flow. */
#define MODEL_MAX_NS (INT64_MAX / 2 / 1000)

static const struct dcqcn_rp_params *params_of(struct trace *t, struct iface *i)
{
	int64_t bps = i->pub.speed_bps ? i->pub.speed_bps : iface_inferred_bps(i);

	if (i->model || !bps)
		return i->model;
	i->model = malloc(sizeof(*i->model));
	if (!i->model) {
		t->failed = -ENOMEM;
		return NULL;
	}
	dcqcn_rp_params_init(i->model, t->opt.dcqcn, bps);
	return i->model;
}

static int64_t model_ps(struct model *m, int64_t t_ns)
{
	int64_t ns = t_ns - m->origin_ns;

	if (ns > MODEL_MAX_NS)
		ns = MODEL_MAX_NS;
	if (ns * 1000 > m->last_ps)
		m->last_ps = ns * 1000;
	return m->last_ps;
}

void model_cnp(struct trace *t, struct view *g, int64_t t_ns)
{
	const struct dcqcn_rp_params *p;

	if (!t->opt.dcqcn || !g->home)
		return;
	if (!g->model) {
		p = params_of(t, t->iface[g->interface]);
		if (!p)
			return;
		g->model = calloc(1, sizeof(*g->model));
		if (!g->model) {
			t->failed = -ENOMEM;
			return;
		}
		g->model->params = p;
		g->model->origin_ns = t_ns;
		dcqcn_rp_init(&g->model->rp, p);
		g->model->rate = rate_begin(t, g, t_ns);
	}
	dcqcn_rp_cnp(&g->model->rp, g->model->params, model_ps(g->model, t_ns));
	if (g->model->rate)
		rate_add(g->model->rate, t_ns, 0, dcqcn_rp_rate_bps(&g->model->rp));
}

void model_data(struct trace *t, struct view *v, const struct obs *o, struct trace_bin *bin)
{
	struct model *m = v->model;

	dcqcn_rp_sent(&m->rp, m->params, o->wire_bytes, model_ps(m, o->t_ns));
	if (t->opt.only_qp && v->selected)
		bin->model_bps = dcqcn_rp_rate_bps(&m->rp);
	if (m->rate)
		rate_add(m->rate, o->t_ns, o->wire_bytes, dcqcn_rp_rate_bps(&m->rp));
}

void model_compare(struct view *v, uint64_t bytes, int64_t span_ns)
{
	__int128 bps;

	if (!v->model || span_ns <= 0)
		return;
	bps = (__int128)bytes * 8 * 1000000000 / span_ns;
	span_add(&v->loop.of_model_permille,
	        (int64_t)(bps * 1000 / dcqcn_rp_rate_bps(&v->model->rp)));
}
