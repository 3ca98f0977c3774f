/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_hpcc_headroom.h"

#include <errno.h>
#include <stdlib.h>

int64_t hpcc_headroom_bytes(const struct hpcc_link *l)
{
	return (int64_t)((__int128)l->rate_bps * l->delay_ns / 8 / 1000000000 * 3);
}

static void add_end(struct hpcc_port *port, uint32_t *n, const struct hpcc_topo *t,
        uint32_t *n_ports, uint32_t node, const struct hpcc_link *l)
{
	if (!t->is_switch[node])
		return;
	port[(*n)++] = (struct hpcc_port){
	        .node = node,
	        .port = n_ports[node]++,
	        .rate_bps = l->rate_bps,
	        .headroom_bytes = hpcc_headroom_bytes(l),
	};
}

int hpcc_ports_list(
        struct hpcc_port **out, uint32_t *n, const struct hpcc_topo *t, struct err *e)
{
	struct hpcc_port *port = calloc((size_t)t->n_links * 2, sizeof(*port));
	uint32_t *n_ports = calloc(t->n_nodes, sizeof(*n_ports));

	if (!port || !n_ports) {
		free(port);
		free(n_ports);
		return err_set(e, -ENOMEM, "%s: no memory for %u links", t->path, t->n_links);
	}
	*n = 0;
	for (uint32_t i = 0; i < t->n_links; i++) {
		add_end(port, n, t, n_ports, t->link[i].a, &t->link[i]);
		add_end(port, n, t, n_ports, t->link[i].b, &t->link[i]);
	}
	free(n_ports);
	*out = port;
	return 0;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_rate(const void *a, const void *b)
{
	const struct hpcc_port *x = a, *y = b;
	int order = compare(x->rate_bps, y->rate_bps);

	if (!order)
		order = compare(x->headroom_bytes, y->headroom_bytes);
	if (!order)
		order = compare(x->node, y->node);
	return order ? order : compare(x->port, y->port);
}

static int by_switch_and_rate(const void *a, const void *b)
{
	const struct hpcc_port *x = a, *y = b;
	int order = compare(x->node, y->node);

	return order ? order : by_rate(a, b);
}

void hpcc_ports_sort(struct hpcc_port *port, uint32_t n, bool by_switch)
{
	qsort(port, n, sizeof(*port), by_switch ? by_switch_and_rate : by_rate);
}

static bool same_group(const struct hpcc_port *a, const struct hpcc_port *b, bool by_switch)
{
	return a->rate_bps == b->rate_bps && (!by_switch || a->node == b->node);
}

int64_t hpcc_ports_usual(
        const struct hpcc_port *port, uint32_t n, bool by_switch, uint32_t from, uint32_t *end)
{
	uint32_t run = 0, longest = 0, i;
	int64_t usual = 0;

	for (i = from; i < n && same_group(&port[from], &port[i], by_switch); i++) {
		bool goes_on = i > from && port[i].headroom_bytes == port[i - 1].headroom_bytes;

		run = goes_on ? run + 1 : 1;
		if (run > longest) {
			longest = run;
			usual = port[i].headroom_bytes;
		}
	}
	*end = i;
	return usual;
}
