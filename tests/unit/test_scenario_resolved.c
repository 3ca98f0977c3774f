/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolved scenario says everything: read back it gives the same structs, and its own
 * resolved text is itself. Presets, --set and importers end in it; every memory failure ends
 * cleanly.
 */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/presets.h"
#include "tests/support/scenario_text.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);

static long fail_at; /* the allocation that fails, counted down; 0: none */

void *__wrap_malloc(size_t bytes)
{
	return fail_at && !--fail_at ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fail_at && !--fail_at ? NULL : __real_calloc(n, bytes);
}

static struct scratch scratch, second;

static int open_scratch(void **state)
{
	(void)state;
	scratch_open(&scratch);
	scratch_open(&second);
	return 0;
}

static int close_scratch(void **state)
{
	(void)state;
	scratch_close(&scratch);
	scratch_close(&second);
	return 0;
}

static struct scenario *load(const char *path)
{
	struct scenario *s;
	struct err e = {0};

	if (scenario_load(&s, path, NULL, 0, NULL, &e))
		fail_msg("%s", e.msg);
	return s;
}

static void write_to(const struct scenario *s, const struct scratch *t)
{
	struct err e = {0};

	if (scenario_write_resolved(s, t->path, &e))
		fail_msg("%s", e.msg);
}

static void same_topology(const struct topo *a, const struct topo *b)
{
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_int_equal(a->n_hosts, b->n_hosts);
	assert_int_equal(a->n_ports, b->n_ports);
	for (uint32_t i = 0; i < a->n_nodes; i++) {
		assert_string_equal(a->node[i].name, b->node[i].name);
		assert_int_equal(a->node[i].tier, b->node[i].tier);
		assert_memory_equal(&a->profile[a->node[i].profile],
		        &b->profile[b->node[i].profile], sizeof(*a->profile));
	}
	for (uint32_t i = 0; i < a->n_ports; i++) {
		assert_int_equal(a->port[i].peer_node, b->port[i].peer_node);
		assert_int_equal(a->port[i].peer_port, b->port[i].peer_port);
		assert_int_equal(a->port[i].rate_bps, b->port[i].rate_bps);
		assert_int_equal(a->port[i].delay_ps, b->port[i].delay_ps);
		assert_memory_equal(&a->profile[a->port[i].profile],
		        &b->profile[b->port[i].profile], sizeof(*a->profile));
	}
}

static void same_text(const char **a, const char **b)
{
	assert_int_equal(*a != NULL, *b != NULL);
	if (*a)
		assert_string_equal(*a, *b);
	*a = *b = NULL;
}

/* A pattern's plain values; files and tables were dissolved into arrays of the same content. */
static void same_entry(const struct load_entry *a, const struct load_entry *b)
{
	struct load_cfg x = a->cfg, y = b->cfg;

	assert_int_equal(x.n_cdf, y.n_cdf);
	assert_int_equal(x.n_flows, y.n_flows);
	for (int64_t i = 0; i < x.n_cdf; i++)
		assert_memory_equal(&x.cdf[i], &y.cdf[i], sizeof(x.cdf[i]));
	for (int64_t i = 0; i < x.n_flows; i++) {
		assert_int_equal(x.flow[i].start_ps, y.flow[i].start_ps);
		assert_int_equal(x.flow[i].bytes, y.flow[i].bytes);
		assert_int_equal(x.flow[i].src, y.flow[i].src);
		assert_int_equal(x.flow[i].dst, y.flow[i].dst);
		assert_int_equal(x.flow[i].priority, y.flow[i].priority);
	}
	for (int64_t i = 0; i < x.n_jobs; i++)
		assert_memory_equal(&x.job[i], &y.job[i], sizeof(x.job[i]));
	same_text(&x.hosts, &y.hosts);
	same_text(&x.stragglers, &y.stragglers);
	x.job = y.job = NULL;
	x.cdf = y.cdf = NULL;
	x.flow = y.flow = NULL;
	x.file = y.file = x.cdf_file = y.cdf_file = NULL;
	assert_memory_equal(&x, &y, sizeof(x));
}

static void same_run(const struct scenario *a, const struct scenario *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->run.seed, b->run.seed);
	assert_int_equal(a->run.stop_after_ps, b->run.stop_after_ps);
	assert_memory_equal(&a->frame, &b->frame, sizeof(a->frame));
	assert_memory_equal(&a->sw, &b->sw, sizeof(a->sw));
	assert_memory_equal(&a->nic, &b->nic, sizeof(a->nic));
	assert_memory_equal(&a->dcqcn, &b->dcqcn, sizeof(a->dcqcn));
	assert_memory_equal(&a->np, &b->np, sizeof(a->np));
	assert_memory_equal(&a->measure, &b->measure, sizeof(a->measure));
	same_topology(a->topo, b->topo);
	assert_int_equal(a->n_entries, b->n_entries);
	for (uint32_t i = 0; i < a->n_entries; i++)
		same_entry(&a->entry[i], &b->entry[i]);
	assert_int_equal(a->n_expect, b->n_expect);
	for (uint32_t i = 0; i < a->n_expect; i++)
		assert_string_equal(a->expect[i], b->expect[i]);
}

