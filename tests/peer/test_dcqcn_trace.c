/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reaction point against rate traces of the HPCC authors' ns-3 simulator: every decrease
 * and increase of every flow at its time, to 1 bit/s and nine digits of alpha. The traces do
 * not hold the CNPs. They are inferred: none in a grid period without a cut; in one with a cut,
 * every non-empty choice of the stretches between its timers is tried and must explain what
 * follows.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gen/cc/dcqcn_rp.h"
#include "tests/support/dcqcn_presets.h"
#include "tests/support/reference.h"

#define MAX_EVENTS     32768
#define MAX_CANDIDATES 64
#define MAX_STRETCHES  8
#define ANY_PATH       600

struct event {
	int64_t t_ps, rate_bps, target_bps;
	double alpha;
	uint32_t node, stage;
	bool increase;
};

struct trace {
	struct event event[MAX_EVENTS];
	size_t n;
	struct dcqcn_rp_params params;
};

/* What a run so far may look like: our own state after the CNPs tried. */
struct candidates {
	struct dcqcn_rp rp[MAX_CANDIDATES];
	size_t n;
};

static struct trace trace;
static size_t compared, exact;

static double number_after(const char *config, const char *key)
{
	const char *at = config;
	size_t len = strlen(key);

	while (at && !(strncmp(at, key, len) == 0 && at[len] == ' ')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		fail_msg("no %s in config.txt", key);
	return strtod(at + len, NULL);
}

static char *read_all(const char *name, bool *found)
{
	static char text[4 << 20];
	char path[ANY_PATH], command[ANY_PATH + 160];
	FILE *f;
	size_t n;

	(void)reference_path(path, sizeof(path), "peer-sim/cases");
	(void)snprintf(command, sizeof(command), "exec gzip -cdf '%s/%s' 2>&-", path, name);
	f = popen(command, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	*found = pclose(f) == 0;
	return text;
}

static void read_config(const char *name)
{
	char file[100];
	struct dcqcn_cfg cfg = dcqcn_cfg_ns3();
	bool found;
	const char *text, *rate;
	int64_t line_bps;

	(void)snprintf(file, sizeof(file), "%s/topology.txt", name);
	text = read_all(file, &found);
	assert_true(found);
	rate = strstr(text, "Gbps");
	assert_non_null(rate);
	while (rate > text && rate[-1] != ' ')
		rate--;
	line_bps = strtol(rate, NULL, 10) * 1000000000;

	(void)snprintf(file, sizeof(file), "%s/config.txt", name);
	text = read_all(file, &found);
	assert_true(found);
	cfg.dce_tcp_rtt_ps = (int64_t)number_after(text, "ALPHA_RESUME_INTERVAL") * PS_PER_US;
	cfg.rate_reduce_monitor_period_ps =
	        (int64_t)number_after(text, "RATE_DECREASE_INTERVAL") * PS_PER_US;
	cfg.rpg_time_reset_ps = (int64_t)number_after(text, "RP_TIMER") * PS_PER_US;
	cfg.g_q32 = (int64_t)(number_after(text, "EWMA_GAIN") * (double)Q32_ONE);
	cfg.rpg_threshold = (int64_t)number_after(text, "FAST_RECOVERY_TIMES");
	cfg.rpg_ai_rate_bps = (int64_t)number_after(text, "RATE_AI") * 1000000;
	cfg.rpg_hai_rate_bps = (int64_t)number_after(text, "RATE_HAI") * 1000000;
	cfg.rpg_min_rate_bps = (int64_t)number_after(text, "MIN_RATE") * 1000000;
	cfg.clamp_tgt_rate = (int64_t)number_after(text, "CLAMP_TARGET_RATE");
	dcqcn_rp_params_init(&trace.params, &cfg, line_bps);
}

static void read_events(const char *name)
{
	char file[100];
	bool found;
	char *text, *line;

	(void)snprintf(file, sizeof(file), "%s/rate.txt", name);
	text = read_all(file, &found);
	if (!found) {
		(void)snprintf(file, sizeof(file), "%s/rate.txt.gz", name);
		text = read_all(file, &found);
	}
	assert_true(found);
	trace.n = 0;
	for (line = strtok_r(text, "\n", &text); line; line = strtok_r(NULL, "\n", &text)) {
		struct event *e = &trace.event[trace.n++];
		int64_t t_ns;
		char kind[4];

		assert_true(trace.n <= MAX_EVENTS);
		assert_int_equal(sscanf(line,
		                         "%" SCNd64 " %" SCNu32 " %3s %" SCNd64 " %" SCNd64
		                         " %lf %" SCNu32,
		                         &t_ns, &e->node, kind, &e->rate_bps, &e->target_bps,
		                         &e->alpha, &e->stage),
		        7);
		e->t_ps = ps_from_ns(t_ns);
		e->increase = strcmp(kind, "inc") == 0;
	}
	assert_true(trace.n > 0);
}

static bool agrees(struct dcqcn_rp *rp, const struct event *e)
{
	double alpha = (double)dcqcn_rp_alpha_q62(rp, &trace.params, e->t_ps) / (double)Q62_ONE;

	if (fabs(alpha - e->alpha) > 0.6e-9 || llabs(rp->rate_bps - e->rate_bps) > 1 ||
	        llabs(rp->target_bps - e->target_bps) > 1)
		return false;
	if (e->increase && rp->increase_ps != TIME_NEVER && rp->time_stage != e->stage + 1)
		return false;
	compared++;
	exact += rp->rate_bps == e->rate_bps && rp->target_bps == e->target_bps;
	/* Each step is judged for itself: an earlier bit/s must not add up. */
	rp->rate_bps = e->rate_bps;
	rp->target_bps = e->target_bps;
	return true;
}

static void add_candidate(struct candidates *c, const struct dcqcn_rp *rp)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (memcmp(&c->rp[i], rp, sizeof(*rp)) == 0)
			return;
	assert_true(c->n < MAX_CANDIDATES);
	c->rp[c->n++] = *rp;
}

/* Instants in [from, to) from which a CNP counts differently: `from` itself and alpha ticks. */
static size_t stretches(
        int64_t at[MAX_STRETCHES], int64_t t0_ps, int64_t from_ps, int64_t to_ps)
{
	int64_t period_ps = trace.params.alpha_period_ps;
	int64_t tick_ps = t0_ps + ((from_ps - t0_ps) / period_ps + 1) * period_ps;
	size_t n = 0;

	at[n++] = from_ps;
	for (; tick_ps < to_ps; tick_ps += period_ps) {
		assert_true(n < MAX_STRETCHES);
		at[n++] = tick_ps;
	}
	return n;
}

/* An increase at the very time of a cut goes before it; looked at as if there were no cut. */
static bool increase_agrees(const struct dcqcn_rp *rp, const struct event *e)
{
	struct dcqcn_rp without_cut = *rp;

	without_cut.cnp_for_cut = false;
	without_cut.due_ps = without_cut.increase_ps;
	dcqcn_rp_advance(&without_cut, &trace.params, e->t_ps);
	return agrees(&without_cut, e);
}

/* One grid period with CNPs at the chosen instants: its increases, then perhaps the cut at its
 * end, must come out as in the trace. */
static bool explains(struct dcqcn_rp *rp, const int64_t *at, size_t n, unsigned chosen,
        int64_t end_ps, const struct event *const *ev, size_t n_ev)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		int64_t next_ps = i + 1 < n ? at[i + 1] : end_ps;

		if (chosen & 1u << i)
			dcqcn_rp_cnp(rp, &trace.params, at[i]);
		for (; k < n_ev && ev[k]->increase && ev[k]->t_ps <= next_ps; k++) {
			if (ev[k]->t_ps < end_ps) {
				dcqcn_rp_advance(rp, &trace.params, ev[k]->t_ps);
				if (!agrees(rp, ev[k]))
					return false;
			} else if (!increase_agrees(rp, ev[k])) {
				return false;
			}
		}
	}
	dcqcn_rp_advance(rp, &trace.params, end_ps);
	return k == n_ev || agrees(rp, ev[k]);
}

