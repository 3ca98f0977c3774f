/* SPDX-License-Identifier: Apache-2.0 */
/* workload[]: from mappings to prepared entries. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/cdf.h"
#include "gen/load/flow_csv.h"
#include "scenarios/scenario_int.h"

#define MAX_ENTRIES 1024

/* The texts of one row of a table. */
static int row_texts(const char *text[], uint32_t *n, uint32_t min, uint32_t max,
        const struct yaml_node *row, const char *what, struct err *e)
{
	*n = 0;
	if (row->kind != YAML_LIST || row->n_children < min || row->n_children > max)
		return yaml_err(e, &row->at, "expected a row %s", what);
	for (const struct yaml_node *c = row->first; c; c = c->next) {
		if (c->kind != YAML_SCALAR)
			return yaml_err(e, &c->at, "expected a row %s", what);
		text[(*n)++] = c->text;
	}
	return 0;
}

static int read_cdf(struct load_cfg *cfg, const struct yaml_node *table, struct err *e)
{
	if (table->n_children > CDF_MAX_POINTS)
		return yaml_err(e, &table->at, "more than %d points", CDF_MAX_POINTS);
	cfg->cdf = calloc(table->n_children + 1, sizeof(*cfg->cdf));
	if (!cfg->cdf)
		return err_set(e, -ENOMEM, "not enough memory for a table of %u points",
		        table->n_children);
	for (const struct yaml_node *row = table->first; row; row = row->next) {
		const char *text[2];
		uint32_t n;
		int rc;

		rc = row_texts(
		        text, &n, 2, 2, row, "[bytes, probability], such as [10KB, 0.5]", e);
		if (rc)
			return rc;
		rc = cdf_point_parse(&cfg->cdf[cfg->n_cdf], text[0], text[1], e);
		if (rc) {
			(void)yaml_err_prefix(e, &row->at);
			return rc;
		}
		cfg->n_cdf++;
	}
	return 0;
}

static int read_flows(struct load_cfg *cfg, const struct yaml_node *table, struct err *e)
{
	cfg->flow = calloc(table->n_children + 1, sizeof(*cfg->flow));
	if (!cfg->flow)
		return err_set(e, -ENOMEM, "not enough memory for a list of %u flows",
		        table->n_children);
	for (const struct yaml_node *row = table->first; row; row = row->next) {
		const char *text[FLOW_FIELDS];
		enum flow_field bad = FLOW_SRC;
		uint32_t n;
		int rc;

		rc = row_texts(text, &n, FLOW_PRIORITY, FLOW_FIELDS, row,
		        "[src, dst, bytes, start], such as [0, 1, 64KB, 10us]", e);
		if (rc)
			return rc;
		rc = flow_parse(&cfg->flow[cfg->n_flows], text, n, &bad, e);
		if (rc) {
			(void)yaml_err_prefix(e, &yaml_at(row, (uint32_t)bad)->at);
			return rc;
		}
		cfg->n_flows++;
	}
	return 0;
}

static int read_jobs(struct load_cfg *cfg, const struct yaml_node *table, struct err *e)
{
	cfg->job = calloc(table->n_children + 1, sizeof(*cfg->job));
	if (!cfg->job)
		return err_set(e, -ENOMEM, "not enough memory for a list of %u collectives",
		        table->n_children);
	for (const struct yaml_node *row = table->first; row; row = row->next) {
		const char *text[2];
		uint32_t n;
		int rc = row_texts(text, &n, 2, 2, row,
		        "[collective, size], such as [all-reduce, 64MiB]", e);

		if (rc)
			return rc;
		rc = load_job_parse(&cfg->job[cfg->n_jobs], text[0], text[1], e);
		if (rc) {
			(void)yaml_err_prefix(e, &row->at);
			return rc;
		}
		cfg->n_jobs++;
	}
	return 0;
}

/* Hands an importer's flows over to the entry that they were given for. */
static void take_given(struct scenario *s, struct load_cfg *cfg, uint32_t index)
{
	for (struct given_flows *g = s->doc->flows; g; g = g->next) {
		if (g->entry != index || !g->flow)
			continue;
		cfg->flow = g->flow;
		cfg->n_flows = g->n_flows;
		g->flow = NULL;
	}
}

