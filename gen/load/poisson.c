/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open load: every host starts flows at the times of its own Poisson process, to a destination
 * drawn evenly among the others, of a size drawn from a distribution, each on a queue pair of
 * its own. With wire bytes W per message on average, rate * load / (8 W) flows per second fill
 * the share `load` of a host's link.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/cdf.h"
#include "gen/load/exponential.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/time_heap.h"

enum { W_TIMES, W_SIZES, W_T_PS, W_GAP_Q16, W_RANK, W_AWAKE }; /* words of struct load_state */

#define MAX_MEAN_GAP_PS (INT64_C(100) * PS_PER_S)

typedef unsigned __int128 u128;

struct poisson {
	u128 message_wire_q32; /* mean */
	int64_t last_ps;       /* no flow after (last_ps, last_rank) */
	uint32_t last_rank;
};

/* A host's arrivals. They have a generator of their own, so that prepare can run through them
 * without drawing sizes. */
struct arrivals {
	struct rng rng;
	int64_t t_ps;
	int64_t gap_q16;
};

static struct rng stream(const struct load_entry *en, uint32_t host, unsigned which)
{
	return rng_make(
	        hash_combine(en->env.seed, 2 * (uint64_t)en->index + which), host, RNG_LOAD);
}

static int64_t mean_gap_q16(const struct load_entry *en, uint32_t host)
{
	const struct poisson *p = en->shared;
	u128 den = (u128)en->env.host_rate_bps[host] * (u128)en->cfg.load_q32;
	u128 num = p->message_wire_q32 * (8 * (u128)PS_PER_S);
	u128 gap_q16;

	if (num / den > MAX_MEAN_GAP_PS)
		return -1;
	gap_q16 = (num / den << 16) + ((num % den << 16) / den);
	return gap_q16 ? (int64_t)gap_q16 : 1;
}

static struct arrivals arrivals_start(const struct load_entry *en, uint32_t host)
{
	return (struct arrivals){stream(en, host, 0), en->cfg.start_ps, mean_gap_q16(en, host)};
}

static void arrivals_next(struct arrivals *a)
{
	if (a->t_ps <= LOAD_MAX_TIME_PS)
		a->t_ps += exponential_ps(&a->rng, a->gap_q16);
}

/* Merges the hosts' arrivals up to flow number cfg.flows, so that each host can tell by itself
 * whether its next one still counts. */
static int find_last(const struct load_entry *en, struct poisson *p, struct err *e)
{
	uint32_t ranks = en->ranks.n, n = 0;
	struct arrivals *a = malloc(ranks * sizeof(*a));
	struct timed *heap = malloc(ranks * sizeof(*heap)), top;

	if (!a || !heap) {
		free(a);
		free(heap);
		return err_set(e, -ENOMEM, "workload[%u]: no memory to merge %u hosts",
		        en->index, ranks);
	}
	for (uint32_t i = 0; i < ranks; i++) {
		a[i] = arrivals_start(en, place_host(en, i));
		arrivals_next(&a[i]);
		time_heap_push(heap, &n, (struct timed){a[i].t_ps, i});
	}
	for (int64_t k = 1; k < en->cfg.flows; k++) {
		struct arrivals *at = &a[heap[0].order];

		arrivals_next(at);
		time_heap_sift_down(heap, n, (struct timed){at->t_ps, heap[0].order});
	}
	top = heap[0];
	free(a);
	free(heap);
	if (top.t_ps > LOAD_MAX_TIME_PS)
		return load_key_err(en, e, "flows",
		        "flow %" PRId64 " would start after the longest run of %" PRId64
		        " s: lower flows or raise load",
		        en->cfg.flows, LOAD_MAX_TIME_PS / PS_PER_S);
	p->last_ps = top.t_ps;
	p->last_rank = (uint32_t)top.order;
	return 0;
}

static int prepare_sizes(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	bool named = c->cdf_file && c->cdf_file[0];
	int rc;

	if (named && c->cdf)
		return load_key_err(
		        en, e, "cdf", "a file and points were given: leave one of them out");
	if (!named && !c->cdf)
		return load_key_err(en, e, "cdf",
		        "no flow sizes: give a file, a shipped name (websearch) or points "
		        "[[bytes, probability], ...]");
	if (named)
		rc = cdf_load(&c->cdf, &c->n_cdf, c->cdf_file, en->env.base_dir, e);
	else
		rc = cdf_check(c->cdf, c->n_cdf, e);
	if (rc) {
		err_prefix(e, "workload[%u].cdf", en->index);
		return rc;
	}
	return load_check_bytes(
	        en, "cdf", c->cdf[c->n_cdf - 1].bytes ? c->cdf[c->n_cdf - 1].bytes : 1, e);
}

