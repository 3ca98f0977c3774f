/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/net_view.h"

#include <errno.h>
#include <stdlib.h>

int net_view_init(struct net_view *v, const struct topo *t, struct err *e)
{
	*v = (struct net_view){
	        .n_hosts = t->n_hosts,
	        .n_nodes = t->n_nodes,
	        .n_ports = t->n_ports,
	        .node = calloc(t->n_nodes + 1, sizeof(*v->node)),
	        .port = calloc(t->n_ports + 1, sizeof(*v->port)),
	};
	if (!v->node || !v->port) {
		net_view_fini(v);
		return err_set(e, -ENOMEM, "results: out of memory for %u nodes", t->n_nodes);
	}
	for (uint32_t i = 0; i < t->n_nodes; i++)
		v->node[i] = (struct net_node){
		        .name = t->node[i].name,
		        .first_port = t->node[i].first_port,
		        .n_ports = t->node[i].n_ports,
		        .tier = t->node[i].tier,
		};
	for (uint32_t i = 0; i < t->n_ports; i++)
		v->port[i] = (struct net_port){
		        .peer_node = t->port[i].peer_node,
		        .peer_port = t->port[i].peer_port,
		        .rate_bps = t->port[i].rate_bps,
		        .delay_ps = t->port[i].delay_ps,
		};
	return 0;
}

void net_view_fini(struct net_view *v)
{
	free(v->node);
	free(v->port);
	*v = (struct net_view){0};
}