static void same_file(const char *name)
{
	char *a = scratch_get(&scratch, name), *b = scratch_get(&second, name);

	if (a || b)
		assert_string_equal(a, b);
	free(a);
	free(b);
}

static void resolves_to_itself(const struct scenario *s)
{
	struct scenario *again, *third;

	write_to(s, &scratch);
	again = load(scratch.path);
	same_run(s, again);
	write_to(again, &second);
	third = load(second.path);
	same_run(again, third);
	same_file("s.yaml");
	same_file("topology.txt");
	same_file("workload-0.csv");
	scenario_free(third);
	scenario_free(again);
}

static void the_library(void **state)
{
	glob_t g;

	(void)state;
	assert_int_equal(glob(SQUALL_SOURCE_DIR "/scenarios/*.yaml", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 10);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct scenario *s = load(g.gl_pathv[i]);

		resolves_to_itself(s);
		scenario_free(s);
	}
	globfree(&g);
}

#define STAR                                                                                   \
	"squall: 1\nfabric: {topology: {kind: star, hosts: 4}}\n"                              \
	"workload: [{pattern: incast, message: 1MB}]\n"

static void odd_values(void **state)
{
	static const char text[] =
	        "squall: 1\nname: \"a \\\"b\\\" \\\\ c: #d\"\nseed: 9223372036854775807\n"
	        "stop: {after: 1.234567us}\n"
	        "fabric:\n"
	        "  topology: {kind: leaf-spine, hosts: 4, leaves: 2, spines: 1}\n"
	        "  host_link: {rate: 99999999999bps, delay: 1ps}\n"
	        "  switch: {ecn: {pmax: 0.123456789, enabled: off}, pfc: {priorities: [], "
	        "alpha: 1/3},\n"
	        "    scheduler: {weights: [1, 2, 3, 4, 5, 6, 7, 8]}}\n"
	        "  overrides:\n"
	        "    - {match: {tier: spine}, buffer: 48MiB, scheduler: {weights: [8, 7, 6, 5, "
	        "4, 3, 2, "
	        "1]}}\n"
	        "    - {match: {link: leaf0-host1}, link: {rate: 40Gbps}}\n"
	        "    - {match: {rate: 40Gbps, node: leaf0}, ecn: {kmin: 1B}}\n"
	        "workload:\n"
	        "  - {pattern: poisson, load: 33.3333%, cdf: [[1, 10], [3KB, 33.3], [1MB, "
	        "100]]}\n"
	        "  - {pattern: flows, flows: [[0, 1, 7, 1ps], [3, 2, 1KiB, 1.5us, 0]], start: "
	        "1us}\n"
	        "measure: {series: 1.5us, percentiles: [99.999, 1e-3]}\n"
	        "expect: [\"fct_us.p99 >= 0.5\", drops.total == 0]\n";
	struct scenario *s;
	struct err e = {0};

	(void)state;
	if (scenario_from_text(&s, &scratch, text, NULL, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(s->name, "a \"b\" \\ c: #d");
	resolves_to_itself(s);
	scenario_free(s);
}

static void presets_resolve(void **state)
{
	(void)state;
	for (const struct preset *const *p = presets; *p; p++) {
		char set[64];
		const char *const sets[] = {set, NULL};
		struct scenario *s;
		struct err e = {0};

		(void)snprintf(set, sizeof(set), "preset=%s", (*p)->name);
		if (scenario_from_text(&s, &scratch, STAR, sets, &e))
			fail_msg("%s", e.msg);
		resolves_to_itself(s);
		scenario_free(s);
	}
}

static void who_wins(void **state)
{
	static const char *const sets[] = {"nic.dcqcn.rpg_threshold=7", NULL};
	struct scenario *s;
	struct err e = {0};
	const uint64_t seed = 77;

	(void)state;
	assert_int_equal(
	        scenario_from_text(&s, &scratch,
	                "preset: [connectx, paper]\nseed: 5\n"
	                "squall: 1\nfabric: {topology: {kind: star, hosts: 4}, nic: {dcqcn: "
	                "{rpg_ai_rate: 3Mbps, rpg_threshold: 9}}}\n"
	                "workload: [{pattern: incast, message: 1MB}]\n",
	                sets, &e),
	        0);
	assert_int_equal(s->dcqcn.rpg_ai_rate_bps, 3000000);        /* the file over presets */
	assert_int_equal(s->dcqcn.rpg_time_reset_ps, 55 * 1000000); /* the later preset */
	assert_int_equal(s->dcqcn.dce_tcp_g, 1019);                 /* of the first one alone */
	assert_int_equal(s->dcqcn.rpg_threshold, 7);                /* --set over the file */
	scenario_free(s);
	assert_int_equal(scenario_load(&s, scratch.path, NULL, 0, &seed, &e), 0);
	assert_int_equal(s->run.seed, 77);
	scenario_free(s);
}

/* Two hosts at one switch, as an importer hands them over. */
static struct scenario *imported(struct err *e)
{
	struct topo_node *node = calloc(3, sizeof(*node));
	struct topo_link *link = calloc(2, sizeof(*link));
	struct load_flow *flow = calloc(2, sizeof(*flow));
	struct scenario *s = NULL;
	int rc = node && link && flow ? scenario_new_defaults(&s, "cases/x", e) : -ENOMEM;

	if (rc) {
		free(node);
		free(link);
		free(flow);
		return NULL;
	}
	for (uint32_t i = 0; i < 3; i++) {
		node[i].tier = i == 2;
		node[i].outside_id = i + 10;
		(void)snprintf(node[i].name, sizeof(node[i].name), "n%u", i + 10);
	}
	for (uint32_t i = 0; i < 2; i++) {
		link[i] = (struct topo_link){1 - i, 2, INT64_C(100000000000), 1000000};
		flow[i] = (struct load_flow){.start_ps = 1000 * i,
		        .bytes = 5000,
		        .src = i,
		        .dst = 1 - i,
		        .priority = -1};
	}
	scenario_take_links(s, node, 3, 2, link, 2);
	rc = scenario_add_flows(s, flow, 2, e);
	if (!rc)
		rc = scenario_set_key(s, "nic.dcqcn.rpg_ai_rate", "50Mbps", "config.txt:12", e);
	if (!rc)
		rc = scenario_apply_preset(s, "paper", e);
	if (!rc)
		rc = scenario_set_key(s, "fabric.overrides",
		        "[{match: {rate: 100Gbps}, ecn: {kmin: 7KB}}]", "config.txt:30", e);
	if (!rc)
		rc = scenario_finish(s, NULL, 0, NULL, e);
	if (!rc)
		return s;
	scenario_free(s);
	return NULL;
}

static void importers(void **state)
{
	struct err e = {0};
	struct scenario *s = imported(&e), *t;

	(void)state;
	if (!s)
		fail_msg("%s", e.msg);
	assert_string_equal(s->name, "x");
	assert_int_equal(s->topo->node[2].outside_id, 12);
	assert_int_equal(s->topo->port[s->topo->node[2].first_port].peer_node, 1);
	assert_int_equal(s->entry[0].cfg.n_flows, 2);
	assert_int_equal(s->dcqcn.rpg_ai_rate_bps, 50000000);
	assert_int_equal(s->dcqcn.rpg_threshold, 5);
	resolves_to_itself(s);
	scenario_free(s);

	assert_int_equal(scenario_new_defaults(&t, "x", &e), 0);
	assert_int_equal(scenario_set_key(t, "nic.cc", "none", "config.txt:1", &e), 0);
	assert_int_equal(
	        scenario_set_key(t, "nic.np.delai", "1us", "config.txt:2", &e), -EINVAL);
	assert_string_equal(
	        e.msg, "config.txt:2: fabric.nic.np.delai: unknown key; did you mean delay?");
	assert_int_equal(scenario_set_key(t, "nic.np.delay", "1", "config.txt:2", &e), 0);
	assert_int_equal(scenario_finish(t, NULL, 0, NULL, &e), -EINVAL);
	assert_memory_equal(e.msg, "config.txt:2: fabric.nic.np.delay: \"1\" has no unit", 50);
	scenario_free(t);
}

/* The n-th allocation fails, for n = 1, 2, ... until all succeed: an error and no leak. */
static void memory_failures(void **state)
{
	struct scenario *s = NULL;
	long n = 1;

	(void)state;
	for (; !s; n++) {
		struct err e = {0};

		fail_at = n;
		s = imported(&e);
		assert_true(s || e.code < 0 || !fail_at);
		assert_true(n < 100000);
	}
	fail_at = 0;
	assert_true(n > 20);
	scenario_free(s);
}

static void memory_failures_of_files(void **state)
{
	struct scenario *s = NULL;

	(void)state;
	scratch_put(&scratch, "s.yaml", STAR "expect: [drops.total == 0]\n", sizeof(STAR) + 26);
	for (long n = 1; !s; n++) {
		struct err e = {0};
		int rc;

		fail_at = n;
		rc = scenario_load(&s, scratch.path, NULL, 0, NULL, &e);
		assert_true(!rc == (s != NULL));
		assert_true(s || rc == -ENOMEM);
		assert_true(n < 100000);
	}
	fail_at = 0;
	scenario_free(s);
}

static void nowhere_to_write(void **state)
{
	struct scenario *s;
	struct err e = {0};

	(void)state;
	assert_int_equal(scenario_from_text(&s, &scratch, STAR, NULL, &e), 0);
	assert_int_not_equal(scenario_write_resolved(s, "/nowhere/s.yaml", &e), 0);
	assert_non_null(strstr(e.msg, "/nowhere"));
	scenario_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_library),
	        cmocka_unit_test(odd_values),
	        cmocka_unit_test(presets_resolve),
	        cmocka_unit_test(who_wins),
	        cmocka_unit_test(importers),
	        cmocka_unit_test(memory_failures),
	        cmocka_unit_test(memory_failures_of_files),
	        cmocka_unit_test(nowhere_to_write),
	};

	return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
