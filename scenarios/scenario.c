/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"
#include "scenarios/presets.h"
#include "scenarios/run_sim.h"
#include "scenarios/scenario_int.h"
#include "scenarios/utf8.h"

#define MAX_NAME_BYTES 100

static int no_memory(const char *path, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: not enough memory", path);
}

int scenario_new_defaults(struct scenario **out, const char *path, struct err *e)
{
	struct scenario *s = calloc(1, sizeof(*s));
	const char *slash = strrchr(path, '/');
	struct yaml_where at = {.name = path};
	size_t dir = slash ? (size_t)(slash - path) : 0;

	*out = NULL;
	if (!s)
		return no_memory(path, e);
	s->doc = calloc(1, sizeof(*s->doc));
	s->path = strdup(path);
	if (!s->doc || !s->path)
		goto fail;
	at.name = s->path;
	s->doc->base_dir = slash ? arena_text(&s->doc->yaml.arena, path, dir ? dir : 1) : ".";
	s->doc->yaml.root = yaml_new(&s->doc->yaml, YAML_MAP, &at, YAML_FILE);
	if (!s->doc->base_dir || !s->doc->yaml.root)
		goto fail;
	if (scenario_put_text(s, "squall", "1", s->path, YAML_FILE, NULL))
		goto fail;
	*out = s;
	return 0;
fail:
	scenario_free(s);
	return no_memory(path, e);
}

static void free_doc(struct scenario_doc *d)
{
	while (d->flows) {
		struct given_flows *g = d->flows;

		d->flows = g->next;
		free(g->flow);
		free(g);
	}
	free(d->host_rate_bps);
	free(d->host_edge);
	free(d->host_used);
	free(d->node);
	free(d->link);
	yaml_fini(&d->yaml);
	free(d);
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_entries; i++)
		load_entry_fini(&s->entry[i]);
	for (uint32_t i = 0; i < s->n_expect; i++)
		free(s->expect[i]);
	free(s->entry);
	free(s->expect);
	free(s->fault);
	free(s->fault_as_written);
	topo_free(s->topo);
	if (s->doc)
		free_doc(s->doc);
	free(s->name);
	free(s->path);
	free(s);
}

void scenario_take_links(struct scenario *s, struct topo_node *node, uint32_t n_nodes,
        uint32_t n_hosts, struct topo_link *link, uint32_t n_links)
{
	free(s->doc->node);
	free(s->doc->link);
	s->doc->node = node;
	s->doc->link = link;
	s->doc->n_nodes = n_nodes;
	s->doc->n_hosts = n_hosts;
	s->doc->n_links = n_links;
}

/* Appends an entry {pattern: flows} to workload. */
static int add_flow_entry(struct scenario *s, uint32_t *index, struct err *e)
{
	struct yaml_doc *d = &s->doc->yaml;
	struct yaml_node *list = yaml_get(d->root, "workload"), *entry;
	struct yaml_where at = {.name = s->path};
	char path[48];
	int rc;

	if (!list) {
		list = yaml_new(d, YAML_LIST, &at, YAML_FILE);
		if (!list)
			return no_memory(s->path, e);
		rc = yaml_put(d, "workload", list, e);
		if (rc)
			return rc;
	}
	if (list->kind != YAML_LIST)
		return yaml_err(e, &list->at, "workload: expected a list of entries");
	entry = yaml_new(d, YAML_MAP, &at, YAML_FILE);
	if (!entry)
		return no_memory(s->path, e);
	*index = list->n_children;
	rc = yaml_append(list, entry, e);
	(void)snprintf(path, sizeof(path), "workload[%u].pattern", *index);
	return rc ? rc : scenario_put_text(s, path, "flows", s->path, YAML_FILE, e);
}

int scenario_add_flows(
        struct scenario *s, struct load_flow *flow, int64_t n_flows, struct err *e)
{
	struct given_flows *g = calloc(1, sizeof(*g));
	uint32_t index = 0;
	int rc;

