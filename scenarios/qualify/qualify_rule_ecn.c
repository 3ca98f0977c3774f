/* SPDX-License-Identifier: Apache-2.0 */
/* ECN: where the mark is made, how often, and how marks follow the load. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_pauses.h"
#include "scenarios/qualify/qualify_queue.h"
#include "scenarios/qualify/qualify_rules.h"

#define TEXT 200
#define BINS 8

/* With 4.5 sigma one sound switch in 147,000 fails a bin (normal tail, two sides). */
#define SIGMAS 4.5

/* Everything the rules of this file start from. */
struct marks {
	struct qdeparture *d;
	uint64_t n;
	struct qinterval *pause;
	uint64_t n_pauses;
	int64_t kmin, kmax;
	double pmax;
	uint8_t priority;
};

static void fini(struct marks *m)
{
	free(m->d);
	free(m->pause);
}

static int init(struct marks *m, const struct qrun *r, const struct qcheck *k, struct err *e)
{
	const struct switch_cfg *sw = qualify_profile(r, (uint32_t)k->cfg.port);
	int rc;

	*m = (struct marks){.kmin = sw->ecn_kmin_bytes,
	        .kmax = sw->ecn_kmax_bytes,
	        .pmax = (double)sw->ecn_pmax_q32 / Q32_ONE,
	        .priority = (uint8_t)__builtin_ctzll((uint64_t)k->cfg.priorities | 128)};
	rc = qualify_queue(&m->d, &m->n, r, (uint32_t)k->cfg.port, m->priority, e);
	if (!rc)
		rc = qualify_intervals(&m->pause, &m->n_pauses, r, (uint32_t)k->cfg.port,
		        m->priority, false, e);
	return rc;
}

/* The queue was filled behind a pause and let go so many times. */
static int note_repeats(
        struct qrun *r, const struct qcheck *k, const struct marks *m, struct err *e)
{
	char what[TEXT], measured[TEXT], expected[TEXT];
	uint64_t filled = 0, i = 0;

	for (uint64_t p = 0; p < m->n_pauses; p++) {
		while (i < m->n && m->d[i].start_ps < m->pause[p].until_ps)
			i++;
		filled += i < m->n && m->d[i].behind_bytes > m->kmin;
	}
	(void)snprintf(what, sizeof(what), "queue of priority %u at port %" PRId64, m->priority,
	        k->cfg.port);
	(void)snprintf(measured, sizeof(measured),
	        "filled above Kmin and released %" PRIu64 " times", filled);
	(void)snprintf(
	        expected, sizeof(expected), "at least %" PRId64 " times", k->cfg.repeats);
	if (m->n_pauses < (uint64_t)k->cfg.repeats)
		return qualify_note_stimulus(r, k, false, what, measured, expected, e);
	/* the tester did its part: it is the switch that did not hold the queue */
	return qualify_note(
	        r, k, filled >= (uint64_t)k->cfg.repeats, what, measured, expected, e);
}

/*
 * A switch that looks at the queue as a packet leaves marks the first of a burst and not the
 * last; one that looks as it comes does the reverse. Every packet with more than Kmax behind it
 * is marked and none with Kmin or less.
 */
