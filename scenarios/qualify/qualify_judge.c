/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_judge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_rules.h"

#define TEXT        160
#define EVENTS_KEPT 1000

static int no_memory(const struct qrun *r, struct err *e)
{
	return err_set(e, -ENOMEM, "%s.%s: not enough memory", r->c->suite, r->c->name);
}

static struct verdict_check *new_check(struct qrun *r)
{
	if (r->n_checks == r->cap_checks) {
		uint32_t cap = r->cap_checks ? r->cap_checks * 2 : 16;
		struct verdict_check *more = arena_take(r->arena, cap * sizeof(*more));

		if (!more)
			return NULL;
		if (r->n_checks)
			memcpy(more, r->check, r->n_checks * sizeof(*more));
		r->check = more;
		r->cap_checks = cap;
	}
	return &r->check[r->n_checks++];
}

static int note(struct qrun *r, const char *rule, bool is_stimulus, bool holds,
        const char *what, const char *measured, const char *expected, struct err *e)
{
	struct verdict_check *v = new_check(r);

	if (!v)
		return no_memory(r, e);
	*v = (struct verdict_check){.rule = rule,
	        .what = arena_text(r->arena, what, strlen(what)),
	        .measured = arena_text(r->arena, measured, strlen(measured)),
	        .expected = arena_text(r->arena, expected, strlen(expected)),
	        .holds = holds,
	        .is_stimulus = is_stimulus};
	return v->what && v->measured && v->expected ? 0 : no_memory(r, e);
}

int qualify_note(struct qrun *r, const struct qcheck *k, bool holds, const char *what,
        const char *measured, const char *expected, struct err *e)
{
	return note(
	        r, qualify_rules[k->cfg.rule].word, false, holds, what, measured, expected, e);
}

int qualify_note_stimulus(struct qrun *r, const struct qcheck *k, bool holds, const char *what,
        const char *measured, const char *expected, struct err *e)
{
	return note(
	        r, qualify_rules[k->cfg.rule].word, true, holds, what, measured, expected, e);
}

/* All streams of the port may have a frame ready at once, and a frame may be on its way. */
static int64_t allowed_lag_ps(const struct qrun *r, const struct qstream *s)
{
	int64_t bytes = 0, worst = 0;

	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		if (r->c->stream[i].from != s->from)
			continue;
		bytes += r->c->stream[i].wire_bytes;
		if (r->c->stream[i].wire_bytes > worst)
			worst = r->c->stream[i].wire_bytes;
	}
	return (int64_t)((__int128)(2 * bytes + worst + 200) * 8 * PS_PER_S /
	                 r->c->rate_bps[s->from]);
}

/* Was offered what the case asks for? A sender that the switch holds back is its doing, not the
 * tester's. */
static int check_offered(struct qrun *r, uint32_t i, struct err *e)
{
	const struct qstream *s = &r->c->stream[i];
	const int64_t lag_ps = qualify_lag_ps(r, i), allowed_ps = allowed_lag_ps(r, s);
	const struct qwindow w = qualify_window(r, i, 0, r->c->cfg.for_ps);
	const bool by_switch = qualify_was_paused(r, s->from, s->priority);
	char what[TEXT], measured[TEXT], expected[TEXT];

	if (s->held) {
		(void)snprintf(measured, sizeof(measured), "%" PRId64 " of %" PRId64 " packets",
		        w.sent, s->packets);
		return note(r, "offered", true, w.sent > 0,
		        qualify_stream_text(what, sizeof(what), s), measured,
		        "some: the sender may be held back", e);
	}
	(void)snprintf(measured, sizeof(measured),
	        "%" PRId64 " of %" PRId64 " packets, at most %.3f us behind plan%s", w.sent,
	        s->packets, (double)lag_ps / 1e6,
	        lag_ps > allowed_ps && by_switch ? ", paused by the switch" : "");
	(void)snprintf(expected, sizeof(expected), "all, at most %.3f us behind",
	        (double)allowed_ps / 1e6);
	return note(r, "offered", !by_switch, lag_ps <= allowed_ps,
	        qualify_stream_text(what, sizeof(what), s), measured, expected, e);
}

static int64_t rank(const int64_t *t, uint64_t n, uint64_t per_mille)
{
	return t[(n * per_mille + 999) / 1000 - 1];
}