	if (!g) {
		free(flow);
		return no_memory(s->path, e);
	}
	rc = add_flow_entry(s, &index, e);
	*g = (struct given_flows){
	        .next = s->doc->flows, .flow = flow, .n_flows = n_flows, .entry = index};
	s->doc->flows = g;
	return rc;
}

static int apply_sets(
        struct scenario *s, const struct scenario_set *set, uint32_t n_set, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < n_set && !rc; i++) {
		const char *where = arena_printf(
		        &s->doc->yaml.arena, "--set %s=%s", set[i].key, set[i].value);

		if (!where)
			return no_memory(s->path, e);
		rc = scenario_put_text(s, set[i].key, set[i].value, where, YAML_SET, e);
	}
	return rc;
}

static int apply_seed(struct scenario *s, const uint64_t *seed, struct err *e)
{
	const char *where;
	char text[24];

	if (!seed)
		return 0;
	(void)snprintf(text, sizeof(text), "%" PRIu64, *seed);
	where = arena_printf(&s->doc->yaml.arena, "--seed %s", text);
	return where ? scenario_put_text(s, "seed", text, where, YAML_SET, e)
	             : no_memory(s->path, e);
}

static int apply_named_preset(struct scenario *s, const struct yaml_node *n, struct err *e)
{
	int rc;

	if (n->kind != YAML_SCALAR || !*n->text)
		return yaml_err(e, &n->at, "preset: expected a name or a list of names");
	if (!preset_find(n->text)) {
		rc = preset_unknown(n->text, e);
		(void)err_prefix(e, "preset");
		(void)yaml_err_prefix(e, &n->at);
		return rc;
	}
	return scenario_apply_preset(s, n->text, e);
}

static int apply_presets(struct scenario *s, struct err *e)
{
	const struct yaml_node *n = yaml_get(s->doc->yaml.root, "preset");
	int rc = 0;

	if (!n)
		return 0;
	if (n->kind != YAML_LIST)
		return apply_named_preset(s, n, e);
	for (const struct yaml_node *c = n->first; c && !rc; c = c->next)
		rc = apply_named_preset(s, c, e);
	return rc;
}

/* Names end up in file names, tables and captures. */
static int take_name(struct scenario *s, struct err *e)
{
	const struct yaml_node *n = yaml_get(s->doc->yaml.root, "name");
	const char *name = s->run.name, *slash = strrchr(s->path, '/');
	size_t len;

	if (*name) {
		if (strlen(name) > MAX_NAME_BYTES || strpbrk(name, "/\t\r\n"))
			return yaml_err(e, &n->at,
			        "name: expected one line of at most %d bytes without '/'",
			        MAX_NAME_BYTES);
		s->name = strdup(name);
		return s->name ? 0 : no_memory(s->path, e);
	}
	name = slash && slash[1] ? slash + 1 : s->path;
	len = strlen(name);
	if (len > 5 && !strcmp(name + len - 5, ".yaml"))
		len -= 5;
	else if (len > 4 && !strcmp(name + len - 4, ".yml"))
		len -= 4;
	s->name = strndup(name, len < MAX_NAME_BYTES ? len : MAX_NAME_BYTES);
	if (!s->name)
		return no_memory(s->path, e);
	if (!utf8_is_shown(s->name)) /* a file may be called anything */
		for (char *p = s->name; *p; p++)
			*p = *p > ' ' && *p < 0x7f ? *p : '_';
	return 0;
}

/* A topology file's own messages carry its name and line; the key that names it comes first. */
static int build_from_file(struct scenario *s, struct err *e)
{
	const struct yaml_node *at = yaml_find(s->doc->yaml.root, "fabric.topology.file");
	struct topo_cfg cfg = s->topo_cfg;
	int rc;

	cfg.file = *cfg.file == '/' ? cfg.file
	                            : arena_printf(&s->doc->yaml.arena, "%s/%s",
	                                      s->doc->base_dir, cfg.file);
	if (!cfg.file)
		return no_memory(s->path, e);
	s->doc->topology_path = cfg.file;
	rc = topo_build(&s->topo, &cfg, &s->sw, e);
	if (!rc)
		return 0;
	(void)err_prefix(e, "fabric.topology.file");
	(void)yaml_err_prefix(e, &at->at);
	return scenario_mistyped(rc, e);
}

