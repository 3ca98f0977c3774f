/* SPDX-License-Identifier: Apache-2.0 */
/* Pause frames: who is told to stop, who stops, and for exactly how long. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/pause.h"
#include "dataplane/fabric/headroom.h"
#include "scenarios/qualify/qualify_figures.h"
#include "scenarios/qualify/qualify_pauses.h"
#include "scenarios/qualify/qualify_rules.h"

#define TEXT 200

#define EACH_PRIORITY(p, mask)                                                                 \
	for (uint8_t p = 0; p < 8; p++)                                                        \
		if ((mask) >> p & 1)

/* The time of the largest frame of the case on a port. */
static int64_t frame_ps(const struct qrun *r, uint32_t port)
{
	int64_t bytes = 84;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].wire_bytes > bytes)
			bytes = r->c->stream[i].wire_bytes;
	return (int64_t)((__int128)bytes * 8 * PS_PER_S / r->c->rate_bps[port]);
}

/* Other priorities of the port may have their turn of the round first: a quantum of 9600 B at
 * most for each unit of weight, and frames of strict ones. */
static int64_t round_ps(const struct qrun *r, uint32_t port, uint8_t priority)
{
	const struct switch_cfg *sw = qualify_profile(r, port);
	int64_t bytes = 0;
	uint32_t seen = 1u << priority;

	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		const struct qstream *s = &r->c->stream[i];

		if (s->to != port || (seen >> s->priority & 1))
			continue;
		seen |= 1u << s->priority;
		bytes += 9600 * sw->weights[s->priority] + s->wire_bytes;
	}
	return (int64_t)((__int128)bytes * 8 * PS_PER_S / r->c->rate_bps[port]);
}

/* How the frames of one priority stand to its pauses. */
struct obeyed {
	uint64_t pauses, silent; /* pauses; those in which nothing began */
	uint64_t broken;         /* frames that began within a pause */
	int64_t last_ps;         /* the latest start after the pause frame, within a pause */
	int64_t earliest_ps, latest_ps; /* of the first frame after a pause, from its end */
	uint64_t gaps;                  /* pauses after which a frame was waiting */
};

/* Of starts in rising order. A frame may begin until response after the pause frame is in. */
struct starts {
	const int64_t *t_ps;
	uint64_t n;
};

static struct obeyed compare(const struct qinterval *v, uint64_t n, const struct starts *s,
        int64_t response_ps, int64_t waits_ps)
{
	struct obeyed o = {.pauses = n, .earliest_ps = INT64_MAX, .latest_ps = INT64_MIN};
	uint64_t k = 0;

	for (uint64_t i = 0; i < n; i++) {
		bool silent = true;

		while (k < s->n && s->t_ps[k] <= v[i].told_ps)
			k++;
		for (; k < s->n && s->t_ps[k] < v[i].until_ps; k++) {
			int64_t late_ps = s->t_ps[k] - v[i].told_ps;

			if (late_ps > o.last_ps)
				o.last_ps = late_ps;
			o.broken += late_ps > response_ps;
			silent = false;
		}
		o.silent += silent;
		/* it was waiting if it comes at once; else there was nothing to send */
		if (k < s->n && s->t_ps[k] - v[i].until_ps <= waits_ps) {
			int64_t gap_ps = s->t_ps[k] - v[i].until_ps;

			o.gaps++;
			if (gap_ps < o.earliest_ps)
				o.earliest_ps = gap_ps;
			if (gap_ps > o.latest_ps)
				o.latest_ps = gap_ps;
		}
	}
	return o;
}

/* Starts of the frames that left the switch by a port, in one priority; malloc'd. */
static int departures(
        struct starts *s, const struct qrun *r, uint32_t port, uint8_t priority, struct err *e)
{
	const struct qport *p = &r->cap.port[port];
	int64_t *t = malloc((p->n_in + 1) * sizeof(*t));