static int check_gaps(const struct load_entry *en, struct err *e)
{
	for (uint32_t i = 0; i < en->ranks.n; i++) {
		uint32_t h = place_host(en, i);

		if (en->env.host_rate_bps[h] < 1)
			return load_key_err(en, e, "load",
			        "host %u has no link rate to fill: set fabric.host_link.rate",
			        h);
		if (mean_gap_q16(en, h) < 0)
			return load_key_err(en, e, "load",
			        "host %u would start less than one flow in %" PRId64
			        " s on average: raise load or lower the sizes",
			        h, MAX_MEAN_GAP_PS / PS_PER_S);
	}
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	const struct load_env *env = &en->env;
	struct poisson *p;
	int rc = load_check_group(en, e);

	if (!rc && !c->flows && env->stop_ps == TIME_NEVER)
		rc = load_key_err(en, e, "flows",
		        "the workload would never end: set flows or stop.after");
	if (!rc)
		rc = prepare_sizes(en, e);
	if (rc)
		return rc;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	en->shared = p;
	p->last_ps = LOAD_MAX_TIME_PS;
	p->last_rank = UINT32_MAX;
	p->message_wire_q32 = cdf_mean_bytes_q32(c->cdf, c->n_cdf) +
	                      cdf_mean_packets_q32(c->cdf, c->n_cdf, env->path_mtu_bytes) *
	                              (u128)env->header_wire_bytes +
	                      ((u128)env->message_wire_bytes << 32);
	if (env->pads_payload)
		p->message_wire_q32 +=
		        cdf_mean_padding_q32(c->cdf, c->n_cdf, env->path_mtu_bytes);
	rc = check_gaps(en, e);
	if (!rc && c->flows)
		rc = find_last(en, p, e);
	return rc;
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	struct arrivals a = arrivals_start(en, host);

	arrivals_next(&a);
	*st = (struct load_state){.w = {
	                                  [W_TIMES] = a.rng.state,
	                                  [W_SIZES] = stream(en, host, 1).state,
	                                  [W_T_PS] = (uint64_t)a.t_ps,
	                                  [W_GAP_Q16] = (uint64_t)a.gap_q16,
	                                  [W_RANK] = place_rank(en, host),
	                          }};
}

static bool counts(const struct poisson *p, int64_t t_ps, uint32_t rank)
{
	return t_ps < p->last_ps || (t_ps == p->last_ps && rank <= p->last_rank);
}

static void send(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t self = (uint32_t)st->w[W_RANK];
	struct rng sizes = {st->w[W_SIZES]};
	uint32_t other = (uint32_t)rng_below(&sizes, (uint64_t)en->cfg.ranks - 1);

	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = place_host(en, other + (other >= self)),
	        .qp = LOAD_QP_FRESH,
	        .bytes = cdf_size(en->cfg.cdf, en->cfg.n_cdf, rng_next(&sizes)),
	        .t_ps = (int64_t)st->w[W_T_PS],
	        .priority = -1,
	};
	st->w[W_SIZES] = sizes.state;
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	struct arrivals a = {
	        {st->w[W_TIMES]}, (int64_t)st->w[W_T_PS], (int64_t)st->w[W_GAP_Q16]};

	if (!counts(en->shared, a.t_ps, (uint32_t)st->w[W_RANK])) {
		*op = (struct load_op){.kind = LOAD_END};
		return;
	}
	if (!st->w[W_AWAKE]) {
		st->w[W_AWAKE] = 1;
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL, .t_ps = a.t_ps};
		return;
	}
	send(en, st, op);
	st->w[W_AWAKE] = 0;
	arrivals_next(&a);
	st->w[W_TIMES] = a.rng.state;
	st->w[W_T_PS] = (uint64_t)a.t_ps;
}

static void fini(struct load_entry *en)
{
	free(en->shared);
	en->shared = NULL;
}

const struct load_ops poisson_ops = {
        .name = "poisson",
        .doc = "flows at Poisson times from every host to the others, sizes from a "
               "distribution",
        .prepare = prepare,
        .involves = load_in_group,
        .start = start,
        .next = next,
        .fini = fini,
};
