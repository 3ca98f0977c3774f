/* SPDX-License-Identifier: Apache-2.0 */
/* Loss, throughput, shares, latency: what comes out of the egress ports. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/expect.h"
#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_rules.h"

#define TEXT 160

#define WIRE_EXTRA_BYTES 20

/* Each stream that the check names. */
#define EACH_STREAM(i, r, k)                                                                   \
	for (uint32_t i = 0; i < (r)->c->n_streams; i++)                                       \
		if ((k)->streams >> i & 1)

int qualify_rule_loss(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const double low = (double)k->cfg.min_q32 / Q32_ONE,
	             high = (double)k->cfg.max_q32 / Q32_ONE;
	char what[TEXT], measured[TEXT], expected[TEXT];
	int rc = 0;

	EACH_STREAM(i, r, k)
	{
		struct qwindow w =
		        qualify_window(r, i, qualify_after_ps(r, k), qualify_before_ps(r, k));
		double share = w.sent ? (double)w.lost / (double)w.sent : 0;

		(void)snprintf(measured, sizeof(measured),
		        "%" PRId64 " of %" PRId64 " packets lost (%.3f %%)", w.lost, w.sent,
		        share * 100);
		if (k->cfg.max_q32 == 0)
			(void)snprintf(expected, sizeof(expected), "none");
		else
			(void)snprintf(expected, sizeof(expected), "%.3f to %.3f %%", low * 100,
			        high * 100);
		rc = qualify_note(r, k, w.sent && share >= low && share <= high,
		        qualify_stream_text(what, sizeof(what), &r->c->stream[i]), measured,
		        expected, e);
		if (rc)
			return rc;
	}
	return rc;
}

/* What was lost of a lossy priority is what its share of the port cannot carry. */
int qualify_rule_loss_model(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const struct switch_cfg *sw = qualify_profile(r, (uint32_t)k->cfg.port);
	const int64_t after_ps = qualify_after_ps(r, k), before_ps = qualify_before_ps(r, k);
	char what[TEXT], measured[TEXT], expected[TEXT];
	struct qdemand demand[8];
	double served[8];
	int rc = 0;

	qualify_demand(demand, r, (uint32_t)k->cfg.port, after_ps);
	qualify_water_fill(served, demand, sw, (double)r->c->rate_bps[k->cfg.port]);
	for (int p = 0; p < 8 && !rc; p++) {
		struct qwindow all = {0};
		bool lossless = (sw->pfc_priorities >> p & 1) != 0;
		double model, share, band = (double)k->cfg.band_q32 / Q32_ONE;

		for (uint32_t i = 0; i < r->c->n_streams; i++) {
			const struct qstream *s = &r->c->stream[i];
			struct qwindow w;

			if (s->to != (uint32_t)k->cfg.port || s->priority != p)
				continue;
			w = qualify_window(r, i, after_ps, before_ps);
			all.sent += w.sent;
			all.lost += w.lost;
		}
		if (!all.sent)
			continue;
		model = lossless ? 0 : 1 - served[p] / demand[p].wire_bps;
		if (model < 1e-9) {
			model = 0;
			band = 0; /* nothing is nothing */
		}
		share = (double)all.lost / (double)all.sent;
		(void)snprintf(what, sizeof(what), "priority %d at port %" PRId64 ", %s", p,
		        k->cfg.port, lossless ? "lossless" : "lossy");
		(void)snprintf(measured, sizeof(measured),
		        "%.3f %% of %" PRId64 " packets lost", share * 100, all.sent);
		(void)snprintf(
		        expected, sizeof(expected), "%.3f %% +- %.3f", model * 100, band * 100);
		rc = qualify_note(r, k, share >= model - band && share <= model + band, what,
		        measured, expected, e);
	}
	return rc;
}

/* How much later than another one a frame of the stream may be: one of every other stream of
 * the egress port may be ahead of it. */
static double jitter_s(const struct qrun *r, uint32_t stream)
{
	const uint32_t to = r->c->stream[stream].to;
	double bytes = 0;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (i != stream && r->c->stream[i].to == to)
			bytes += (double)r->c->stream[i].wire_bytes;
	return bytes * 8 / (double)r->c->rate_bps[to];
}

/* What is offered comes out, within what whole frames make at the window's ends, and those that
 * are a little later at one end than at the other. */
int qualify_rule_throughput(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const int64_t after_ps = qualify_after_ps(r, k), before_ps = qualify_before_ps(r, k);
	const double window_s = (double)(before_ps - after_ps) / PS_PER_S;
	char what[TEXT], measured[TEXT], expected[TEXT];
	int rc = 0;

	EACH_STREAM(i, r, k)
	{
		const struct qstream *s = &r->c->stream[i];
		struct qwindow w = qualify_window(r, i, after_ps, before_ps);
		double bps = (double)w.in_bytes * 8 / window_s;
		double model = (double)s->wire_bytes * 8 * PS_PER_S / (double)s->period_ps;
		double band = model * (double)k->cfg.band_q32 / Q32_ONE +
		              2 * (double)s->wire_bytes * 8 / window_s +
		              model * jitter_s(r, i) / window_s;

		(void)snprintf(measured, sizeof(measured), "%.4f Gbps", bps / 1e9);
		(void)snprintf(expected, sizeof(expected), "%.4f +- %.4f Gbps", model / 1e9,
		        band / 1e9);
		rc = qualify_note(r, k, bps >= model - band && bps <= model + band,
		        qualify_stream_text(what, sizeof(what), s), measured, expected, e);
		if (rc)
			return rc;
	}
	return rc;
}