	*s = (struct starts){.t_ps = t};
	if (!t)
		return err_set(e, -ENOMEM, "%s: not enough memory", r->c->name);
	for (uint64_t i = 0; i < p->n_in; i++)
		if (p->in[i].priority == priority)
			t[s->n++] = p->in[i].start_ps;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The same of those that a tester port sent. */
static int sendings(
        struct starts *s, const struct qrun *r, uint32_t port, uint8_t priority, struct err *e)
{
	uint64_t room = 1;
	int64_t *t;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].from == port && r->c->stream[i].priority == priority)
			room += (uint64_t)r->c->stream[i].packets;
	t = malloc(room * sizeof(*t));
	*s = (struct starts){.t_ps = t};
	if (!t)
		return err_set(e, -ENOMEM, "%s: not enough memory", r->c->name);
	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		if (r->c->stream[i].from != port || r->c->stream[i].priority != priority)
			continue;
		for (int64_t k = 0; k < r->c->stream[i].packets; k++)
			if (r->cap.packet[i][k].sent_ps >= 0)
				t[s->n++] = r->cap.packet[i][k].sent_ps;
	}
	if (s->n)
		qsort(t, s->n, sizeof(*t), by_value);
	return 0;
}

static int note_silence(struct qrun *r, const struct qcheck *k, const struct obeyed *o,
        uint8_t priority, int64_t response_ps, struct err *e)
{
	char what[TEXT], measured[TEXT], expected[TEXT];

	(void)snprintf(what, sizeof(what), "silence of priority %u at port %" PRId64, priority,
	        k->cfg.port);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " pauses, %" PRIu64 " frames begun too late, the last %.3f us after "
	        "the pause frame",
	        o->pauses, o->broken, (double)o->last_ps / 1e6);
	(void)snprintf(expected, sizeof(expected), "none later than %.3f us (802.3 31B.3.7)",
	        (double)response_ps / 1e6);
	return qualify_note(r, k, o->pauses && !o->broken, what, measured, expected, e);
}

/* What waited goes on at the very end of the pause: behind a frame of another priority. */
static int note_resume(struct qrun *r, const struct qcheck *k, const struct obeyed *o,
        uint8_t priority, int64_t frame, struct err *e)
{
	char what[TEXT], measured[TEXT], expected[TEXT];
	const bool any = o->gaps > 0;

	(void)snprintf(what, sizeof(what), "end of the pause of priority %u at port %" PRId64,
	        priority, k->cfg.port);
	(void)snprintf(measured, sizeof(measured),
	        "first frame %.3f to %.3f us after it, in %" PRIu64 " of %" PRIu64 " pauses",
	        any ? (double)o->earliest_ps / 1e6 : 0, any ? (double)o->latest_ps / 1e6 : 0,
	        o->gaps, o->pauses);
	(void)snprintf(expected, sizeof(expected),
	        "0 to %.3f us: the time asked for, and what may be on the wire or in turn "
	        "first",
	        (double)frame / 1e6);
	return qualify_note(r, k, any && o->earliest_ps >= 0 && o->latest_ps <= frame, what,
	        measured, expected, e);
}

int qualify_rule_paused(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const uint32_t port = (uint32_t)k->cfg.port;
	const int64_t response_ps = qualify_response_ps(r->c->rate_bps[port]);
	int rc = 0;

	EACH_PRIORITY(p, k->cfg.priorities)
	{
		const int64_t frame = 2 * frame_ps(r, port) + round_ps(r, port, p);
		struct qinterval *v = NULL;
		struct starts s = {0};
		uint64_t n = 0;

		rc = qualify_intervals(&v, &n, r, port, p, false, e);
		if (!rc)
			rc = departures(&s, r, port, p, e);
		if (!rc) {
			/* what comes later than two responses was not waiting for the end */
			struct obeyed o = compare(v, n, &s, response_ps, frame + response_ps);

			rc = note_silence(r, k, &o, p, response_ps, e);
			if (!rc)
				rc = note_resume(r, k, &o, p, frame, e);
		}
		free(v);
		free((void *)(uintptr_t)s.t_ps);
		if (rc)
			return rc;
	}
	return rc;
}

