/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/topo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int check_nodes(
        const struct topo_node *node, uint32_t n_nodes, uint32_t n_hosts, struct err *e)
{
	if (n_hosts < 2 || n_hosts > TOPO_MAX_HOSTS)
		return err_set(e, -EINVAL, "the topology has %u hosts, expected 2 to %d",
		        n_hosts, TOPO_MAX_HOSTS);
	if (n_nodes <= n_hosts || n_nodes - n_hosts > TOPO_MAX_SWITCHES)
		return err_set(e, -EINVAL,
		        "the topology has %u hosts and %u switches, expected 1 to %d switches",
		        n_hosts, n_nodes < n_hosts ? 0 : n_nodes - n_hosts, TOPO_MAX_SWITCHES);
	for (uint32_t i = 0; i < n_nodes; i++)
		if (memchr(node[i].name, '\0', sizeof(node[i].name)) == NULL)
			return err_set(e, -EINVAL,
			        "the name of node %u is longer than %zu characters", i,
			        sizeof(node[i].name) - 1);
	return 0;
}

static int check_link(const struct topo_node *node, uint32_t n_nodes, uint32_t n_hosts,
        const struct topo_link *l, uint32_t index, struct err *e)
{
	const char *a, *b;

	if (l->a >= n_nodes || l->b >= n_nodes)
		return err_set(e, -EINVAL,
		        "link %u joins node %u and node %u, but there are %u nodes", index,
		        l->a, l->b, n_nodes);
	a = node[l->a].name;
	b = node[l->b].name;
	if (l->a == l->b)
		return err_set(
		        e, -EINVAL, "link %u joins %s to itself, expected two nodes", index, a);
	if (l->a < n_hosts && l->b < n_hosts)
		return err_set(e, -EINVAL,
		        "link %u joins two hosts (%s and %s): put a switch between them", index,
		        a, b);
	if (l->rate_bps < TOPO_MIN_RATE_BPS || l->rate_bps > TOPO_MAX_RATE_BPS)
		return err_set(e, -EINVAL,
		        "link %u (%s - %s) has a rate of %" PRId64
		        "bps, expected 1Mbps to 10Tbps, such as 100Gbps",
		        index, a, b, l->rate_bps);
	if (l->delay_ps < 0 || l->delay_ps > TOPO_MAX_DELAY_PS)
		return err_set(e, -EINVAL,
		        "link %u (%s - %s) has a delay of %" PRId64
		        "ps, expected 0s to 1s, such as 1us",
		        index, a, b, l->delay_ps);
	return 0;
}

/* A host forwards nothing, so two links on one would never be used beyond the first. */
static int check_degree(const struct topo_node *node, uint32_t i, uint32_t n_hosts,
        uint32_t degree, struct err *e)
{
	if (i < n_hosts && degree == 0)
		return err_set(e, -EINVAL, "host %u (%s) has no link: link it to a switch", i,
		        node[i].name);
	if (i < n_hosts && degree > 1)
		return err_set(e, -EINVAL,
		        "host %u (%s) has %u links, expected 1: model each further port as a "
		        "host",
		        i, node[i].name, degree);
	if (degree > TOPO_MAX_SWITCH_PORTS)
		return err_set(e, -EINVAL,
		        "switch %s has %u links, at most %d are possible: spread them over "
		        "more switches",
		        node[i].name, degree, TOPO_MAX_SWITCH_PORTS);
	return 0;
}

static void wire(struct topo *t, const struct topo_link *link, uint32_t n_links)
{
	for (uint32_t i = 0; i < n_links; i++) {
		struct topo_node *a = &t->node[link[i].a], *b = &t->node[link[i].b];
		uint16_t pa = a->n_ports++, pb = b->n_ports++;

		t->port[a->first_port + pa] = (struct topo_port){.peer_node = link[i].b,
		        .peer_port = pb,
		        .rate_bps = link[i].rate_bps,
		        .delay_ps = link[i].delay_ps};
		t->port[b->first_port + pb] = (struct topo_port){.peer_node = link[i].a,
		        .peer_port = pa,
		        .rate_bps = link[i].rate_bps,
		        .delay_ps = link[i].delay_ps};
	}
}

