/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random entries of every pattern: what is accepted gives programs that send to other hosts of
 * the fabric alone, in sizes and QPs within bounds, that never send early, that end after the
 * number of messages their keys say, and whose plan is acyclic. The seed is printed on failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/plan.h"
#include "tests/unit/load_place.h"

#define CASES     4000
#define MAX_HOSTS 40
#define GUARD     UINT64_C(0x6775617264) /* after the state: nothing may write there */

static int64_t pick(struct rng *r, int64_t lo, int64_t hi)
{
	return lo + (int64_t)rng_below(r, (uint64_t)(hi - lo + 1));
}

static void random_flows(struct rng *r, struct load_cfg *c, uint32_t n_hosts)
{
	c->n_flows = pick(r, 1, 50);
	c->flow = calloc((size_t)c->n_flows, sizeof(*c->flow));
	assert_non_null(c->flow);
	for (int64_t i = 0; i < c->n_flows; i++)
		c->flow[i] = (struct load_flow){
		        .src = (uint32_t)pick(r, 0, n_hosts - 1),
		        .dst = (uint32_t)pick(r, 0, n_hosts - 1),
		        .bytes = pick(r, 1, 100000),
		        .start_ps = pick(r, 0, 5),
		        .priority = (int8_t)pick(r, -1, 7),
		};
	/* Half of the lists are repaired, so that enough are accepted. */
	for (int64_t i = 0; pick(r, 0, 1) && i < c->n_flows; i++)
		if (c->flow[i].src == c->flow[i].dst)
			c->flow[i].dst = (c->flow[i].src + 1) % n_hosts;
}

static void random_cdf(struct rng *r, struct load_cfg *c)
{
	int64_t bytes = 0, q32 = 0;

	c->n_cdf = pick(r, 1, 6);
	c->cdf = calloc((size_t)c->n_cdf, sizeof(*c->cdf));
	assert_non_null(c->cdf);
	for (int64_t i = 0; i < c->n_cdf; i++) {
		bytes += pick(r, 0, 5000);
		q32 += (Q32_ONE - q32) / pick(r, 1, 4);
		c->cdf[i] = (struct load_cdf_point){bytes, i + 1 == c->n_cdf ? Q32_ONE : q32};
	}
}

static const enum load_pattern_kind patterns[] = {LOAD_INCAST, LOAD_ALL_TO_ALL, LOAD_RING,
        LOAD_FLOWS, LOAD_POISSON, LOAD_MOE, LOAD_PERMUTATION, LOAD_HOTSPOT};

#define N_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))

static const char *random_hosts(struct rng *r, uint32_t n_hosts)
{
	static char text[64];
	int64_t from = pick(r, 0, n_hosts - 1),
	        to = pick(r, from, n_hosts - (pick(r, 0, 9) > 0));

	(void)snprintf(text, sizeof(text), "%lld-%lld,%lld", (long long)from, (long long)to,
	        (long long)pick(r, 0, n_hosts));
	return text;
}

static struct load_cfg random_cfg(struct rng *r, uint32_t n_hosts)
{
	struct load_cfg c = load_cfg_default(patterns[pick(r, 0, N_PATTERNS - 1)]);

	c.start_ps = pick(r, 0, 100);
	c.message_bytes = pick(r, 0, 3) ? pick(r, 1, 100000) : pick(r, 0, 3);
	c.repeat = pick(r, 1, 6);
	c.period_ps = pick(r, 0, 1) ? pick(r, 0, 1000) : 0;
	c.senders = pick(r, 0, 1) ? pick(r, 1, n_hosts) : LOAD_SENDERS_ALL;
	c.receiver = pick(r, 0, n_hosts - pick(r, 0, 1));
	c.first_host = pick(r, 0, 3) ? 0 : pick(r, 0, n_hosts);
	c.ranks = pick(r, 0, 1) ? pick(r, 0, n_hosts + 1) : 0;
	c.qps = pick(r, 1, 4);
	c.receivers = pick(r, 1, 3);
	c.spread = pick(r, 0, 1);
	c.jitter_ps = pick(r, 0, 1) ? pick(r, 1, 500) : 0;
	c.placement = pick(r, 0, 2);
	c.hosts = pick(r, 0, 3) ? "" : random_hosts(r, n_hosts);
	c.order = pick(r, 0, 2);
	c.skew = pick(r, 0, 2);
	c.zipf_q32 = pick(r, 0, 3 * Q32_ONE);
	c.hot_ranks = pick(r, 1, 3);
	c.hot_share_q32 = pick(r, 0, Q32_ONE);
	c.reshuffle = pick(r, 0, 1);
	c.buffer_bytes = pick(r, 1, 100000);
	c.priority = pick(r, -1, 7);
	c.load_q32 = pick(r, 1000000, Q32_ONE);
	c.flows = pick(r, 0, 200);
	if (c.pattern == LOAD_FLOWS)
		random_flows(r, &c, n_hosts);
	if (c.pattern == LOAD_POISSON)
		random_cdf(r, &c);
	return c;
}