/* Not the switch, the tester is judged: without its silence the case proves nothing. */
int qualify_rule_sender_paused(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const uint32_t port = (uint32_t)k->cfg.port;
	const int64_t response_ps = r->c->cfg.response_ps >= 0
	                                    ? r->c->cfg.response_ps
	                                    : qualify_response_ps(r->c->rate_bps[port]);
	char what[TEXT], measured[TEXT], expected[TEXT];
	int rc = 0;

	EACH_PRIORITY(p, k->cfg.priorities)
	{
		struct qinterval *v = NULL;
		struct starts s = {0};
		uint64_t n = 0;

		rc = qualify_intervals(&v, &n, r, port, p, true, e);
		if (!rc)
			rc = sendings(&s, r, port, p, e);
		if (!rc) {
			struct obeyed o = compare(v, n, &s, response_ps, 0);
			int64_t paused_ps = 0;

			for (uint64_t i = 0; i < n; i++)
				paused_ps += v[i].until_ps - v[i].told_ps;
			(void)snprintf(
			        what, sizeof(what), "sender at port %u, priority %u", port, p);
			(void)snprintf(measured, sizeof(measured),
			        "%" PRIu64 " pauses of %.1f us in all, %" PRIu64
			        " frames sent in them too late, the last %.3f us after its "
			        "pause "
			        "frame",
			        n, (double)paused_ps / 1e6, o.broken, (double)o.last_ps / 1e6);
			(void)snprintf(expected, sizeof(expected),
			        "silent %.3f us after each pause frame",
			        (double)response_ps / 1e6);
			/* a switch that asks for no pause is not the tester's fault */
			rc = n ? qualify_note_stimulus(
			                 r, k, !o.broken, what, measured, expected, e)
			       : qualify_note(r, k, false, what, measured, expected, e);
		}
		free(v);
		free((void *)(uintptr_t)s.t_ps);
		if (rc)
			return rc;
	}
	return rc;
}

/* What the switch sent by a port. */
struct sent {
	uint64_t frames, xoffs, xons; /* naming a priority of the check */
	uint64_t foreign;             /* naming another one */
	uint64_t illegal;
};

static struct sent look_at_sent(const struct qrun *r, const struct qcheck *k)
{
	const struct qport *p = &r->cap.port[k->cfg.port];
	const int64_t after_ps = qualify_after_ps(r, k), before_ps = qualify_before_ps(r, k);
	const uint8_t mask = (uint8_t)k->cfg.priorities;
	struct sent s = {0};

	for (uint64_t i = 0; i < p->n_pause; i++) {
		const struct qpause *f = &p->pause[i];

		if (!f->from_switch || f->start_ps < after_ps || f->start_ps >= before_ps)
			continue;
		s.frames++;
		s.xoffs += (f->xoff & mask) != 0;
		s.xons += (f->vector & ~f->xoff & mask) != 0;
		s.foreign += (f->vector & ~mask) != 0;
		/* a frame that enables nothing, or has a time where nothing is enabled */
		s.illegal += !f->vector || (f->xoff & ~f->vector) || f->form != PFC_VALID ||
		             (f->xoff && !f->quanta);
	}
	return s;
}

/* A switch that pauses renews the pause or ends it by a frame: a pause that runs out releases
 * the sender while its buffer is still full, or keeps it waiting for nothing. */