static int check_reach(const struct topo *t, struct err *e)
{
	uint32_t *queue = malloc(t->n_nodes * sizeof(*queue));
	uint8_t *seen = calloc(t->n_nodes, 1);
	uint32_t head = 0, tail = 0;
	int rc = 0;

	if (!queue || !seen) {
		rc = err_set(
		        e, -ENOMEM, "no memory to check a topology of %u nodes", t->n_nodes);
		goto out_free;
	}
	queue[tail++] = 0;
	seen[0] = 1;
	while (head < tail) {
		const struct topo_node *n = &t->node[queue[head++]];

		for (uint32_t p = 0; p < n->n_ports; p++) {
			uint32_t peer = t->port[n->first_port + p].peer_node;

			if (!seen[peer]) {
				seen[peer] = 1;
				queue[tail++] = peer;
			}
		}
	}
	for (uint32_t h = 0; h < t->n_hosts; h++)
		if (!seen[h]) {
			rc = err_set(e, -EINVAL,
			        "host %u (%s) cannot reach host 0 (%s): no chain of links "
			        "joins them",
			        h, t->node[h].name, t->node[0].name);
			break;
		}
out_free:
	free(queue);
	free(seen);
	return rc;
}

static struct topo *topo_alloc(const struct topo_node *node, uint32_t n_nodes, uint32_t n_ports)
{
	struct topo *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->n_nodes = n_nodes;
	t->n_ports = n_ports;
	t->node = malloc(n_nodes * sizeof(*t->node));
	t->port = calloc(n_ports ? n_ports : 1, sizeof(*t->port));
	t->profile = malloc(sizeof(*t->profile));
	if (!t->node || !t->port || !t->profile) {
		topo_free(t);
		return NULL;
	}
	memcpy(t->node, node, n_nodes * sizeof(*t->node));
	return t;
}

/* Fills degree[n_nodes]; every link and node count is legal afterwards. */
static int count_links(const struct topo_node *node, uint32_t n_nodes, uint32_t n_hosts,
        const struct topo_link *link, uint32_t n_links, uint32_t *degree, struct err *e)
{
	int rc;

	for (uint32_t i = 0; i < n_links; i++) {
		rc = check_link(node, n_nodes, n_hosts, &link[i], i, e);
		if (rc)
			return rc;
		degree[link[i].a]++;
		degree[link[i].b]++;
	}
	for (uint32_t i = 0; i < n_nodes; i++) {
		rc = check_degree(node, i, n_hosts, degree[i], e);
		if (rc)
			return rc;
	}
	return 0;
}

int topo_from_links(struct topo **out, const struct topo_node *node, uint32_t n_nodes,
        uint32_t n_hosts, const struct topo_link *link, uint32_t n_links,
        const struct switch_cfg *base, struct err *e)
{
	struct topo *t = NULL;
	uint32_t *degree = NULL;
	uint32_t next_port = 0;
	int rc = check_nodes(node, n_nodes, n_hosts, e);

	if (rc)
		return rc;
	if (n_links > UINT32_MAX / 2)
		return err_set(e, -EINVAL, "the topology has %u links, too many", n_links);
	degree = calloc(n_nodes, sizeof(*degree));
	if (!degree)
		goto out_nomem;
	rc = count_links(node, n_nodes, n_hosts, link, n_links, degree, e);
	if (rc)
		goto out_free;
	t = topo_alloc(node, n_nodes, 2 * n_links);
	if (!t)
		goto out_nomem;
	t->n_hosts = n_hosts;
	for (uint32_t i = 0; i < n_nodes; i++) {
		t->node[i].first_port = next_port;
		t->node[i].n_ports = 0;
		t->node[i].profile = 0;
		next_port += degree[i];
	}
	t->profile[0] = *base;
	t->n_profiles = 1;
	wire(t, link, n_links);
	rc = check_reach(t, e);
	if (rc)
		goto out_free;
	free(degree);
	*out = t;
	return 0;
out_nomem:
	rc = err_set(e, -ENOMEM, "no memory for a topology of %u nodes and %u links", n_nodes,
	        n_links);
out_free:
	topo_free(t);
	free(degree);
	return rc;
}

void topo_free(struct topo *t)
{
	if (!t)
		return;
	free(t->node);
	free(t->port);
	free(t->profile);
	free(t->route);
	free(t);
}

uint32_t topo_find(const struct topo *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_nodes; i++)
		if (!strcmp(t->node[i].name, name))
			return i;
	return UINT32_MAX;
}
