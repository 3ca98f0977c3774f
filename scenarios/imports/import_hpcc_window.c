/* SPDX-License-Identifier: Apache-2.0 */
/* The window of every flow, from the paths of the topology. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "scenarios/fct_path.h"
#include "scenarios/imports/import_hpcc_keys.h"

static int64_t bdp_bytes(struct fct_path path)
{
	return (int64_t)((__int128)path.rtt_ns * path.rate_bps / 1000000000 / 8);
}

/* The two longest paths of one bottleneck rate to a switch: for a given destination no other
 * path of that rate can matter, and one of them may be the destination's own. */
struct longest {
	int64_t rate_bps;
	int64_t rtt_ns[2];
	uint32_t host[2];
};

static uint32_t find_longest(struct longest at[HPCC_MAP_MAX], const struct fct_paths *paths)
{
	uint32_t n = 0, k;

	for (uint32_t host = 0; host < paths->topo->n_hosts; host++) {
		struct fct_path path = paths->from[host];

		for (k = 0; k < n && at[k].rate_bps != path.rate_bps; k++)
			;
		if (k == n) /* each rate of a link is in the maps, so there is room */
			at[n++] = (struct longest){
			        path.rate_bps, {-1, -1}, {UINT32_MAX, UINT32_MAX}};
		if (path.rtt_ns > at[k].rtt_ns[0]) {
			at[k].rtt_ns[1] = at[k].rtt_ns[0];
			at[k].host[1] = at[k].host[0];
			at[k].rtt_ns[0] = path.rtt_ns;
			at[k].host[0] = host;
		} else if (path.rtt_ns > at[k].rtt_ns[1]) {
			at[k].rtt_ns[1] = path.rtt_ns;
			at[k].host[1] = host;
		}
	}
	return n;
}

/* The largest product over all sources for one destination. */
static int64_t largest_to(
        const struct fct_paths *paths, uint32_t dst, const struct longest *at, uint32_t n)
{
	const struct topo *t = paths->topo;
	const struct topo_port *link = &t->port[t->node[dst].first_port];
	int64_t largest = 0;

	for (uint32_t k = 0; k < n; k++) {
		int i = at[k].host[0] == dst;
		struct fct_path path = {at[k].rtt_ns[i], at[k].rate_bps};
		int64_t bdp;

		if (path.rtt_ns < 0)
			continue;
		bdp = bdp_bytes(fct_path_extend(paths, path, link));
		if (bdp > largest)
			largest = bdp;
	}
	return largest;
}

/* The window of every flow: the largest bandwidth-delay product of any two hosts. */
static int64_t largest_bdp_bytes(struct fct_paths *paths)
{
	const struct topo *t = paths->topo;
	struct longest at[HPCC_MAP_MAX];
	int64_t largest = 0;

	for (uint32_t sw = t->n_hosts; sw < t->n_nodes; sw++) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < t->node[sw].n_ports; i++) {
			uint32_t dst = t->port[t->node[sw].first_port + i].peer_node;
			int64_t bdp;

			if (dst >= t->n_hosts)
				continue;
			if (!n) {
				fct_paths_search(paths, sw);
				n = find_longest(at, paths);
			}
			bdp = largest_to(paths, dst, at, n);
			if (bdp > largest)
				largest = bdp;
		}
	}
	return largest;
}

/* GLOBAL_T 0: each pair has its own; here one window must do for all flows. */
static int pair_bdp_bytes(
        int64_t *out, struct fct_paths *paths, const struct hpcc_files *f, struct err *e)
{
	const struct hpcc_config *c = &f->config;

	*out = 0;
	for (uint32_t i = 0; i < f->flows.n; i++) {
		const struct load_flow *fl = &f->flows.flow[i];
		int64_t bdp =
		        bdp_bytes(fct_path_get(paths, f->index[fl->src], f->index[fl->dst]));

		if (i && bdp != *out)
			return err_set(e, -EINVAL,
			        "%s:%u: GLOBAL_T 0: windows that differ between flows (%" PRId64
			        " and %" PRId64 " bytes here) cannot be simulated; set it to 1",
			        c->path, c->line[HPCC_GLOBAL_T], *out, bdp);
		*out = bdp;
	}
	return 0;
}

static int window_bytes(
        int64_t *out, const struct hpcc_files *f, const struct topo *t, struct err *e)
{
	struct fct_paths paths;
	int rc = fct_paths_open(&paths, t, f->config.count[HPCC_PACKET_PAYLOAD_SIZE], e);

	if (rc)
		return rc;
	if (f->config.count[HPCC_GLOBAL_T])
		*out = largest_bdp_bytes(&paths);
	else
		rc = pair_bdp_bytes(out, &paths, f, e);
	fct_paths_close(&paths);
	return rc;
}

int hpcc_set_window(struct scenario *s, const struct hpcc_files *f, struct err *e)
{
	static const struct switch_cfg any = {0};
	struct topo_node *node = NULL;
	struct topo_link *link = NULL;
	struct topo *t = NULL;
	int64_t window = 0;
	int rc;

	if (!f->config.count[HPCC_HAS_WIN])
		return 0;
	rc = hpcc_node_list(&node, f, e);
	if (!rc)
		rc = hpcc_link_list(&link, f, e);
	if (!rc && topo_from_links(&t, node, f->topo.n_nodes, f->topo.n_hosts, link,
	                   f->topo.n_links, &any, e)) {
		rc = e ? e->code : -EINVAL;
		err_prefix(e, "%s", f->topo.path);
	}
	if (!rc)
		rc = window_bytes(&window, f, t, e);
	/* A window of 0 there is none. */
	if (!rc && window > 0)
		rc = hpcc_set(s, &f->config, HPCC_HAS_WIN, e, "fabric.nic.window",
		        "%" PRId64 "B", window);
	topo_free(t);
	free(node);
	free(link);
	return rc;
}