static int note_ends(struct qrun *r, const struct qcheck *k, struct err *e)
{
	uint64_t run_out = 0, ended = 0;
	char what[TEXT], measured[TEXT];
	int rc = 0;

	EACH_PRIORITY(p, k->cfg.priorities)
	{
		struct qinterval *v;
		uint64_t n;

		rc = qualify_intervals(&v, &n, r, (uint32_t)k->cfg.port, p, true, e);
		if (rc)
			return rc;
		for (uint64_t i = 0; i < n; i++) {
			ended += v[i].resumed;
			run_out += !v[i].resumed && v[i].until_ps < r->c->cfg.for_ps;
		}
		free(v);
	}
	(void)snprintf(what, sizeof(what), "pauses that port %" PRId64 " sends", k->cfg.port);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " ended by a frame, %" PRIu64 " ran out", ended, run_out);
	return qualify_note(r, k, run_out == 0, what, measured, "none runs out", e);
}

int qualify_rule_pfc_sent(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const struct sent s = look_at_sent(r, k);
	char what[TEXT], measured[TEXT], expected[TEXT], list[24] = "";
	int rc;

	EACH_PRIORITY(p, k->cfg.priorities)
	(void)snprintf(
	        list + strlen(list), sizeof(list) - strlen(list), "%s%u", *list ? "," : "", p);
	(void)snprintf(what, sizeof(what), "pause frames that port %" PRId64 " sends%s%s",
	        k->cfg.port, *list ? " for priority " : "", list);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRIu64 " frames: %" PRIu64 " stop, %" PRIu64 " resume, %" PRIu64
	        " for other priorities, %" PRIu64 " not legal",
	        s.frames, s.xoffs, s.xons, s.foreign, s.illegal);
	if (!k->cfg.priorities)
		return qualify_note(r, k, s.frames == 0, what, measured, "none", e);
	(void)snprintf(expected, sizeof(expected),
	        "at least %" PRId64 " that stop, none for others, all legal",
	        k->cfg.min_packets);
	rc = qualify_note(r, k,
	        (int64_t)s.xoffs >= k->cfg.min_packets &&
	                (int64_t)s.xoffs <= k->cfg.max_packets && !s.foreign && !s.illegal,
	        what, measured, expected, e);
	return rc ? rc : note_ends(r, k, e);
}

/* Valid pause frames are counted for each priority that they name, others for none. */
int qualify_rule_pfc_counted(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const uint32_t port = (uint32_t)k->cfg.port;
	const struct qport *p = &r->cap.port[port];
	char what[TEXT], measured[TEXT], expected[TEXT];
	int rc = 0;

	for (uint8_t pr = 0; pr < 8 && !rc; pr++) {
		int64_t counted = qualify_pfc_counter(r, port, pr);
		int64_t sent = 0;

		for (uint64_t i = 0; i < p->n_pause; i++) {
			const struct qpause *f = &p->pause[i];

			sent += !f->from_switch && (f->vector & (1u << pr)) &&
			        f->end_ps < r->c->cfg.for_ps &&
			        (f->form == PFC_VALID || f->form == PFC_ZERO_SOURCE);
		}
		if (!(k->cfg.priorities >> pr & 1) && !sent && !counted)
			continue;
		(void)snprintf(what, sizeof(what),
		        "pause frames received by port %u, priority %u", port, pr);
		(void)snprintf(measured, sizeof(measured), "%" PRId64 " counted", counted);
		(void)snprintf(
		        expected, sizeof(expected), "%" PRId64 ", the valid ones sent", sent);
		rc = qualify_note(r, k, counted == sent, what, measured, expected, e);
	}
	return rc;
}

/* Bytes of one priority that come to the switch's port after it began to send its first XOFF,
 * until the sender is silent. */
static int64_t in_flight_bytes(
        const struct qrun *r, uint32_t port, uint8_t priority, const struct qinterval *v)
{
	const int64_t rate_bps = r->c->rate_bps[port];
	int64_t bytes = 0,
	        xoff_ps = v->told_ps - qualify_delay_ps(r) - 84 * 8 * PS_PER_S / rate_bps;

	for (uint32_t i = 0; i < r->c->n_streams; i++) {
		const struct qstream *s = &r->c->stream[i];

		if (s->from != port || s->priority != priority)
			continue;
		for (int64_t k = 0; k < s->packets; k++) {
			int64_t sent_ps = r->cap.packet[i][k].sent_ps;
			int64_t in_ps = sent_ps + s->wire_bytes * 8 * PS_PER_S / rate_bps +
			                qualify_delay_ps(r);

			if (sent_ps >= 0 && in_ps > xoff_ps && sent_ps < v->until_ps)
				bytes += s->frame_bytes;
		}
	}
	return bytes;
}

