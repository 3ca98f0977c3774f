/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A circle of pauses that are all open when the capture ends: each paused port waits for the
 * next device to take something, and that for its own port where the same flows go on. A port
 * depends on the next where some flow passes both, one behind the other; so traffic up and down
 * the same links makes no circle (Hu et al., HotNets 2016).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/human.h"
#include "analysis/trace/diagnose_int.h"
#include "dataplane/base/units.h"

struct circle {
	const struct diagnose *d;
	int64_t *open_ns; /* [interface]: it has been paused since; TRACE_UNKNOWN: is not */
	uint8_t *state;   /* 0 new, 1 on the way, 2 done */
	uint32_t *way, n; /* the walk */
};

static void open_pauses(struct circle *c)
{
	const struct trace_result *r = c->d->r;

	for (uint32_t i = 0; i < r->n_interfaces; i++)
		c->open_ns[i] = TRACE_UNKNOWN;
	for (uint32_t i = 0; i < r->n_pauses; i++) {
		const struct trace_pause *p = &r->pause[i];

		if (!p->open)
			continue;
		/* Of whom it came from is told by the pausers of the interface. */
		for (uint32_t k = 0; k < r->n_pausers; k++) {
			const struct seen_pauser *q = &c->d->s.pauser[k];

			if (r->pauser[k].interface == p->interface &&
			        !memcmp(r->pauser[k].mac, p->mac, 6) && q->paused != TRACE_NONE)
				c->open_ns[q->paused] = p->begin_ns;
		}
	}
}

static bool walk(struct circle *c, uint32_t at);

/* The ports by which flows that leave by `at` leave the next device. */
static bool onward(struct circle *c, uint32_t at)
{
	const struct trace_result *r = c->d->r;

	for (uint32_t i = 0; i < r->n_views; i++) {
		const struct trace_view *v = &r->view[i], *in, *out;

		if (v->interface != at || v->direction != DIRECTION_OUT ||
		        !v->counts.data_packets || v->next == TRACE_NONE)
			continue;
		in = &r->view[v->next];
		if (in->direction != DIRECTION_IN || in->next == TRACE_NONE)
			continue;
		out = &r->view[in->next];
		if (out->direction == DIRECTION_OUT &&
		        c->open_ns[out->interface] != TRACE_UNKNOWN && walk(c, out->interface))
			return true;
	}
	return false;
}

static bool walk(struct circle *c, uint32_t at)
{
	if (c->state[at] == 1) {
		uint32_t from = 0;

		while (c->way[from] != at)
			from++;
		memmove(c->way, c->way + from, (c->n - from) * sizeof(*c->way));
		c->n -= from;
		return true;
	}
	if (c->state[at] == 2)
		return false;
	c->state[at] = 1;
	c->way[c->n++] = at;
	if (onward(c, at))
		return true;
	c->n--;
	c->state[at] = 2;
	return false;
}

static void say(struct diagnose *d, const struct circle *c)
{
	char name[NAME_LEN], t[HUMAN_LEN];
	int64_t since_ns = c->open_ns[c->way[0]];
	struct finding *f;

	for (uint32_t i = 1; i < c->n; i++)
		if (c->open_ns[c->way[i]] > since_ns)
			since_ns = c->open_ns[c->way[i]];
	f = finding_add(d, FINDING_DEADLOCK,
	        "%u ports wait for each other in a circle, %s into the capture and to its end:",
	        c->n, human_time(t, ps_from_ns(since_ns - d->r->first_ns)));
	for (uint32_t i = 0; i < c->n; i++) {
		finding_more(f, "%s %s", i ? "," : "", name_interface(name, d->r, c->way[i]));
		finding_interface(f, c->way[i]);
	}
	finding_figure(f, "ports", c->n);
	finding_figure(f, "since_ns", since_ns);
	finding_packets(f, d->r, TRACE_EV_XOFF);
}

void findings_deadlock(struct diagnose *d)
{
	const uint32_t n = d->r->n_interfaces;
	struct circle c = {.d = d,
	        .open_ns = calloc(n + 1, sizeof(*c.open_ns)),
	        .state = calloc(n + 1, sizeof(*c.state)),
	        .way = calloc(n + 1, sizeof(*c.way))};

	if (!c.open_ns || !c.state || !c.way) {
		d->failed = true;
	} else {
		open_pauses(&c);
		for (uint32_t i = 0; i < n; i++) {
			c.n = 0;
			if (c.open_ns[i] != TRACE_UNKNOWN && walk(&c, i)) {
				say(d, &c);
				break;
			}
		}
	}
	free(c.open_ns);
	free(c.state);
	free(c.way);
}
