/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/human.h"
#include "analysis/net_view.h"
#include "analysis/put.h"
#include "analysis/topo_svg.h"

#define MAX_TIERS  256
#define MAX_SHAPES 64 /* different kinds of switches that are listed */
#define MAX_KINDS  8  /* different cables of one switch that are told apart */

/* Cables of one switch that are alike. */
struct kind {
	uint32_t tier; /* of the other end */
	uint32_t cables;
	int64_t rate_bps, delay_ps;
};

/* What makes switches alike: their tier and cables. */
struct shape {
	uint32_t tier, nodes, n_kinds;
	struct kind kind[MAX_KINDS];
	const char *first;
};

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->tier == b->tier && a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps;
}

static struct shape shape_of(const struct net_view *v, uint32_t node)
{
	struct shape s = {.tier = v->node[node].tier, .nodes = 1, .first = v->node[node].name};

	for (uint32_t p = 0; p < v->node[node].n_ports; p++) {
		const struct net_port *port = net_port(v, node, p);
		const struct kind k = {
		        v->node[port->peer_node].tier, 1, port->rate_bps, port->delay_ps};
		uint32_t i = 0;

		while (i < s.n_kinds && !same_kind(&s.kind[i], &k))
			i++;
		if (i < s.n_kinds)
			s.kind[i].cables++;
		else if (i < MAX_KINDS)
			s.kind[s.n_kinds++] = k;
	}
	return s;
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
	if (a->tier != b->tier || a->n_kinds != b->n_kinds)
		return false;
	for (uint32_t i = 0; i < a->n_kinds; i++)
		if (!same_kind(&a->kind[i], &b->kind[i]) ||
		        a->kind[i].cables != b->kind[i].cables)
			return false;
	return true;
}

static const char *word(uint32_t tier, bool one)
{
	static const char *const name[][2] = {
	        {"hosts", "host"}, {"leaves", "leaf"}, {"spines", "spine"}, {"cores", "core"}};

	return tier < 4 ? name[tier][one] : one ? "switch" : "switches";
}

static int64_t capacity(const struct shape *s, int way)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->n_kinds; i++)
		if (way < 0 ? s->kind[i].tier < s->tier : s->kind[i].tier > s->tier)
			sum += s->kind[i].rate_bps * s->kind[i].cables;
	return sum;
}

static void write_shape(FILE *f, const struct shape *s)
{
	const int64_t down = capacity(s, -1), up = capacity(s, 1);
	char a[HUMAN_LEN], b[HUMAN_LEN];

	put(f, "  %u %s", s->nodes, word(s->tier, s->nodes == 1));
	if (s->nodes == 1)
		put(f, " (%s)", s->first);
	else
		put(f, " like %s", s->first);
	put_char('\n', f);
	for (uint32_t i = 0; i < s->n_kinds; i++) {
		const struct kind *k = &s->kind[i];

		put(f, "      %s  %4u x %s, %s, to %s\n",
		        k->tier < s->tier   ? "down  "
		        : k->tier > s->tier ? "up    "
		                            : "across",
		        k->cables, human_rate(a, k->rate_bps), human_time(b, k->delay_ps),
		        word(k->tier, k->cables == 1));
	}
	if (down && up)
		put(f, "      oversubscription %.3g to 1 (%s down, %s up)\n",
		        (double)down / (double)up, human_rate(a, down), human_rate(b, up));
}

static void write_shapes(FILE *f, const struct net_view *v)
{
	static const uint32_t top_tier = MAX_TIERS - 1;
	struct shape shape[MAX_SHAPES];
	uint32_t n = 0, more = 0;

	for (uint32_t i = 0; i < v->n_nodes; i++) {
		const struct shape s = shape_of(v, i);
		uint32_t k = 0;

		while (k < n && !same_shape(&shape[k], &s))
			k++;
		if (k < n)
			shape[k].nodes++;
		else if (n < MAX_SHAPES)
			shape[n++] = s;
		else
			more++;
	}
	for (uint32_t t = top_tier + 1; t-- > 0;)
		for (uint32_t i = 0; i < n; i++)
			if (shape[i].tier == t)
				write_shape(f, &shape[i]);
	if (more)
		put(f, "  and %u nodes of other kinds\n", more);
}

struct walk {
	uint32_t *hops, *queue;
	uint64_t *paths; /* shortest ones from the first host, at most UINT32_MAX */
};

static void walk_all(struct walk *w, const struct net_view *v)
{
	uint32_t head = 0, tail = 0;

	memset(w->hops, 0xff, v->n_nodes * sizeof(*w->hops));
	w->hops[0] = 0;
	w->paths[0] = 1;
	w->queue[tail++] = 0;
	while (head < tail) {
		const uint32_t at = w->queue[head++];

		if (at < v->n_hosts && at != 0)
			continue; /* hosts do not forward */
		for (uint32_t p = 0; p < v->node[at].n_ports; p++) {
			const uint32_t peer = net_port(v, at, p)->peer_node;

			if (w->hops[peer] == UINT32_MAX) {
				w->hops[peer] = w->hops[at] + 1;
				w->queue[tail++] = peer;
			}
			if (w->hops[peer] == w->hops[at] + 1) {
				w->paths[peer] += w->paths[at];
				if (w->paths[peer] > UINT32_MAX)
					w->paths[peer] = UINT32_MAX;
			}
		}
	}
}

static void write_paths(FILE *f, const struct net_view *v, const struct walk *w)
{
	bool *told = (bool *)w->queue; /* done with; by host */

	put(f, "\npaths from %s\n", v->node[0].name);
	memset(told, 0, v->n_hosts * sizeof(*told));
	for (uint32_t h = 1; h < v->n_hosts; h++) {
		uint32_t n = 0;

		if (told[h] || w->hops[h] == UINT32_MAX)
			continue;
		for (uint32_t k = h; k < v->n_hosts; k++) {
			if (w->hops[k] != w->hops[h] || w->paths[k] != w->paths[h])
				continue;
			told[k] = true;
			n++;
		}
		put(f, "  %5u %s, %u links away, by %llu equal path%s\n", n, word(0, n == 1),
		        w->hops[h], (unsigned long long)w->paths[h],
		        w->paths[h] == 1 ? "" : "s");
	}
}

int topo_text_write(FILE *f, const struct net_view *v, const char *title, struct err *e)
{
	struct walk w = {
	        .hops = calloc(v->n_nodes + 1, sizeof(*w.hops)),
	        .queue = calloc(v->n_nodes + 1, sizeof(*w.queue)),
	        .paths = calloc(v->n_nodes + 1, sizeof(*w.paths)),
	};
	const bool ok = w.hops && w.queue && w.paths;

	if (ok) {
		put(f, "%s: %u hosts, %u switches, %u cables\n\n", title, v->n_hosts,
		        v->n_nodes - v->n_hosts, v->n_ports / 2);
		write_shapes(f, v);
		walk_all(&w, v);
		write_paths(f, v, &w);
	}
	free(w.hops);
	free(w.queue);
	free(w.paths);
	return ok ? 0 : err_set(e, -ENOMEM, "out of memory for %u nodes", v->n_nodes);
}
