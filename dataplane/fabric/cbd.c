/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/cbd.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES  ((size_t)256 << 20)
#define MAX_STEPS  200000000u /* of the search for a shortest circle */
#define NOT_WITHIN UINT32_MAX

/*
 * A channel is a link into a switch, named by the port that it enters. Bit `out` of
 * dep[first_word[in]] says that what comes in there may have to leave through port out.
 */
struct finder {
	const struct topo *t;
	const struct routes *r;
	uint64_t *dep; /* NULL: it would be too large */
	size_t dep_bytes;
	size_t *row;      /* [n_ports] where a port's bits begin */
	uint64_t *in;     /* of one destination: ports by which packets may come */
	size_t *in_row;   /* [switches] where a switch's bits begin */
	uint8_t *visited; /* [switches] */
	uint32_t *queue;  /* [n_ports] */
	uint32_t *degree; /* [n_ports]: circles so far open; NOT_WITHIN: on none */
	uint32_t *from;   /* [n_ports] */
	uint64_t steps;
};

static size_t words_of(const struct topo_node *n)
{
	return (n->n_ports + 63u) / 64;
}

static bool open_finder(struct finder *f)
{
	const struct topo *t = f->t;
	const uint32_t n_switches = t->n_nodes - t->n_hosts;
	size_t dep = 0, in = 0;

	f->row = calloc(t->n_ports, sizeof(*f->row));
	f->in_row = calloc(n_switches, sizeof(*f->in_row));
	f->visited = calloc(n_switches, 1);
	f->queue = calloc((size_t)t->n_ports + n_switches, sizeof(*f->queue));
	f->degree = calloc(t->n_ports, sizeof(*f->degree));
	f->from = calloc(t->n_ports, sizeof(*f->from));
	if (!f->row || !f->in_row || !f->visited || !f->queue || !f->degree || !f->from)
		return false;
	for (uint32_t sw = 0; sw < n_switches; sw++) {
		const struct topo_node *n = &t->node[t->n_hosts + sw];

		f->in_row[sw] = in;
		in += words_of(n);
		for (uint32_t p = 0; p < n->n_ports; p++) {
			f->row[n->first_port + p] = dep;
			dep += words_of(n);
		}
	}
	f->dep_bytes = dep * sizeof(*f->dep);
	if (f->dep_bytes > MAX_BYTES)
		return true;
	f->dep = calloc(dep + 1, sizeof(*f->dep));
	f->in = calloc(in + 1, sizeof(*f->in));
	return f->dep && f->in;
}

static void close_finder(struct finder *f)
{
	free(f->dep);
	free(f->row);
	free(f->in);
	free(f->in_row);
	free(f->visited);
	free(f->queue);
	free(f->degree);
	free(f->from);
}

/* Ways of packets to one host, from every switch that has hosts. */
static void walk(struct finder *f, uint16_t dst)
{
	const struct topo *t = f->t;
	const uint32_t n_switches = t->n_nodes - t->n_hosts;
	uint32_t head = 0, tail = 0;

	memset(f->visited, 0, n_switches);
	for (uint32_t h = 0; h < t->n_hosts; h++) {
		uint32_t sw = t->port[t->node[h].first_port].peer_node - t->n_hosts;

		if (!f->visited[sw]) {
			f->visited[sw] = 1;
			f->queue[tail++] = sw;
			memset(&f->in[f->in_row[sw]], 0,
			        words_of(&t->node[t->n_hosts + sw]) * sizeof(*f->in));
		}
	}
	while (head < tail) {
		const uint32_t node = t->n_hosts + f->queue[head++];
		const uint16_t *port = NULL;
		uint16_t one;
		uint32_t n = routes_ports(f->r, node, dst, &port, &one);

		for (uint32_t i = 0; i < n; i++) {
			const struct topo_port *p =
			        &t->port[t->node[node].first_port + port[i]];
			uint32_t sw = p->peer_node - t->n_hosts;

			if (p->peer_node < t->n_hosts)
				continue;
			if (!f->visited[sw]) {
				f->visited[sw] = 1;
				f->queue[tail++] = sw;
				memset(&f->in[f->in_row[sw]], 0,
				        words_of(&t->node[p->peer_node]) * sizeof(*f->in));
			}
			f->in[f->in_row[sw] + p->peer_port / 64] |= UINT64_C(1)
			                                            << p->peer_port % 64;
		}
	}
	for (uint32_t i = 0; i < tail; i++) {
		const struct topo_node *n = &t->node[t->n_hosts + f->queue[i]];
		const uint64_t *in = &f->in[f->in_row[f->queue[i]]];
		const uint16_t *port = NULL;
		uint16_t one;
		uint32_t n_out = routes_ports(f->r, t->n_hosts + f->queue[i], dst, &port, &one);

		for (uint32_t p = 0; p < n->n_ports; p++)
			for (uint32_t k = 0; (in[p / 64] >> p % 64 & 1) && k < n_out; k++)
				f->dep[f->row[n->first_port + p] + port[k] / 64] |=
				        UINT64_C(1) << port[k] % 64;
	}
}

static bool lossless(const struct topo *t, uint32_t port, int priority)
{
	return t->profile[t->port[port].profile].pfc_priorities >> priority & 1;
}

