/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/sim/capture_int.h"
#include "gen/sim/partition.h"
#include "gen/sim/sim_int.h"
#include "gen/sim/world.h"

static void *thread_main(void *arg)
{
	(void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL); /* cannot fail */
	sim_thread_run(arg);
	return NULL;
}

/* The calling thread runs part 0; until it does, the others wait at the first barrier. */
static int run_threads(struct sim *s, struct err *e)
{
	uint32_t started;
	int rc = 0;

	for (started = 1; started < s->n_threads && !rc; started++)
		rc = pthread_create(
		        &s->thread[started]->thread, NULL, thread_main, s->thread[started]);
	if (rc) {
		started--;
		rc = err_set(e, -rc, "cannot start thread %u: %s", started, strerror(rc));
	}
	rc = world_agree(s->cfg->world, rc, e);
	if (!rc)
		sim_thread_run(s->thread[0]);
	for (uint32_t i = 1; i < started; i++) {
		if (rc) /* it waits for one that never comes */
			pthread_cancel(s->thread[i]->thread);
		pthread_join(s->thread[i]->thread, NULL);
	}
	return rc;
}

static int check_cfg(const struct sim_cfg *cfg, struct err *e)
{
	if (cfg->capture && cfg->world)
		return err_set(e, -EINVAL,
		        "measure.capture: a run on several processes cannot be captured: run "
		        "it "
		        "without mpirun, with --threads, or without the capture");
	if (cfg->threads > 64)
		return err_set(e, -EINVAL, "threads: %u asked for, at most 64", cfg->threads);
	if (cfg->stop_ps != TIME_NEVER && cfg->stop_ps > SIM_TIME_MAX)
		return err_set(e, -EINVAL,
		        "stop.after: %" PRId64 " s asked for, virtual time goes to %" PRId64
		        " s",
		        cfg->stop_ps / PS_PER_S, SIM_TIME_MAX / PS_PER_S);
	return 0;
}

int sim_check(const struct sim_cfg *cfg, struct err *e)
{
	const int rc = check_cfg(cfg, e);

	return rc ? rc : sim_partition_check(cfg, e);
}

/* The program that has most to do: a window in which one had too much still ends. */
static int too_fast(const struct sim_thread *th, struct err *e)
{
	const struct sim *s = th->sim;
	const struct host_program *most = NULL;
	uint32_t host = 0;

	for (uint32_t h = 0; h < s->topo->n_hosts; h++) {
		for (uint32_t i = 0; i < s->host[h].host.n_programs; i++) {
			const struct host_program *p = &s->host[h].host.program[i];

			if (most && p->open <= most->open)
				continue;
			most = p;
			host = h;
		}
	}
	return err_set(e, -EINVAL,
	        "workload[%u]: at %" PRId64 " us %s has %" PRIu64
	        " of its messages unfinished: it posts them faster than they can be sent: "
	        "raise its period or size, or lower its load or repeat",
	        most ? most->entry->index : 0, th->start_ps / PS_PER_US,
	        s->topo->node[host].name, HOST_MAX_WAITING);
}

/* What a thread could not have, in words. */
static int failure(const struct sim_thread *th, struct err *e)
{
	switch (th->failure) {
	case 0:
		return 0;
	case -EOVERFLOW:
		return too_fast(th, e);
	case -EMSGSIZE:
		return err_set(e, -EINVAL,
		        "workload: at %" PRId64
		        " us an entry with transport: ud sends a message "
		        "of more than one packet: use smaller messages, rc or uc",
		        th->start_ps / PS_PER_US);
	case -ENOSPC:
		return err_set(e, -EINVAL,
		        "at %" PRId64 " us there are more QPs than are possible, %u per host "
		        "and %u in all (fewer "
		        "where address space is limited): use fewer or larger messages, or a "
		        "lower load",
		        th->start_ps / PS_PER_US, RNIC_MAX_QPS, th->sim->arena.max);
	default:
		return err_set(e, th->failure, "out of memory at %" PRId64 " us",
		        th->start_ps / PS_PER_US);
	}
}

int sim_run(struct run_record **out, const struct sim_cfg *cfg, struct err *e)
{
	struct sim *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_set(e, -ENOMEM, "no memory for a run");
	rc = check_cfg(cfg, e);
	if (!rc)
		rc = sim_setup(s, cfg, e);
	rc = world_agree(cfg->world, rc, e);
	if (!rc)
		rc = run_threads(s, e);
	if (!rc && cfg->capture)
		sim_capture_flush(s, s->run_ps);
	for (uint32_t i = 0; !rc && i < s->n_threads; i++)
		rc = failure(s->thread[i], e);
	rc = world_agree(cfg->world, rc, e);
	if (!rc)
		rc = sim_collect(s, out, e);
	if (s->cfg)
		sim_teardown(s);
	free(s);
	return rc;
}