int qualify_rule_dequeue_marking(struct qrun *r, const struct qcheck *k, struct err *e)
{
	uint64_t above = 0, above_marked = 0, below = 0, below_marked = 0, first = 0, last = 0,
	         bursts = 0;
	char what[TEXT], measured[TEXT], expected[TEXT];
	struct marks m;
	int rc = init(&m, r, k, e);

	if (!rc)
		rc = note_repeats(r, k, &m, e);
	for (uint64_t i = 0, p = 0; i < m.n && !rc; i++) {
		bool begins = false;

		while (p < m.n_pauses && m.pause[p].until_ps <= m.d[i].start_ps) {
			begins = true;
			p++;
		}
		if (begins && m.d[i].behind_bytes > m.kmax) {
			bursts++;
			first += m.d[i].marked;
		}
		last += m.d[i].behind_bytes == 0 && m.d[i].marked;
		above += m.d[i].behind_bytes > m.kmax;
		above_marked += m.d[i].behind_bytes > m.kmax && m.d[i].marked;
		below += m.d[i].behind_bytes <= m.kmin;
		below_marked += m.d[i].behind_bytes <= m.kmin && m.d[i].marked;
	}
	(void)snprintf(
	        what, sizeof(what), "first and last packet of %" PRIu64 " bursts", bursts);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " first packets marked, %" PRIu64 " packets marked with none behind",
	        first, last);
	(void)snprintf(expected, sizeof(expected), "%" PRIu64 " and 0", bursts);
	if (!rc)
		rc = qualify_note(
		        r, k, bursts && first == bursts && !last, what, measured, expected, e);
	(void)snprintf(what, sizeof(what),
	        "packets with more than Kmax (%" PRId64 " B) behind, with Kmin (%" PRId64
	        " B) or less",
	        m.kmax, m.kmin);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " of %" PRIu64 " marked, %" PRIu64 " of %" PRIu64 " marked",
	        above_marked, above, below_marked, below);
	if (!rc)
		rc = qualify_note(r, k, above && above_marked == above && !below_marked, what,
		        measured, "all, none", e);
	fini(&m);
	return rc;
}

/* Packets of one range of the curve. */
struct bin {
	uint64_t packets, marked;
	double expected, variance;
};

static void add(struct bin *b, double p, bool marked)
{
	b->packets++;
	b->marked += marked;
	b->expected += p;
	b->variance += p * (1 - p);
}

static int note_bin(struct qrun *r, const struct qcheck *k, const struct bin *b,
        const char *what, struct err *e)
{
	/* the model's queue may be a packet off, by what comes as one leaves */
	const double band = SIGMAS * sqrt(b->variance) + (b->variance > 0 ? 0.5 : 0);
	char measured[TEXT], expected[TEXT];

	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " of %" PRIu64 " marked (%.2f %%)", b->marked, b->packets,
	        b->packets ? 100.0 * (double)b->marked / (double)b->packets : 0);
	(void)snprintf(expected, sizeof(expected), "%.1f +- %.1f (%.2f %%)", b->expected, band,
	        b->packets ? 100 * b->expected / (double)b->packets : 0);
	return qualify_note(r, k, fabs((double)b->marked - b->expected) <= band + 1e-9, what,
	        measured, expected, e);
}

/* Probability Pmax (q - Kmin) / (Kmax - Kmin) between the thresholds, 0 below, 1 above (DCQCN,
 * SIGCOMM 2015, 3.1): in each part of the curve the count is binomial. */
int qualify_rule_marking_curve(struct qrun *r, const struct qcheck *k, struct err *e)
{
	struct bin bin[BINS] = {0}, below = {0}, above = {0}, all = {0};
	char what[TEXT];
	struct marks m;
	int rc = init(&m, r, k, e);

	if (!rc)
		rc = note_repeats(r, k, &m, e);
	for (uint64_t i = 0; i < m.n && !rc; i++) {
		const int64_t q = m.d[i].behind_bytes;
		double x;

		if (q <= m.kmin) {
			add(&below, 0, m.d[i].marked);
		} else if (q > m.kmax) {
			add(&above, 1, m.d[i].marked);
		} else {
			x = (double)(q - m.kmin) / (double)(m.kmax - m.kmin);
			add(&bin[x < 1 ? (int)(x * BINS) : BINS - 1], m.pmax * x,
			        m.d[i].marked);
			add(&all, m.pmax * x, m.d[i].marked);
		}
	}
	if (!rc)
		rc = note_bin(r, k, &below, "queue up to Kmin", e);
	for (int b = 0; b < BINS && !rc; b++) {
		(void)snprintf(what, sizeof(what), "queue %" PRId64 " to %" PRId64 " B",
		        m.kmin + (m.kmax - m.kmin) * b / BINS,
		        m.kmin + (m.kmax - m.kmin) * (b + 1) / BINS);
		rc = note_bin(r, k, &bin[b], what, e);
	}
	if (!rc)
		rc = note_bin(r, k, &all, "whole curve between Kmin and Kmax", e);
	if (!rc && above.packets)
		rc = note_bin(r, k, &above, "queue above Kmax", e);
	fini(&m);
	return rc;
}

