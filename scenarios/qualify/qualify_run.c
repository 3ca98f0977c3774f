/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_run.h"

#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/process.h"
#include "dataplane/fabric/defect.h"
#include "scenarios/qualify/qualify_judge.h"
#include "scenarios/run_sim.h"

#define MAX_THREADS 64

/* What the workers share. */
struct pool {
	struct qualify_result *res;
	const struct qualify_options *opt;
	pthread_mutex_t lock; /* next, n_done, defect, failure */
	uint32_t next, n_done;
	int64_t defect; /* planted in the switch of a case that was run */
	struct err failure;
	atomic_bool own_stop; /* where the caller has none */
	atomic_bool *stop;
};

/* The last defect in the list of those that are planted, whoever asked for them, or 0. */
static int64_t planted(const struct scenario *s)
{
	int64_t defect = FABRIC_SOUND;

	for (uint32_t i = 0; i < s->topo->n_profiles; i++)
		if (s->topo->profile[i].defect > defect)
			defect = s->topo->profile[i].defect;
	return defect;
}

/* What a case says about the whole. */
struct case_facts {
	int64_t defect;
	bool out_of_memory;
};

static int run_case(struct verdict_case *v, struct case_facts *facts, const struct qcase *c,
        struct arena *arena, const struct qualify_options *opt, atomic_bool *stop,
        struct err *e)
{
	struct qrun r = {.c = c, .asic = opt->asic, .arena = arena};
	const struct run_options how = {.threads = 1,
	        .version = "",
	        .stop = stop,
	        .tap = qualify_capture_tap,
	        .tap_arg = &r.cap};
	const double start_s = process_wall_s();
	struct run_outcome o = {0};
	struct scenario *s = NULL;
	int rc = qualify_scenario(&s, c, opt->asic, opt->set, opt->n_set, e);

	*facts = (struct case_facts){.defect = rc ? FABRIC_SOUND : planted(s)};
	if (!rc)
		rc = qualify_capture_init(&r.cap, c, e);
	if (!rc)
		rc = run_sim(&o, s, &how, e);
	r.scenario = s;
	r.rec = o.rec;
	r.summary = &o.summary;
	if (!rc && o.rec->end != RUN_INTERRUPTED)
		rc = qualify_judge(v, &r, e);
	facts->out_of_memory = !rc && o.out_of_memory;
	v->wall_s = process_wall_s() - start_s;
	run_outcome_fini(&o);
	qualify_capture_fini(&r.cap);
	scenario_free(s);
	return rc;
}

/* The next case, or UINT32_MAX when there is none, or no more are wanted. */
static uint32_t take(struct pool *p)
{
	uint32_t i = UINT32_MAX;

	(void)pthread_mutex_lock(&p->lock);
	if (p->next < p->res->v.n_cases && !p->failure.code && !atomic_load(p->stop))
		i = p->next++;
	(void)pthread_mutex_unlock(&p->lock);
	return i;
}

static void finish(
        struct pool *p, uint32_t i, const struct case_facts *facts, int rc, const struct err *e)
{
	(void)pthread_mutex_lock(&p->lock);
	if (facts->defect > p->defect)
		p->defect = facts->defect;
	p->res->out_of_memory |= facts->out_of_memory;
	if (rc && !p->failure.code) {
		p->failure = *e;
		p->failure.code = rc;
	} else if (!rc && p->res->v.c[i].status != VERDICT_NOT_RUN) {
		p->n_done++;
		if (p->opt->done)
			p->opt->done(p->opt->done_arg, &p->res->v.c[i], p->n_done,
			        p->res->v.n_cases);
	}
	(void)pthread_mutex_unlock(&p->lock);
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	uint32_t i;

	while ((i = take(p)) != UINT32_MAX) {
		struct err e = {0};
		struct case_facts facts;
		int rc;

		if (p->res->v.c[i].status == VERDICT_NOT_APPLICABLE)
			facts = (struct case_facts){.defect = FABRIC_SOUND};
		rc = p->res->v.c[i].status == VERDICT_NOT_APPLICABLE
		             ? 0
		             : run_case(&p->res->v.c[i], &facts, p->res->run[i],
		                       &p->res->arena[i], p->opt, p->stop, &e);
		finish(p, i, &facts, rc, &e);
	}
	return NULL;
}

static bool is_wanted(const struct qcase *c, const char *only)
{
	char full[500];

	(void)snprintf(full, sizeof(full), "%s.%s", c->suite, c->name);
	return !only || !fnmatch(only, full, 0) || !strcmp(only, c->cfg.name) ||
	       !strncmp(full, only, strlen(only));
}