static int read_tables(struct scenario *s, struct load_cfg *cfg, const struct yaml_node *entry,
        uint32_t index, struct err *e)
{
	const struct yaml_node *cdf = yaml_get(entry, "cdf"), *flows = yaml_get(entry, "flows");
	const struct yaml_node *jobs = yaml_get(entry, "collectives");
	int rc = 0;

	if (cdf && cdf->kind == YAML_LIST)
		rc = read_cdf(cfg, cdf, e);
	if (!rc && flows && flows->kind == YAML_LIST)
		rc = read_flows(cfg, flows, e);
	if (!rc && jobs && jobs->kind == YAML_LIST)
		rc = read_jobs(cfg, jobs, e);
	if (!rc && !cfg->flow)
		take_given(s, cfg, index);
	return rc;
}

static void make_env(struct load_env *env, const struct scenario *s)
{
	*env = (struct load_env){
	        .n_hosts = s->topo->n_hosts,
	        .seed = (uint64_t)s->run.seed,
	        .stop_ps = s->run.stop_after_ps,
	        .path_mtu_bytes = s->frame.path_mtu_bytes,
	        .pads_payload = s->frame.pad != 0,
	        .header_wire_bytes =
	                s->frame.header_bytes + s->frame.fcs_bytes + s->frame.gap_bytes,
	        .message_wire_bytes = s->frame.reth_bytes,
	        .host_rate_bps = s->doc->host_rate_bps,
	        .host_edge = s->doc->host_edge,
	        .rails = s->topo_cfg.kind == TOPO_RAIL ? (uint32_t)s->topo_cfg.rails : 0,
	        .used = s->doc->host_used,
	        .base_dir = s->doc->base_dir,
	};
}

static int build_entry(struct scenario *s, const struct yaml_node *node, uint32_t index,
        const struct load_env *env, struct err *e)
{
	struct load_cfg cfg = {0};
	char shown[32];
	struct bind b = {.section = "workload[]",
	        .shown = shown,
	        .group = &load_knobs,
	        .base = &cfg,
	        .e = e};
	int rc;

	(void)snprintf(shown, sizeof(shown), "workload[%u]", index);
	rc = scenario_bind_entry(&b, node);
	if (!rc)
		rc = read_tables(s, &cfg, node, index, e);
	if (rc) {
		free(cfg.cdf);
		free(cfg.flow);
		free(cfg.job);
		return rc;
	}
	rc = load_entry_init(&s->entry[index], &cfg, env, (uint16_t)index, e);
	if (rc)
		return scenario_place_err(s, node, rc, e);
	s->n_entries++;
	for (uint32_t h = 0; h < s->topo->n_hosts; h++)
		s->doc->host_used[h] |= load_uses_host(&s->entry[index], h);
	return 0;
}

static int host_facts(struct scenario *s, struct err *e)
{
	const struct topo *t = s->topo;

	s->doc->host_rate_bps = calloc(t->n_hosts, sizeof(*s->doc->host_rate_bps));
	s->doc->host_edge = calloc(t->n_hosts, sizeof(*s->doc->host_edge));
	s->doc->host_used = calloc(t->n_hosts, sizeof(*s->doc->host_used));
	if (!s->doc->host_rate_bps || !s->doc->host_edge || !s->doc->host_used)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	for (uint32_t h = 0; h < t->n_hosts; h++) {
		const struct topo_port *p = &t->port[t->node[h].first_port];

		s->doc->host_rate_bps[h] = p->rate_bps;
		s->doc->host_edge[h] = p->peer_node;
	}
	return 0;
}

int scenario_build_workload(struct scenario *s, struct err *e)
{
	const struct yaml_node *root = s->doc->yaml.root, *list = yaml_get(root, "workload");
	struct load_env env;
	uint32_t index = 0;
	int rc;

	if (!list || (list->kind == YAML_LIST && !list->n_children))
		return yaml_err(e, list ? &list->at : &root->at,
		        "workload: nothing to do: expected a list with at least one entry, "
		        "such as "
		        "[{pattern: incast, message: 1MB}]");
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at,
		        "workload: expected a list of entries, such as [{pattern: incast, "
		        "message: "
		        "1MB}]");
	if (list->n_children > MAX_ENTRIES)
		return yaml_err(e, &list->at, "workload: %u entries, at most %d are possible",
		        list->n_children, MAX_ENTRIES);
	s->entry = calloc(list->n_children, sizeof(*s->entry));
	if (!s->entry)
		return err_set(e, -ENOMEM, "%s: not enough memory", s->path);
	rc = host_facts(s, e);
	make_env(&env, s);
	for (const struct yaml_node *n = list->first; n && !rc; n = n->next)
		rc = build_entry(s, n, index++, &env, e);
	return rc;
}