/* Frames as the case sends them: cells that are filled by halves are no matter here. */
static struct frame_cfg frames_of_case(const struct qrun *r)
{
	struct frame_cfg f = r->scenario->frame;
	int64_t smallest = INT64_MAX;

	for (uint32_t i = 0; i < r->c->n_streams; i++)
		if (r->c->stream[i].frame_bytes < smallest)
			smallest = r->c->stream[i].frame_bytes;
	f.min_bytes = f.ack_bytes = f.cnp_bytes = smallest - f.fcs_bytes;
	f.pad = 0; /* a case has frames of any size */
	return f;
}

/*
 * After XOFF the sender's frames go on for the cables there and back, the pause frame itself,
 * the sender's response and a frame at either end (IEEE 802.1Q annex N); headroom.h has the
 * bound. At line rate at least the cables and the response are filled.
 */
int qualify_rule_headroom(struct qrun *r, const struct qcheck *k, struct err *e)
{
	const uint32_t port = (uint32_t)k->cfg.port;
	const struct switch_cfg *sw = qualify_profile(r, port);
	const int64_t rate_bps = r->c->rate_bps[port], room = sw->pfc_headroom_bytes;
	const int64_t response_ps = r->c->cfg.response_ps >= 0 ? r->c->cfg.response_ps
	                                                       : qualify_response_ps(rate_bps);
	const struct frame_cfg frame = frames_of_case(r);
	const int64_t most = headroom_bound_bytes(&(struct headroom_in){.rate_bps = rate_bps,
	        .delay_ps = qualify_delay_ps(r),
	        .latency_ps = sw->latency_ps,
	        .response_ps = response_ps,
	        .cell_bytes = sw->cell_bytes,
	        .frame = &frame});
	const int64_t least = (int64_t)((__int128)(2 * qualify_delay_ps(r) + response_ps) *
	                                rate_bps / 8 / PS_PER_S * 9 / 10);
	char what[TEXT], measured[TEXT], expected[TEXT];
	const uint8_t pr = (uint8_t)__builtin_ctzll((uint64_t)k->cfg.priorities | 128);
	const int64_t drops = r->rec->n.drops_lossless;
	struct qinterval *v;
	int64_t in_flight = 0;
	uint64_t n;
	int rc;

	if (room < 0 || (most > room && least <= room))
		return yaml_err(e, &k->at->at,
		        "headroom: %" PRId64 " B decides nothing: between %" PRId64
		        " and %" PRId64 " B are under way; set fabric.switch.pfc.headroom",
		        room, least, most);
	rc = qualify_intervals(&v, &n, r, port, pr, true, e);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < n; i++) {
		int64_t bytes = in_flight_bytes(r, port, pr, &v[i]);

		if (bytes > in_flight)
			in_flight = bytes;
	}
	free(v);
	(void)snprintf(what, sizeof(what),
	        "headroom of port %u, %" PRId64 " B, sender stops %.3f us after XOFF", port,
	        room, (double)response_ps / 1e6);
	(void)snprintf(measured, sizeof(measured),
	        "%" PRId64 " B after XOFF, %" PRId64 " packets dropped", in_flight, drops);
	if (most <= room) {
		(void)snprintf(
		        expected, sizeof(expected), "at most %" PRId64 " B, no drop", most);
		return qualify_note(r, k, n && in_flight <= most && drops == 0, what, measured,
		        expected, e);
	}
	(void)snprintf(expected, sizeof(expected), "more than %" PRId64 " B, drops", room);
	return qualify_note(
	        r, k, n && in_flight > room && drops > 0, what, measured, expected, e);
}