/* Returns how many events the flow has. */
static size_t check_flow(uint32_t node)
{
	static const struct event *ev[MAX_EVENTS];
	static struct candidates now, next;
	const int64_t period_ps = trace.params.cut_period_ps;
	size_t n = 0, i, k = 0;
	int64_t t0_ps, from_ps, end_ps;

	for (i = 0; i < trace.n; i++)
		if (trace.event[i].node == node)
			ev[n++] = &trace.event[i];
	if (!n)
		return 0;
	/* The first grid tick always cuts; it is one period and the offset after the first CNP.
	 */
	t0_ps = ev[0]->t_ps - period_ps - trace.params.cut_grid_offset_ps;
	dcqcn_rp_init(&now.rp[0], &trace.params);
	dcqcn_rp_cnp(&now.rp[0], &trace.params, t0_ps);
	now.n = 1;
	from_ps = t0_ps + 1; /* the first CNP itself does not count for alpha */
	for (end_ps = ev[0]->t_ps; k < n; from_ps = end_ps, end_ps += period_ps) {
		int64_t at[MAX_STRETCHES];
		size_t n_at = stretches(at, t0_ps, from_ps, end_ps), n_ev = 0;
		unsigned chosen, first, last;

		while (k + n_ev < n && ev[k + n_ev]->t_ps <= end_ps)
			n_ev++;
		last = n_ev && !ev[k + n_ev - 1]->increase ? (1u << n_at) - 1 : 0;
		first = last &&
		        end_ps != ev[0]->t_ps; /* the first period has its CNP already */
		next.n = 0;
		for (i = 0; i < now.n; i++)
			for (chosen = first; chosen <= last; chosen++) {
				struct dcqcn_rp rp = now.rp[i];

				if (explains(&rp, at, n_at, chosen, end_ps, ev + k, n_ev))
					add_candidate(&next, &rp);
			}
		if (!next.n)
			fail_msg("node %u: nothing explains what happens up to %" PRId64 " ns",
			        node, end_ps / PS_PER_NS);
		now = next;
		k += n_ev;
	}
	return n;
}

static void check_case(void **state)
{
	const char *name = *state;
	uint32_t node;
	size_t events = 0;

	read_config(name);
	read_events(name);
	compared = exact = 0;
	for (node = 0; node < 64; node++)
		events += check_flow(node);
	print_message("  %s: %zu events; %zu comparisons, %zu of them exact\n", name, trace.n,
	        compared, exact);
	assert_int_equal(events, trace.n);
}

#define CASE(name) cmocka_unit_test_prestate(check_case, (char[]){name})

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE("incast8"),
	        CASE("incast8__dcqcn_paper"),
	        CASE("fair2"),
	        CASE("fixpt40_n2_d4"),
	        CASE("fixpt40_n10_d4"),
	        CASE("fixpt40_n10_d85"),
	};
	char path[ANY_PATH];

	(void)reference_path(path, sizeof(path), "peer-sim/cases");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
