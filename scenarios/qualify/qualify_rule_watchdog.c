/* SPDX-License-Identifier: Apache-2.0 */
/* The PFC watchdog: when it sees a storm, when it lets go, and when it must see none. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_pauses.h"
#include "scenarios/qualify/qualify_rules.h"

#define TEXT 200

/* Events of one kind against the storms that the tester made. */
struct seen {
	uint64_t due;     /* storms that must be seen, or must end, within the run */
	uint64_t in_time; /* events in their time */
	uint64_t events;  /* all of this queue */
	int64_t soonest_ps, latest_ps; /* after the storm's begin, or its end */
};

struct queue {
	uint32_t port;
	uint8_t priority;
	const struct switch_cfg *sw;
};

static void take(struct seen *s, int64_t after_ps)
{
	s->in_time++;
	if (s->in_time == 1 || after_ps < s->soonest_ps)
		s->soonest_ps = after_ps;
	if (s->in_time == 1 || after_ps > s->latest_ps)
		s->latest_ps = after_ps;
}

static uint64_t count_events(
        const struct qrun *r, const struct queue *q, enum watchdog_kind kind)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < r->rec->n_watchdog; i++)
		n += r->rec->watchdog[i].port == q->port &&
		     r->rec->watchdog[i].priority == q->priority &&
		     r->rec->watchdog[i].kind == kind;
	return n;
}

/* The first event of a kind in [from, to], or -1. */
static int64_t first_event(const struct qrun *r, const struct queue *q, enum watchdog_kind kind,
        int64_t from_ps, int64_t to_ps)
{
	for (uint64_t i = 0; i < r->rec->n_watchdog; i++) {
		const struct watchdog_event *w = &r->rec->watchdog[i];

		if (w->port == q->port && w->priority == q->priority && w->kind == kind &&
		        w->t_ps >= from_ps && w->t_ps <= to_ps)
			return w->t_ps;
	}
	return -1;
}

/* The times that the profile allows. */
static int64_t latest_ps(const struct qrun *r, const struct queue *q, bool end)
{
	const int64_t length_ps = end ? q->sw->watchdog_restore_ps : q->sw->watchdog_detect_ps;

	return length_ps + q->sw->watchdog_poll_ps +
	       qualify_response_ps(r->c->rate_bps[q->port]);
}

static void match(struct seen *s, const struct qrun *r, const struct queue *q,
        const struct qinterval *v, uint64_t n, bool end)
{
	const enum watchdog_kind kind = end ? WATCHDOG_RESTORED : WATCHDOG_STORM;
	const int64_t length_ps = end ? q->sw->watchdog_restore_ps : q->sw->watchdog_detect_ps;

	s->events = count_events(r, q, kind);
	for (uint64_t i = 0; i < n; i++) {
		const int64_t from_ps = end ? v[i].until_ps : v[i].told_ps;
		int64_t t_ps;

		/* only a storm that is long enough is one */
		if (v[i].until_ps - v[i].told_ps < latest_ps(r, q, false))
			continue;
		if (from_ps + latest_ps(r, q, end) >= r->c->cfg.for_ps)
			continue;
		s->due++;
		t_ps = first_event(
		        r, q, kind, from_ps + length_ps, from_ps + latest_ps(r, q, end));
		if (t_ps >= 0)
			take(s, t_ps - from_ps);
	}
}

static int judge(struct qrun *r, const struct qcheck *k, bool end, struct err *e)
{
	const uint32_t port = (uint32_t)k->cfg.port;
	int rc = 0;

	for (uint8_t p = 0; p < 8 && !rc; p++) {
		struct queue q = {.port = port, .priority = p, .sw = qualify_profile(r, port)};
		char what[TEXT], measured[TEXT], expected[TEXT];
		struct seen s = {0};
		struct qinterval *v;
		uint64_t n;

		if (!(k->cfg.priorities >> p & 1))
			continue;
		rc = qualify_intervals(&v, &n, r, port, p, false, e);
		if (rc)
			return rc;
		match(&s, r, &q, v, n, end);
		free(v);
		(void)snprintf(what, sizeof(what), "%s of port %u, priority %u",
		        end ? "ends of storms" : "storms", port, p);
		(void)snprintf(measured, sizeof(measured),
		        "%" PRIu64 " of %" PRIu64 " seen in time, %.3f to %.3f us after %s; "
		        "%" PRIu64 " events",
		        s.in_time, s.due, (double)s.soonest_ps / 1e6, (double)s.latest_ps / 1e6,
		        end ? "the last pause" : "the first pause frame", s.events);
		(void)snprintf(expected, sizeof(expected),
		        "all, %.3f to %.3f us after, once each",
		        (double)(end ? q.sw->watchdog_restore_ps : q.sw->watchdog_detect_ps) /
		                1e6,
		        (double)latest_ps(r, &q, end) / 1e6);
		if (!s.due) {
			rc = qualify_note_stimulus(r, k, false, what,
			        "no storm that is long enough, or none early enough",
			        "at least one", e);
			continue;
		}
		rc = qualify_note(r, k, s.due && s.in_time == s.due && s.events == s.due, what,
		        measured, expected, e);
	}
	return rc;
}

int qualify_rule_detects(struct qrun *r, const struct qcheck *k, struct err *e)
{
	return judge(r, k, false, e);
}

int qualify_rule_restores(struct qrun *r, const struct qcheck *k, struct err *e)
{
	return judge(r, k, true, e);
}

/* The longest storm in a priority that the watchdog of its port guards, if it must be seen. */
static int longest_due_ps(int64_t *longest_ps, struct qrun *r, struct err *e)
{
	int rc = 0;

	*longest_ps = 0;
	for (uint32_t port = 0; port < (uint32_t)r->c->cfg.ports && !rc; port++)
		for (uint8_t p = 0; p < 8 && !rc; p++) {
			const struct switch_cfg *sw = qualify_profile(r, port);
			struct qinterval *v;
			uint64_t n;

			if (sw->watchdog_detect_ps == WATCHDOG_OFF ||
			        !(sw->pfc_priorities >> p & 1))
				continue;
			rc = qualify_intervals(&v, &n, r, port, p, false, e);
			if (rc)
				return rc;
			for (uint64_t i = 0; i < n; i++) {
				int64_t ps = v[i].until_ps - v[i].told_ps;

				if (ps >= sw->watchdog_detect_ps && ps > *longest_ps)
					*longest_ps = ps;
			}
			free(v);
		}
	return rc;
}

int qualify_rule_no_detection(struct qrun *r, const struct qcheck *k, struct err *e)
{
	char measured[TEXT];
	uint64_t frames = 0;
	int64_t longest_ps;
	int rc = longest_due_ps(&longest_ps, r, e);

	if (rc)
		return rc;
	if (longest_ps) {
		(void)snprintf(
		        measured, sizeof(measured), "one of %.3f us", (double)longest_ps / 1e6);
		return qualify_note_stimulus(r, k, false, "storms of the tester", measured,
		        "none as long as the detection time", e);
	}
	for (uint32_t i = 0; i < (uint32_t)r->c->cfg.ports; i++)
		for (uint64_t f = 0; f < r->cap.port[i].n_pause; f++)
			frames += !r->cap.port[i].pause[f].from_switch;
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " events, %" PRIu64 " pause frames from the tester",
	        r->rec->n_watchdog, frames);
	return qualify_note(r, k, frames && !r->rec->n_watchdog, "watchdog of the switch",
	        measured, "no event", e);
}