static int describe_stream(struct verdict_stream *v, const struct qrun *r, uint32_t i)
{
	const struct qstream *s = &r->c->stream[i];
	const struct qwindow w = qualify_window(r, i, 0, r->c->cfg.for_ps);
	const struct qwindow m = qualify_window(r, i, r->c->cfg.settle_ps, r->c->cfg.for_ps);
	uint64_t n;
	int rc;
	int64_t *t = qualify_latencies(r, i, r->c->cfg.settle_ps, r->c->cfg.for_ps, &n, &rc);

	if (rc)
		return rc;
	*v = (struct verdict_stream){.name = s->name,
	        .from = s->from,
	        .to = s->to,
	        .priority = s->priority,
	        .offered_packets = s->packets,
	        .sent_packets = w.sent,
	        .received_packets = w.received,
	        .lost_packets = w.lost,
	        .marked_packets = w.marked,
	        .rate_bps = (int64_t)((double)m.in_bytes * 8 * PS_PER_S /
	                              (double)(r->c->cfg.for_ps - r->c->cfg.settle_ps)),
	        .min_ps = -1,
	        .p50_ps = -1,
	        .p99_ps = -1,
	        .p999_ps = -1,
	        .max_ps = -1};
	if (n) {
		v->min_ps = t[0];
		v->p50_ps = rank(t, n, 500);
		v->p99_ps = rank(t, n, 990);
		v->p999_ps = rank(t, n, 999);
		v->max_ps = t[n - 1];
	}
	free(t);
	return 0;
}

static int describe_streams(struct verdict_case *v, struct qrun *r, struct err *e)
{
	struct verdict_stream *s = arena_take(r->arena, r->c->n_streams * sizeof(*s));

	if (!s)
		return no_memory(r, e);
	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (describe_stream(&s[i], r, i))
			return no_memory(r, e);
	v->stream = s;
	v->n_streams = r->c->n_streams;
	return 0;
}

static int by_event_time(const void *a, const void *b)
{
	const struct verdict_event *x = a, *y = b;

	return x->t_ps != y->t_ps ? (x->t_ps > y->t_ps) - (x->t_ps < y->t_ps)
	                          : strcmp(x->text, y->text);
}

/* Pause frames in both directions are what one asks for first. */
static int describe_events(struct verdict_case *v, struct qrun *r, struct err *e)
{
	struct verdict_event *ev;
	uint64_t total = 0, n = 0;

	for (uint32_t p = 0; p < (uint32_t)r->c->cfg.ports; p++) {
		uint64_t kept = r->cap.port[p].n_pause;

		total += kept;
		n += kept < EVENTS_KEPT ? kept : EVENTS_KEPT;
	}
	ev = arena_take(r->arena, (n + 1) * sizeof(*ev));
	if (!ev)
		return no_memory(r, e);
	n = 0;
	for (uint32_t p = 0; p < (uint32_t)r->c->cfg.ports; p++)
		for (uint64_t i = 0; i < r->cap.port[p].n_pause && i < EVENTS_KEPT; i++) {
			const struct qpause *q = &r->cap.port[p].pause[i];

			ev[n].t_ps = q->start_ps;
			ev[n].text = arena_printf(r->arena,
			        "%s at port %u: vector 0x%02x, pauses 0x%02x, %u quanta",
			        q->from_switch ? "switch sends PFC" : "tester sends PFC", p,
			        q->vector, q->xoff, q->quanta);
			if (!ev[n++].text)
				return no_memory(r, e);
		}
	qsort(ev, n, sizeof(*ev), by_event_time);
	v->event = ev;
	v->n_events = (uint32_t)(n < EVENTS_KEPT ? n : EVENTS_KEPT);
	v->events_seen = total;
	return 0;
}

static void decide(struct verdict_case *v, const struct qrun *r)
{
	const struct qdeviation *known = qualify_deviation(r->asic, r->c->suite, r->c->name);
	bool failed = false, invalid = false;

	for (uint32_t i = 0; i < r->n_checks; i++) {
		invalid |= !r->check[i].holds && r->check[i].is_stimulus;
		failed |= !r->check[i].holds;
	}
	v->check = r->check;
	v->n_checks = r->n_checks;
	v->reason = known ? known->reason : "";
	if (invalid)
		v->status = VERDICT_INVALID;
	else if (failed)
		v->status = known ? VERDICT_EXPECTED_FAIL : VERDICT_FAIL;
	else
		v->status = known ? VERDICT_UNEXPECTED_PASS : VERDICT_PASS;
}

int qualify_judge(struct verdict_case *v, struct qrun *r, struct err *e)
{
	int rc = r->cap.out_of_memory ? no_memory(r, e) : 0;

	for (uint32_t i = 0; i < r->c->n_streams && !rc; i++)
		rc = check_offered(r, i, e);
	for (uint32_t i = 0; i < r->c->n_checks && !rc; i++) {
		const struct qcheck *k = &r->c->check[i];

		rc = qualify_rules[k->cfg.rule].judge(r, k, e);
	}
	if (!rc)
		rc = describe_streams(v, r, e);
	if (!rc)
		rc = describe_events(v, r, e);
	if (!rc)
		decide(v, r);
	return rc;
}