/* What the keys say, independently of the programs. */
static int64_t expected_messages(const struct load_cfg *c)
{
	switch (c->pattern) {
	case LOAD_INCAST:
		return c->senders * c->repeat * (c->spread == SPREAD_SPLIT ? 1 : c->receivers);
	case LOAD_ALL_TO_ALL:
		return c->ranks * (c->ranks - 1) * c->repeat;
	case LOAD_MOE:
		return 2 * c->ranks * (c->ranks - 1) * c->repeat;
	case LOAD_RING:
	case LOAD_PERMUTATION:
	case LOAD_HOTSPOT:
		return c->ranks * c->repeat;
	case LOAD_FLOWS:
		return c->n_flows;
	default:
		return c->flows;
	}
}

static bool send_is_sound(
        const struct load_entry *en, uint32_t host, const struct load_op *op, int64_t slept_ps)
{
	return op->peer < en->env.n_hosts && op->peer != host && op->bytes >= 1 &&
	       op->bytes <= (en->cfg.skew ? 100000 * MAX_HOSTS : 100000) &&
	       op->priority >= -1 && op->priority <= 7 &&
	       (op->qp == LOAD_QP_FRESH || op->qp < (uint64_t)en->cfg.qps) &&
	       (op->t_ps == -1 || op->t_ps <= slept_ps);
}

/* Runs one program on an ideal network; the number of its messages, or -1. */
static int64_t run_program(const struct load_entry *en, uint32_t host)
{
	struct {
		struct load_state st;
		uint64_t guard;
	} s = {{{0}}, GUARD};
	int64_t messages = 0, slept_ps = 0;

	en->ops->start(en, host, 0, &s.st);
	for (int ops = 0; ops < 100000; ops++) {
		struct load_op op;

		en->ops->next(en, &s.st, &op);
		if (s.guard != GUARD)
			return -1;
		if (op.kind == LOAD_END) {
			en->ops->next(en, &s.st, &op); /* the end is for good */
			return op.kind == LOAD_END ? messages : -1;
		}
		if (op.kind == LOAD_SEND) {
			if (!send_is_sound(en, host, &op, slept_ps))
				return -1;
			messages++;
		}
		if (op.kind == LOAD_SLEEP_UNTIL) {
			if (op.t_ps < slept_ps || op.t_ps < en->cfg.start_ps)
				return -1;
			slept_ps = op.t_ps;
		}
	}
	return -1;
}

/* The plan lists a message after all that it depends on: seen[host] messages came before. */
struct order {
	uint64_t seen[MAX_HOSTS];
	int64_t last_start_ps;
	bool sound;
};

static int check_order(void *arg, const struct plan_message *m)
{
	struct order *o = arg;

	if (m->seq != o->seen[m->src] || m->start_ps < o->last_start_ps || m->src == m->dst)
		o->sound = false;
	for (uint32_t i = 0; i < m->n_dep; i++)
		if (m->dep[i].first > m->dep[i].last ||
		        m->dep[i].last >= o->seen[m->dep[i].src])
			o->sound = false;
	o->seen[m->src]++;
	o->last_start_ps = m->start_ps;
	return 0;
}

static const char *check_entry(const struct load_entry *en)
{
	struct order o = {.sound = true};
	struct plan_totals t, only;
	int64_t messages = 0;

	for (uint32_t h = 0; h < en->env.n_hosts; h++) {
		int64_t n = en->ops->involves(en, h) ? run_program(en, h) : 0;

		if (n < 0)
			return "a program is unsound";
		if (en->ops->involves(en, h) && !n && en->cfg.pattern != LOAD_POISSON)
			return "a host takes part that sends nothing";
		messages += n;
	}
	if (messages != expected_messages(&en->cfg))
		return "the number of messages is wrong";
	if (plan_run(en, 1, UINT64_MAX, check_order, &o, &t, NULL) || !o.sound)
		return "the plan is out of order";
	if (plan_run(en, 1, UINT64_MAX, NULL, NULL, &only, NULL) ||
	        only.messages != t.messages || only.bytes != t.bytes)
		return "who only counts counts otherwise";
	if (t.messages != (uint64_t)messages)
		return "the plan lists another number of messages";
	return NULL;
}

static void test_random_entries(void **state)
{
	int accepted[LOAD_TRAINING + 1] = {0}, refused = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct rng r = rng_make(seed, 0, RNG_LOAD);
		struct load_place p;
		struct load_cfg c;
		struct load_entry en;
		struct err e = {0};
		const char *wrong;
		int rc;

		load_place_init(&p, (uint32_t)pick(&r, 2, MAX_HOSTS));
		p.env.seed = seed;
		c = random_cfg(&r, p.env.n_hosts);
		rc = load_entry_init(&en, &c, &p.env, 0, &e);
		if (rc) {
			refused++;
			if (rc != -EINVAL || strncmp(e.msg, "workload[0].", 12) != 0)
				fail_msg("seed %llu: %d \"%s\"", (unsigned long long)seed, rc,
				        e.msg);
			continue;
		}
		accepted[c.pattern]++;
		wrong = check_entry(&en);
		if (wrong)
			fail_msg("seed %llu, %s: %s", (unsigned long long)seed, en.ops->name,
			        wrong);
		load_entry_fini(&en);
	}
	assert_true(refused > CASES / 50);
	for (size_t k = 0; k < N_PATTERNS; k++)
		assert_true(accepted[patterns[k]] > CASES / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_entries)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