/* The next channel that one waits for, from *out on; UINT32_MAX after the last. */
static uint32_t next_of(const struct finder *f, uint32_t channel, uint32_t *out, int priority)
{
	const struct topo *t = f->t;
	const struct topo_port *back = &t->port[channel];
	const struct topo_node *peer = &t->node[back->peer_node];
	const struct topo_node *n =
	        &t->node[t->port[peer->first_port + back->peer_port].peer_node];

	for (; *out < n->n_ports; ++*out) {
		const struct topo_port *p = &t->port[n->first_port + *out];
		uint32_t into;

		if (!(f->dep[f->row[channel] + *out / 64] >> *out % 64 & 1) ||
		        p->peer_node < t->n_hosts)
			continue;
		into = t->node[p->peer_node].first_port + p->peer_port;
		++*out;
		if (lossless(t, into, priority))
			return into;
		--*out;
	}
	return UINT32_MAX;
}

/* Takes away what lies on no circle (Kahn); returns how many channels are left. */
static uint32_t peel(struct finder *f, int priority)
{
	const struct topo *t = f->t;
	const uint32_t first = t->node[t->n_hosts].first_port;
	uint32_t head = 0, tail = 0, left = t->n_ports - first;

	memset(f->degree, 0, t->n_ports * sizeof(*f->degree));
	for (uint32_t c = first; c < t->n_ports; c++)
		for (uint32_t out = 0, to; (to = next_of(f, c, &out, priority)) != UINT32_MAX;)
			f->degree[to]++;
	for (uint32_t c = first; c < t->n_ports; c++)
		if (!f->degree[c])
			f->queue[tail++] = c;
	while (head < tail) {
		uint32_t c = f->queue[head++];

		f->degree[c] = NOT_WITHIN;
		left--;
		for (uint32_t out = 0, to; (to = next_of(f, c, &out, priority)) != UINT32_MAX;)
			if (!--f->degree[to])
				f->queue[tail++] = to;
	}
	return left;
}

/* Breadth first from one channel back to it; fills out if that is shorter than what is there.
 */
static void circle_of(struct finder *f, uint32_t start, int priority, struct cbd *best)
{
	const struct topo *t = f->t;
	uint32_t head = 0, tail = 0, n = 0, at;
	bool closed = false;

	memset(f->from, 0xff, t->n_ports * sizeof(*f->from));
	f->queue[tail++] = start;
	while (head < tail && !closed) {
		uint32_t c = f->queue[head++];

		for (uint32_t out = 0, to;
		        (to = next_of(f, c, &out, priority)) != UINT32_MAX;) {
			f->steps++;
			if (f->degree[to] == NOT_WITHIN || f->from[to] != UINT32_MAX)
				continue;
			f->from[to] = c;
			closed |= to == start;
			f->queue[tail++] = to;
		}
	}
	if (!closed)
		return;
	for (at = f->from[start], n = 1; at != start; at = f->from[at])
		n++;
	if (best->n_hops && n >= best->n_hops)
		return;
	best->n_hops = n;
	best->priority = (uint8_t)priority;
	for (at = start; n--; at = f->from[at]) {
		const struct topo_port *p = &t->port[at];

		/* the port at the other end is the egress that feeds this channel */
		if (n < CBD_MAX_HOPS)
			best->hop[n] = (struct route_hop){p->peer_node, p->peer_port};
	}
}

static void find(struct finder *f, struct cbd *out)
{
	const struct topo *t = f->t;
	const uint32_t first = t->node[t->n_hosts].first_port;

	for (uint32_t edge = 0, h = 0; h < t->n_hosts; h++)
		if (f->r->host[h].edge == edge) { /* edges are numbered by their first host */
			walk(f, (uint16_t)h);
			edge++;
		}
	for (int pr = 0; pr < 8 && !out->n_hops; pr++) {
		if (!peel(f, pr))
			continue;
		for (uint32_t c = first; c < t->n_ports && f->steps < MAX_STEPS; c++)
			if (f->degree[c] != NOT_WITHIN)
				circle_of(f, c, pr, out);
	}
}

int cbd_find(struct cbd *out, const struct topo *t, const struct routes *r, struct err *e)
{
	struct finder f = {.t = t, .r = r};
	bool ok = open_finder(&f);

	*out = (struct cbd){.skipped_bytes = ok && !f.dep ? f.dep_bytes : 0};
	if (ok && f.dep)
		find(&f, out);
	close_finder(&f);
	return ok ? 0
	          : err_set(e, -ENOMEM, "no memory for the dependencies of %u ports",
	                    t->n_ports);
}

const char *cbd_text(const struct cbd *c, const struct topo *t, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i <= c->n_hops; i++) {
		const struct route_hop *h = &c->hop[i == c->n_hops ? 0 : i];
		const struct topo_node *n = &t->node[h->node];
		char one[48];
		int k;

		if (i < c->n_hops && i >= CBD_MAX_HOPS)
			continue;
		k = snprintf(one, sizeof(one), "%s%s-%s", i ? " -> " : "", n->name,
		        t->node[t->port[n->first_port + h->port].peer_node].name);
		if (k < 0 || used + (size_t)k + sizeof(" ...") > len) {
			(void)snprintf(buf + used, len - used, " ...");
			break;
		}
		memcpy(buf + used, one, (size_t)k + 1);
		used += (size_t)k;
	}
	return buf;
}
