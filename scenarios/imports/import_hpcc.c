/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_hpcc.h"

#include <errno.h>
#include <stdlib.h>

#include "scenarios/imports/import_hpcc_keys.h"

static int read_files(
        struct hpcc_files *f, const char *dir, struct import_notes *notes, struct err *e)
{
	int rc = hpcc_config_read(&f->config, dir, notes, e);

	if (!rc)
		rc = hpcc_topo_read(&f->topo, dir, f->config.topology_file, e);
	if (!rc)
		rc = hpcc_flows_read(&f->flows, dir, f->config.flow_file, &f->topo, e);
	return rc;
}

/* The node numbers of the file become ours: hosts first, both kinds in ascending order. */
static int number_nodes(struct hpcc_files *f, struct err *e)
{
	uint32_t host = 0, sw = f->topo.n_hosts;

	f->index = malloc(f->topo.n_nodes * sizeof(*f->index));
	if (!f->index)
		return err_set(e, -ENOMEM, "%s: no memory for %u nodes", f->topo.path,
		        f->topo.n_nodes);
	for (uint32_t i = 0; i < f->topo.n_nodes; i++)
		f->index[i] = f->topo.is_switch[i] ? sw++ : host++;
	return 0;
}

static int build(
        struct scenario *s, struct hpcc_files *f, struct import_notes *notes, struct err *e)
{
	struct load_flow *flow = f->flows.flow;
	int rc = scenario_apply_preset(s, "hpcc", e);

	if (!rc)
		rc = hpcc_set_keys(s, f, notes, e);
	if (!rc)
		rc = hpcc_add_topology(s, f, e);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < f->flows.n; i++) {
		flow[i].src = f->index[flow[i].src];
		flow[i].dst = f->index[flow[i].dst];
	}
	f->flows.flow = NULL;
	return scenario_add_flows(s, flow, f->flows.n, e);
}

static int load(struct scenario **out, const char *path, const struct scenario_set *set,
        uint32_t n_set, const uint64_t *seed, struct import_notes *notes, struct err *e)
{
	struct hpcc_files *f = calloc(1, sizeof(*f));
	struct scenario *s = NULL;
	int rc;

	if (!f)
		return err_set(e, -ENOMEM, "%s: no memory to read it", path);
	rc = read_files(f, path, notes, e);
	if (!rc)
		rc = number_nodes(f, e);
	if (!rc)
		rc = scenario_new_defaults(&s, path, e);
	if (!rc)
		rc = build(s, f, notes, e);
	if (!rc)
		rc = scenario_finish(s, set, n_set, seed, e);
	hpcc_topo_free(&f->topo);
	hpcc_flows_free(&f->flows);
	free(f->index);
	free(f);
	if (rc)
		scenario_free(s);
	else
		*out = s;
	return rc;
}

const struct import_format import_hpcc = {
        .name = "hpcc",
        .doc = "a folder with config.txt, topology.txt and flow.txt of the HPCC ns-3 simulator "
               "(DCQCN, CC_MODE 1)",
        .load = load,
};