static int build_topo(struct scenario *s, struct err *e)
{
	const struct scenario_doc *d = s->doc;
	int rc;

	if (d->n_links) {
		s->topo_cfg.kind = TOPO_FILE;
		rc = topo_from_links(&s->topo, d->node, d->n_nodes, d->n_hosts, d->link,
		        d->n_links, &s->sw, e);
		if (rc)
			(void)err_prefix(e, "%s", s->path);
		return rc;
	}
	if (s->topo_cfg.kind == TOPO_FILE)
		return build_from_file(s, e);
	rc = topo_build(&s->topo, &s->topo_cfg, &s->sw, e);
	return scenario_place_err(s, yaml_find(d->yaml.root, "fabric.topology"), rc, e);
}

static int check_root(const struct scenario *s, struct err *e)
{
	const struct yaml_node *root = s->doc->yaml.root;

	if (!root)
		return err_set(e, -EINVAL,
		        "%s: empty: expected a scenario, such as scenarios/incast-32.yaml",
		        s->path);
	if (root->kind != YAML_MAP)
		return yaml_err(e, &root->at,
		        "expected a mapping of keys (squall, fabric, workload ...), such as "
		        "scenarios/incast-32.yaml");
	return 0;
}

static int check_run(const struct scenario *s, struct err *e)
{
	const struct sim_cfg cfg = run_sim_cfg(s);

	return scenario_place_err(s, NULL, sim_check(&cfg, e), e);
}

int scenario_finish(struct scenario *s, const struct scenario_set *set, uint32_t n_set,
        const uint64_t *seed, struct err *e)
{
	int rc = check_root(s, e);

	if (!rc)
		rc = apply_sets(s, set, n_set, e);
	if (!rc)
		rc = apply_seed(s, seed, e);
	if (!rc)
		rc = apply_presets(s, e);
	if (!rc)
		rc = scenario_bind_root(s, e);
	if (!rc)
		rc = take_name(s, e);
	if (!rc)
		rc = scenario_bind_measure(s, e);
	if (!rc)
		rc = scenario_bind_expect(s, e);
	if (!rc)
		rc = build_topo(s, e);
	if (!rc)
		rc = scenario_apply_overrides(s, e);
	if (!rc)
		rc = scenario_check(s, e);
	if (!rc)
		rc = scenario_build_workload(s, e);
	if (!rc)
		rc = scenario_check_workload(s, e);
	if (!rc)
		rc = scenario_build_faults(s, e);
	if (!rc)
		rc = scenario_bind_capture(s, e);
	if (!rc)
		rc = check_run(s, e);
	return rc;
}

static int read_file(struct scenario *s, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int rc;

	rc = text_file_read(&text, &len, s->path, YAML_MAX_BYTES, e);
	if (rc == -ENOENT || rc == -ENOTDIR) {
		if (e)
			e->code = -EINVAL; /* a mistyped name is bad input, not a broken machine
			                    */
		return -EINVAL;
	}
	if (rc)
		return rc;
	rc = yaml_read(&s->doc->yaml, &s->doc->yaml.root, text, len, s->path, e);
	free(text);
	return rc;
}

int scenario_load(struct scenario **out, const char *path, const struct scenario_set *set,
        uint32_t n_set, const uint64_t *seed, struct err *e)
{
	struct scenario *s;
	int rc;

	*out = NULL;
	rc = scenario_new_defaults(&s, path, e);
	if (rc)
		return rc;
	rc = read_file(s, e);
	if (!rc)
		rc = scenario_finish(s, set, n_set, seed, e);
	if (rc) {
		scenario_free(s);
		return rc;
	}
	*out = s;
	return 0;
}
