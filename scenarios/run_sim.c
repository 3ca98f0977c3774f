/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/run_sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/expect.h"
#include "analysis/out_file.h"
#include "analysis/process.h"
#include "gen/sim/world.h"
#include "scenarios/config_rows.h"
#include "scenarios/run_collectives.h"
#include "scenarios/run_entries.h"
#include "scenarios/run_files.h"
#include "scenarios/scenario_int.h"
#include "scenarios/tap_pcapng.h"

/* What must stay free to write the results: their scratch space is a share of the records. */
#define MEMORY_KEPT_BYTES             (INT64_C(32) << 20)
#define MEMORY_KEPT_PER_MESSAGE_BYTES 32

struct watch {
	struct run_outcome *o;
	const struct run_options *opt;
	uint64_t max_messages; /* 0: no limit */
};

/* Linux grants more memory than it has and kills whoever uses it; so a run that grows too large
 * ends while there is still room for its results. */
static void watch_memory(void *arg, const struct sim_progress *p)
{
	struct watch *w = arg;
	const uint64_t limit = w->max_messages ? w->max_messages : UINT64_MAX;
	uint64_t messages = p->messages_done < limit ? p->messages_done : limit;
	int64_t kept = MEMORY_KEPT_BYTES + (int64_t)messages * MEMORY_KEPT_PER_MESSAGE_BYTES;

	if (w->opt->progress)
		w->opt->progress(w->opt->progress_arg, p);
	if (process_memory_left_bytes(NULL) >= kept)
		return;
	w->o->out_of_memory = true;
	atomic_store(w->opt->stop, true);
}

struct sim_cfg run_sim_cfg(const struct scenario *s)
{
	return (struct sim_cfg){
	        .topo = s->topo,
	        .frame = &s->frame,
	        .nic = &s->nic,
	        .dcqcn = &s->dcqcn,
	        .np = &s->np,
	        .entry = s->entry,
	        .n_entries = s->n_entries,
	        .fault = s->fault,
	        .n_faults = s->n_faults,
	        .seed = (uint64_t)s->run.seed,
	        .stop_ps = s->run.stop_after_ps,
	        .stop_on_deadlock = s->run.stop_on_deadlock,
	        .series_ps = s->measure.series_ps,
	        .max_messages = (uint64_t)s->measure.max_messages,
	        .sample_messages = (uint64_t)s->measure.sample_messages,
	        .threads = 1,
	};
}

static int simulate(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, const struct tap_pcapng *tap, struct err *e)
{
	struct watch watch = {o, opt, (uint64_t)s->measure.max_messages};
	struct sim_cfg cfg = run_sim_cfg(s);
	int rc;

	cfg.threads = opt->threads;
	cfg.progress = watch_memory;
	cfg.progress_arg = &watch;
	cfg.stop = opt->stop;
	cfg.world = opt->world;
	cfg.tap = opt->tap;
	cfg.tap_arg = opt->tap_arg;
	cfg.capture = tap_pcapng_capture(tap);
	rc = sim_run(&o->rec, &cfg, e);
	return rc == -EINVAL ? scenario_place_err(s, NULL, rc, e) : rc;
}

static int name_places(struct run_outcome *o, const struct topo *t, struct err *e)
{
	o->node_name = calloc(t->n_nodes + 1, sizeof(*o->node_name));
	o->first_port = calloc(t->n_nodes + 1, sizeof(*o->first_port));
	o->peer_node = calloc(t->n_ports + 1, sizeof(*o->peer_node));
	if (!o->node_name || !o->first_port || !o->peer_node)
		return err_set(e, -ENOMEM, "results: out of memory for the names of %u nodes",
		        t->n_nodes);
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		o->node_name[i] = t->node[i].name;
		o->first_port[i] = t->node[i].first_port;
	}
	for (uint32_t i = 0; i < t->n_ports; i++)
		o->peer_node[i] = t->port[i].peer_node;
	return 0;
}

static int name_faults(struct run_outcome *o, const struct scenario *s, struct err *e)
{
	o->fault_name = calloc(s->n_faults + 1, sizeof(*o->fault_name));
	o->fault_text = calloc(s->n_faults + 1, sizeof(*o->fault_text));
	if (!o->fault_name || !o->fault_text)
		return err_set(e, -ENOMEM, "results: out of memory for the names of %u faults",
		        s->n_faults);
	for (uint32_t i = 0; i < s->n_faults; i++)
		o->fault_name[i] = scenario_fault_name(o->fault_text[i], s, i);
	return 0;
}