/*
 * Each priority of a congested port gets what deficit round robin gives it. In a window a class
 * can be one round ahead or behind: its quantum and a frame (Shreedhar and Varghese, SIGCOMM
 * 1995, lemma 2); the quantum is the switch's own affair and at most 9600 B times the weight
 * here.
 */
int qualify_rule_shares(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const struct switch_cfg *sw = qualify_profile(r, (uint32_t)k->cfg.port);
	const int64_t after_ps = qualify_after_ps(r, k), before_ps = qualify_before_ps(r, k);
	const double window_s = (double)(before_ps - after_ps) / PS_PER_S;
	const double capacity_bps = (double)r->c->rate_bps[k->cfg.port];
	char what[TEXT], measured[TEXT], expected[TEXT];
	struct qdemand demand[8];
	double served[8], bytes[8] = {0};
	int rc = 0;

	qualify_demand(demand, r, (uint32_t)k->cfg.port, after_ps);
	qualify_water_fill(served, demand, sw, capacity_bps);
	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].to == (uint32_t)k->cfg.port)
			bytes[r->c->stream[i].priority] +=
			        (double)qualify_window(r, i, after_ps, before_ps).in_bytes;
	for (int p = 0; p < 8 && !rc; p++) {
		double share = bytes[p] * 8 / window_s / capacity_bps;
		double model = served[p] / capacity_bps;
		double round = 2 * (9600 * (double)sw->weights[p] + 9600) * 8 / window_s /
		               capacity_bps;
		double band = round + (double)k->cfg.band_q32 / Q32_ONE;

		if (demand[p].wire_bps <= 0)
			continue;
		(void)snprintf(what, sizeof(what),
		        "priority %d at port %" PRId64 ", weight %" PRId64, p, k->cfg.port,
		        sw->weights[p]);
		(void)snprintf(measured, sizeof(measured), "%.3f %% of the port", share * 100);
		(void)snprintf(
		        expected, sizeof(expected), "%.3f +- %.3f %%", model * 100, band * 100);
		rc = qualify_note(r, k, share >= model - band && share <= model + band, what,
		        measured, expected, e);
	}
	return rc;
}

/* Store and forward: the frame is put on two links, goes over two cables and through the
 * pipeline; `queued` frames of the largest size may be ahead of it. */
static double latency_bound_ps(const struct qrun *r, const struct qstream *s, int64_t queued)
{
	const struct topo *t = r->scenario->topo;
	const struct switch_cfg *sw = &t->profile[t->node[t->n_hosts].profile];
	double in = (double)s->wire_bytes * 8e12 / (double)r->c->rate_bps[s->from];
	double out = (double)s->wire_bytes * 8e12 / (double)r->c->rate_bps[s->to];
	int64_t largest = 0;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].wire_bytes > largest)
			largest = r->c->stream[i].wire_bytes;
	return in + out + 2 * (double)qualify_delay_ps(r) + (double)sw->latency_ps +
	       (double)queued * (double)largest * 8e12 / (double)r->c->rate_bps[s->to] + 2;
}

int qualify_rule_latency(struct qrun *r, const struct qcheck *k, struct err *e)
{
	char what[TEXT], measured[TEXT], expected[TEXT];
	int rc = 0;

	EACH_STREAM(i, r, k)
	{
		uint64_t n;
		int64_t *t = qualify_latencies(
		        r, i, qualify_after_ps(r, k), qualify_before_ps(r, k), &n, &rc);
		double bound = latency_bound_ps(r, &r->c->stream[i], k->cfg.queued);
		double worst = n ? (double)t[n - 1] : 0;

		if (!rc) {
			(void)snprintf(measured, sizeof(measured),
			        "at most %.3f us, p99 %.3f us, of %" PRIu64, worst / 1e6,
			        n ? (double)t[(n * 99 + 99) / 100 - 1] / 1e6 : 0, n);
			(void)snprintf(
			        expected, sizeof(expected), "at most %.3f us", bound / 1e6);
			rc = qualify_note(r, k, n && worst <= bound,
			        qualify_stream_text(what, sizeof(what), &r->c->stream[i]),
			        measured, expected, e);
		}
		free(t);
		if (rc)
			return rc;
	}
	return rc;
}

int qualify_rule_drops(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const int64_t n = r->rec->n.drops_lossless;
	char measured[TEXT], expected[TEXT];

	(void)snprintf(measured, sizeof(measured), "%" PRId64 " packets", n);
	if (k->cfg.max_packets == INT64_MAX)
		(void)snprintf(
		        expected, sizeof(expected), "at least %" PRId64, k->cfg.min_packets);
	else
		(void)snprintf(expected, sizeof(expected), "%" PRId64 " to %" PRId64,
		        k->cfg.min_packets, k->cfg.max_packets);
	return qualify_note(r, k, n >= k->cfg.min_packets && n <= k->cfg.max_packets,
	        "drops of lossless priorities that the switch counts", measured, expected, e);
}

int qualify_rule_result(struct qrun *r, const struct qcheck *k, struct err *e)
{
	struct run_expect out;
	struct expectation x;
	char measured[TEXT];
	int rc = expect_parse(&x, k->cfg.holds, NULL, e);

	if (rc)
		return rc;
	expect_eval(&out, &x, k->cfg.holds, r->summary);
	if (out.has_value)
		(void)snprintf(measured, sizeof(measured), "%.10g", out.value);
	else
		(void)snprintf(measured, sizeof(measured), "null");
	return qualify_note(r, k, out.holds, "figure of the run", measured, k->cfg.holds, e);
}
