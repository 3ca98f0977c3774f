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

static bool same_way(const struct net_way *a, const struct net_way *b)
{
	return a->links == b->links && a->links_max == b->links_max && a->paths == b->paths;
}

static void write_way(FILE *f, uint32_t hosts, const struct net_way *way)
{
	put(f, "  %5u %s, %u", hosts, word(0, hosts == 1), way->links);
	if (way->links_max != way->links)
		put(f, " to %u", way->links_max);
	put(f, " links away, by %llu %s%s\n", (unsigned long long)way->paths,
	        way->links_max == way->links ? "equal path" : "path",
	        way->paths == 1 ? "" : "s");
}

static int write_paths(FILE *f, const struct net_view *v, const struct net_way *way)
{
	bool *told = calloc(v->n_hosts + 1, sizeof(*told)); /* by host */

	if (!told)
		return -ENOMEM;
	put(f, "\npaths from %s\n", v->node[0].name);
	for (uint32_t h = 1; h < v->n_hosts; h++) {
		uint32_t n = 0;

		if (told[h] || !way[h].paths)
			continue;
		for (uint32_t k = h; k < v->n_hosts; k++) {
			if (!same_way(&way[h], &way[k]))
				continue;
			told[k] = true;
			n++;
		}
		write_way(f, n, &way[h]);
	}
	free(told);
	return 0;
}

int topo_text_write(FILE *f, const struct net_view *v, const struct net_way *way,
        const char *title, struct err *e)
{
	put(f, "%s: %u hosts, %u switches, %u cables\n\n", title, v->n_hosts,
	        v->n_nodes - v->n_hosts, v->n_ports / 2);
	write_shapes(f, v);
	return write_paths(f, v, way)
	               ? err_set(e, -ENOMEM, "out of memory for %u nodes", v->n_nodes)
	               : 0;
}