/* Each pause is longer than the one before: the queue behind it is longer, and so are its
 * marks, strictly once it passes Kmin. */
int qualify_rule_marks_rise(struct qrun *r, const struct qcheck *k, struct err *e)
{
	char what[TEXT], measured[TEXT];
	uint64_t falls = 0, rises = 0, before = 0, i = 0, steps = 0;
	struct marks m;
	int rc = init(&m, r, k, e);

	for (uint64_t p = 0; p < m.n_pauses && !rc; p++) {
		const int64_t end_ps =
		        p + 1 < m.n_pauses ? m.pause[p + 1].told_ps : r->c->cfg.for_ps;
		uint64_t now = 0;

		for (; i < m.n && m.d[i].start_ps < end_ps; i++)
			now += m.d[i].marked;
		falls += now < before;
		rises += now > before;
		steps += p > 0 && now > 0;
		before = now;
	}
	(void)snprintf(what, sizeof(what), "marks after %" PRIu64 " pauses of rising length",
	        m.n_pauses);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " falls, %" PRIu64 " rises, %" PRIu64 " marks after the longest",
	        falls, rises, before);
	if (!rc)
		rc = qualify_note(r, k, m.n_pauses > 2 && !falls && steps && rises >= steps,
		        what, measured, "no fall, and a rise at each step that has marks", e);
	fini(&m);
	return rc;
}

/* A priority that wants more than its share has a queue and is marked, one that wants less is
 * not; with equal loads the shares of marked packets are equal within the band. */
int qualify_rule_marks_by_load(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const int64_t after_ps = qualify_after_ps(r, k), before_ps = qualify_before_ps(r, k);
	char what[TEXT], measured[TEXT], expected[TEXT];
	double share[2] = {0}, load[2] = {0};
	struct qdemand demand[8];
	double served[8];
	uint32_t n = 0;
	int rc = 0;

	for (uint32_t i = 0; i < r->c->n_streams && !rc; i++) {
		const struct qstream *s = &r->c->stream[i];
		struct qwindow w;
		bool congested;

		if (!(k->streams >> i & 1))
			continue;
		qualify_demand(demand, r, s->to, after_ps);
		qualify_water_fill(served, demand, qualify_profile(r, s->to),
		        (double)r->c->rate_bps[s->to]);
		congested = demand[s->priority].wire_bps > served[s->priority] * (1 + 1e-6);
		w = qualify_window(r, i, after_ps, before_ps);
		if (n < 2) {
			share[n] = w.received ? (double)w.marked / (double)w.received : 0;
			load[n++] = demand[s->priority].wire_bps;
		}
		(void)snprintf(measured, sizeof(measured), "%" PRId64 " of %" PRId64 " marked",
		        w.marked, w.received);
		(void)snprintf(expected, sizeof(expected),
		        "%s: it wants %.1f %% and gets %.1f %%", congested ? "some" : "none",
		        100 * demand[s->priority].wire_bps / (double)r->c->rate_bps[s->to],
		        100 * served[s->priority] / (double)r->c->rate_bps[s->to]);
		rc = qualify_note(r, k, congested ? w.marked > 0 : w.marked == 0,
		        qualify_stream_text(what, sizeof(what), s), measured, expected, e);
	}
	if (rc || n < 2 || load[0] != load[1])
		return rc;
	(void)snprintf(measured, sizeof(measured), "%.2f %% and %.2f %%", share[0] * 100,
	        share[1] * 100);
	(void)snprintf(expected, sizeof(expected), "equal +- %.1f points",
	        100 * (double)k->cfg.band_q32 / Q32_ONE);
	return qualify_note(r, k,
	        fabs(share[0] - share[1]) <= (double)k->cfg.band_q32 / Q32_ONE,
	        "marked shares of equal loads", measured, expected, e);
}
