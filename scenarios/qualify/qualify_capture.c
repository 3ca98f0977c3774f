/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_STREAM 0xff

int qualify_capture_init(struct qcapture *cap, const struct qcase *c, struct err *e)
{
	*cap = (struct qcapture){.c = c, .switch_node = (uint32_t)c->cfg.ports};
	for (uint32_t i = 0; i < c->n_streams; i++) {
		size_t n = (size_t)c->stream[i].packets;

		cap->packet[i] = malloc(n * sizeof(*cap->packet[i]));
		if (!cap->packet[i]) {
			qualify_capture_fini(cap);
			return err_set(e, -ENOMEM, "%s: no memory for %zu packets", c->name, n);
		}
		for (size_t k = 0; k < n; k++)
			cap->packet[i][k] = (struct qpacket){.sent_ps = -1, .received_ps = -1};
	}
	return 0;
}

void qualify_capture_fini(struct qcapture *cap)
{
	for (uint32_t i = 0; i < QUALIFY_MAX_STREAMS; i++)
		free(cap->packet[i]);
	for (uint32_t i = 0; i < QUALIFY_MAX_PORTS; i++) {
		free(cap->port[i].in);
		free(cap->port[i].pause);
	}
	free(cap->stream_of);
	memset(cap, 0, sizeof(*cap));
}

/* One more element; NULL when memory is short, which the capture remembers. */
static void *one_more(
        struct qcapture *cap, void *array, uint64_t *n, uint64_t *room, size_t size)
{
	void **a = array;

	if (*n == *room) {
		uint64_t more = *room ? *room * 2 : 256;
		void *p = reallocarray(*a, more, size);

		if (!p) {
			cap->out_of_memory = true;
			return NULL;
		}
		*a = p;
		*room = more;
	}
	return (char *)*a + (*n)++ * size;
}

static void take_pause(struct qcapture *cap, uint32_t port, const struct desc *d,
        int64_t start_ps, bool from_switch)
{
	struct qport *p = &cap->port[port];
	struct qpause *q =
	        one_more(cap, &p->pause, &p->n_pause, &p->cap_pause, sizeof(*p->pause));

	if (q)
		*q = (struct qpause){.start_ps = start_ps,
		        .end_ps = d->t_ps,
		        .vector = (uint8_t)d->psn,
		        .xoff = (uint8_t)d->sent_unit,
		        .quanta = (uint16_t)d->conn,
		        .form = (uint8_t)d->entropy,
		        .from_switch = from_switch};
}

static uint8_t find_stream(const struct qcase *c, uint32_t from, uint32_t to, uint8_t priority)
{
	for (uint32_t i = 0; i < c->n_streams; i++)
		if (c->stream[i].from == from && c->stream[i].to == to &&
		        c->stream[i].priority == priority)
			return (uint8_t)i;
	return NO_STREAM;
}

/* Connections are numbered from 0; the first frame of one tells whose it is. */
static uint8_t learn(struct qcapture *cap, uint32_t from, const struct desc *d)
{
	if (d->conn >= cap->n_conns) {
		uint32_t n = d->conn + 64;
		uint8_t *more = realloc(cap->stream_of, n);

		if (!more) {
			cap->out_of_memory = true;
			return NO_STREAM;
		}
		memset(more + cap->n_conns, NO_STREAM, n - cap->n_conns);
		cap->stream_of = more;
		cap->n_conns = n;
	}
	if (cap->stream_of[d->conn] == NO_STREAM)
		cap->stream_of[d->conn] = find_stream(cap->c, from, d->dst, d->priority);
	return cap->stream_of[d->conn];
}

static void take_sent(
        struct qcapture *cap, uint32_t from, const struct desc *d, int64_t start_ps)
{
	uint8_t i = learn(cap, from, d);

	if (i != NO_STREAM && d->psn < cap->c->stream[i].packets &&
	        cap->packet[i][d->psn].sent_ps < 0)
		cap->packet[i][d->psn].sent_ps = start_ps;
}

static void take_arrival(
        struct qcapture *cap, uint32_t to, const struct desc *d, int64_t start_ps)
{
	uint8_t i = d->conn < cap->n_conns ? cap->stream_of[d->conn] : NO_STREAM;
	struct qport *p = &cap->port[to];
	struct qpacket *k;
	struct qarrival *a;

	if (i == NO_STREAM || d->psn >= cap->c->stream[i].packets)
		return;
	k = &cap->packet[i][d->psn];
	if (k->received_ps >= 0)
		return;
	k->received_ps = d->t_ps;
	k->marked = (d->flags & DESC_CE) != 0;
	a = one_more(cap, &p->in, &p->n_in, &p->cap_in, sizeof(*p->in));
	if (a)
		*a = (struct qarrival){.start_ps = start_ps,
		        .end_ps = d->t_ps,
		        .number = d->psn,
		        .stream = i,
		        .priority = d->priority,
		        .marked = k->marked};
}

void qualify_capture_tap(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	struct qcapture *cap = arg;
	bool from_switch = to != cap->switch_node;
	uint32_t port = from_switch ? to : d->in_port;

	if (d->kind == DESC_PFC)
		take_pause(cap, port, d, start_ps, from_switch);
	else if (d->kind == DESC_DATA && from_switch)
		take_arrival(cap, port, d, start_ps);
	else if (d->kind == DESC_DATA)
		take_sent(cap, port, d, start_ps);
}