static int describe(struct run_outcome *o, const struct scenario *s,
        const struct run_options *opt, struct err *e)
{
	int r = name_places(o, s->topo, e);

	if (!r)
		r = net_view_init(&o->net, s->topo, e);
	if (!r)
		r = config_rows_init(&o->config, &o->n_config, s, e);
	if (!r)
		r = name_faults(o, s, e);
	if (r)
		return r;
	o->result = (struct run_result){
	        .rec = o->rec,
	        .engine = "sim",
	        .scenario = s->name,
	        .seed = (uint64_t)s->run.seed,
	        .n_hosts = s->topo->n_hosts,
	        .node_name = o->node_name,
	        .first_port = o->first_port,
	        .peer_node = o->peer_node,
	        .net = &o->net,
	        .config = o->config,
	        .n_config = o->n_config,
	        .fault_name = o->fault_name,
	        .percentile = s->measure.percentile,
	        .n_percentile = s->measure.n_percentile,
	        .version = opt->version,
	        .machine = process_machine(o->machine, sizeof(o->machine)),
	        .started = o->started,
	};
	r = run_collectives(&o->collective, &o->result.n_collective, s->entry, s->n_entries, e);
	if (r)
		return r;
	o->result.collective = o->collective;
	r = run_entries(&o->entry, o->rec, s, e);
	if (r)
		return r;
	o->result.entry = o->entry;
	o->result.n_entries = s->n_entries;
	if (o->out_of_memory)
		o->result.tainted[o->result.n_tainted++] = "out of memory";
	summary_taint(&o->result);
	return summary_init(&o->summary, &o->result, e);
}

static int judge(struct run_outcome *o, const struct scenario *s, struct err *e)
{
	o->expect = calloc(s->n_expect + 1, sizeof(*o->expect));
	if (!o->expect)
		return err_set(e, -ENOMEM, "results: out of memory for expectations");
	for (uint32_t i = 0; i < s->n_expect; i++) {
		struct expectation x;
		int r = expect_parse(&x, s->expect[i], NULL, e);

		if (r)
			return r;
		expect_eval(&o->expect[i], &x, s->expect[i], &o->summary);
	}
	o->result.expect = o->expect;
	o->result.n_expect = s->n_expect;
	return 0;
}

void run_take_costs(struct run_outcome *o, double start_s)
{
	o->result.wall_s = process_wall_s() - start_s;
	o->result.cpu_s = process_cpu_s() + o->others_cpu_s;
	o->result.rss_bytes = process_rss_bytes() + o->others_rss_bytes;
	summary_set_costs(&o->summary, &o->result);
}

static bool leads(const struct run_options *opt)
{
	return !opt->world || opt->world->rank == 0;
}

/* What the run cost the other processes, and whether one of them ran short of memory. */
static void add_others(struct run_outcome *o, struct world *w)
{
	const int64_t cpu_us = (int64_t)(process_cpu_s() * 1e6),
	              rss_bytes = process_rss_bytes();

	if (!w)
		return;
	o->others_cpu_s = (double)(world_sum(w, cpu_us) - cpu_us) * 1e-6;
	o->others_rss_bytes = world_sum(w, rss_bytes) - rss_bytes;
	o->out_of_memory = world_max(w, o->out_of_memory) != 0;
}

int run_sim(struct run_outcome *o, const struct scenario *s, const struct run_options *opt,
        struct err *e)
{
	double start_s = process_wall_s();
	struct tap_pcapng *tap = NULL;
	struct out_set set;
	int r;

	memset(o, 0, sizeof(*o));
	out_set_init(&set);
	process_utc(o->started, sizeof(o->started));
	r = opt->out_dir && leads(opt) ? out_folder_check(opt->out_dir, e) : 0;
	r = world_agree(opt->world, r, e);
	if (!r && s->capture.port && opt->out_dir)
		r = tap_pcapng_open(&tap, &set, s, opt->out_dir, opt->version, opt->stop, e);
	if (!r)
		r = simulate(o, s, opt, tap, e);
	if (!r)
		add_others(o, opt->world);
	tap_pcapng_close(tap, r ? 0 : o->rec->t_end_ps);
	if (r || !leads(opt)) {
		out_set_abort(&set);
		return r;
	}
	r = describe(o, s, opt, e);
	if (!r)
		r = judge(o, s, e);
	if (!r && opt->out_dir)
		r = run_files_write(o, s, opt, start_s, &set, e);
	else if (!r)
		run_take_costs(o, start_s);
	out_set_abort(&set);
	if (r)
		run_outcome_fini(o);
	return r;
}

void run_outcome_fini(struct run_outcome *o)
{
	run_record_free(o->rec);
	free(o->node_name);
	free(o->first_port);
	free(o->peer_node);
	net_view_fini(&o->net);
	config_rows_fini(o->config, o->n_config);
	free(o->fault_name);
	free(o->fault_text);
	free(o->expect);
	free(o->collective);
	free(o->entry);
	memset(o, 0, sizeof(*o));
}

uint32_t run_outcome_failed(const struct run_outcome *o)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->result.n_expect && run_judged(&o->result); i++)
		n += !o->expect[i].holds;
	return n;
}