static int choose(struct qualify_result *res, struct qsuite *const *suite, uint32_t n_suites,
        const struct qualify_options *opt, struct err *e)
{
	uint32_t room = 1;

	for (uint32_t s = 0; s < n_suites; s++)
		room += suite[s]->n_cases;
	res->v.c = calloc(room, sizeof(*res->v.c));
	res->run = calloc(room, sizeof(*res->run));
	res->arena = calloc(room, sizeof(*res->arena));
	res->set = calloc(opt->n_set + 1, sizeof(*res->set));
	if (!res->v.c || !res->run || !res->arena || !res->set)
		return err_set(e, -ENOMEM, "qualify: no memory for %u cases", room);
	for (uint32_t i = 0; i < opt->n_set; i++)
		res->set[i] = (struct verdict_set){opt->set[i].key, opt->set[i].value};
	res->v.set = res->set;
	res->v.n_set = opt->n_set;
	for (uint32_t s = 0; s < n_suites; s++)
		for (uint32_t i = 0; i < suite[s]->n_cases; i++) {
			const struct qcase *c = &suite[s]->c[i];

			if (!is_wanted(c, opt->only))
				continue;
			res->v.c[res->v.n_cases] = (struct verdict_case){.suite = c->suite,
			        .name = c->name,
			        .doc = c->cfg.doc,
			        .follows = c->cfg.follows,
			        .reason = "",
			        .status = VERDICT_NOT_RUN};
			res->run[res->v.n_cases++] = c;
		}
	if (!res->v.n_cases)
		return err_set(e, -EINVAL,
		        "--only %s: no case fits; squall qualify --list names them", opt->only);
	return 0;
}

static int run_all(struct pool *p, struct err *e)
{
	pthread_t thread[MAX_THREADS];
	uint32_t n = p->opt->threads < MAX_THREADS ? p->opt->threads : MAX_THREADS, started = 0;

	if (n > p->res->v.n_cases)
		n = p->res->v.n_cases;
	while (started + 1 < n && !pthread_create(&thread[started], NULL, worker, p))
		started++;
	(void)worker(p); /* fewer threads than wanted only take longer */
	for (uint32_t i = 0; i < started; i++)
		(void)pthread_join(thread[i], NULL);
	if (p->failure.code)
		return err_set(e, p->failure.code, "%s", p->failure.msg);
	return 0;
}

/* A watchdog as a whole is a case's own affair. */
static int check_sets(const struct qualify_options *opt, struct err *e)
{
	for (uint32_t i = 0; i < opt->n_set; i++)
		if (!strcmp(opt->set[i].key, "fabric.switch.watchdog") ||
		        !strcmp(opt->set[i].key, "switch.watchdog"))
			return err_set(e, -EINVAL,
			        "--set %s: each case says whether there is a watchdog; set "
			        "%s.detect, restore or poll",
			        opt->set[i].key, opt->set[i].key);
	return 0;
}

static void set_aside(struct verdict_case *v, const char *reason)
{
	v->status = VERDICT_NOT_APPLICABLE;
	v->reason = reason;
}

/* Can it be run with this switch, and if not, whose affair is that. */
static int check_case(struct verdict_case *v, const struct qcase *c, struct arena *arena,
        const struct qualify_options *opt, struct err *e)
{
	struct scenario *s = NULL;
	const char *unfit;
	int rc;

	if (c->lacks) {
		set_aside(v, c->lacks);
		return 0;
	}
	rc = qualify_scenario(&s, c, opt->asic, opt->set, opt->n_set, e);
	if (rc == QUALIFY_LACKS) {
		unfit = e ? arena_text(arena, e->msg, strlen(e->msg)) : "";
		set_aside(v, unfit ? unfit : "");
		return 0;
	}
	if (rc)
		return rc;
	unfit = qualify_unfit(s, c, arena);
	if (unfit)
		set_aside(v, unfit);
	else
		rc = qualify_fits_buffer(s, e);
	scenario_free(s);
	return rc ? err_prefix(e, "%s.%s", c->suite, c->name) : 0;
}

/* Before any case takes its time: is each one that can be run. */
static int check_cases(struct qualify_result *res, const struct qualify_options *opt,
        const atomic_bool *stop, struct err *e)
{
	bool any = false;

	for (uint32_t i = 0; i < res->v.n_cases && !atomic_load(stop); i++) {
		struct verdict_case *v = &res->v.c[i];
		int rc = check_case(v, res->run[i], &res->arena[i], opt, e);

		if (rc)
			return rc;
		any |= v->status != VERDICT_NOT_APPLICABLE;
	}
	if (!any && !atomic_load(stop))
		return err_set(e, -EINVAL, "no case is for this switch: %s.%s %s",
		        res->v.c[0].suite, res->v.c[0].name, res->v.c[0].reason);
	return 0;
}

int qualify_run(struct qualify_result *res, struct qsuite *const *suite, uint32_t n_suites,
        const struct qualify_options *opt, struct err *e)
{
	struct pool p = {.res = res, .opt = opt, .lock = PTHREAD_MUTEX_INITIALIZER};
	const double start_s = process_wall_s();
	int rc;

	memset(res, 0, sizeof(*res));
	p.stop = opt->stop ? opt->stop : &p.own_stop;
	rc = check_sets(opt, e);
	if (!rc)
		rc = choose(res, suite, n_suites, opt, e);
	if (!rc)
		rc = check_cases(res, opt, p.stop, e);
	if (!rc)
		rc = run_all(&p, e);
	if (rc) {
		qualify_result_fini(res);
		return rc;
	}
	if (p.defect)
		res->v.defect = fabric_defect_words[p.defect].word;
	res->v.asic = opt->asic->name;
	res->v.asic_doc = opt->asic->cfg.doc;
	res->v.interrupted = atomic_load(p.stop);
	res->v.wall_s = process_wall_s() - start_s;
	verdict_count(&res->v);
	return 0;
}

void qualify_result_fini(struct qualify_result *res)
{
	for (uint32_t i = 0; i < res->v.n_cases; i++)
		arena_fini(&res->arena[i]);
	free(res->arena);
	free(res->run);
	free(res->set);
	free(res->v.c);
	memset(res, 0, sizeof(*res));
}
