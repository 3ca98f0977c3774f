/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Background load in bursts: every rank is silent and sends in turn, for exponential times with
 * means `off` and `on`. While it sends, messages follow each other so that they fill the share
 * `load` of its link, headers and gaps included; the last one of a burst begins before its end,
 * and what is left of its time then is spent before the first one of the next: so the load is
 * that of the times, however long messages are against them.
 * All of a rank's messages go to one other rank, drawn so that each receives from one.
 */
#include <inttypes.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/cdf.h"
#include "gen/load/exponential.h"
#include "gen/load/load_int.h"
#include "gen/load/perm.h"
#include "gen/load/place.h"

enum { W_RNG, W_T_PS, W_END_PS, W_GAP_Q16, W_RANK, W_BURST, W_AWAKE, W_SENT };

#define MOST_BURSTS_PER_MESSAGE 1000 /* each is drawn */

typedef unsigned __int128 u128;

static u128 message_wire_bytes(const struct load_entry *en)
{
	const struct load_env *env = &en->env;
	const int64_t bytes = en->cfg.message_bytes;
	const int64_t packets = (bytes + env->path_mtu_bytes - 1) / env->path_mtu_bytes;

	return (u128)bytes +
	       (u128)(env->pads_payload ? cdf_padding(bytes, env->path_mtu_bytes) : 0) +
	       (u128)packets * (u128)env->header_wire_bytes + (u128)env->message_wire_bytes;
}

/* Between the starts of two messages, with 16 bits behind the point; 0: longer than any run. */
static uint64_t gap_q16(const struct load_entry *en, uint32_t host)
{
	u128 num = message_wire_bytes(en) * 8 * (u128)PS_PER_S;
	u128 den = (u128)en->env.host_rate_bps[host] * (u128)en->cfg.load_q32;
	u128 gap;

	if (!den)
		return 0;
	/* load is Q32: num * 2^32 / den with 16 bits more */
	gap = num / den >= (u128)1 << 14 ? (u128)1 << 62
	                                 : (num / den << 48) + ((num % den << 32) / den << 16);
	return gap >= (u128)1 << 62 ? 0 : (uint64_t)(gap ? gap : 1);
}

static int check_gap(const struct load_entry *en, uint32_t host, struct err *e)
{
	const uint64_t gap = gap_q16(en, host);
	char on[48];

	if (!gap)
		return load_key_err(en, e, "load",
		        "host %u would send less than a message in any run: raise load or "
		        "lower "
		        "message",
		        host);
	if ((gap >> 16) / MOST_BURSTS_PER_MESSAGE < (uint64_t)en->cfg.on_ps)
		return 0;
	return load_key_err(en, e, "on",
	        "a message of host %u lasts more than %d bursts of %s: raise on or lower "
	        "message",
	        host, MOST_BURSTS_PER_MESSAGE,
	        unit_format(on, sizeof(on), UNIT_TIME, en->cfg.on_ps));
}

static int prepare(struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	int rc = load_check_group(en, e);

	if (!rc)
		rc = load_check_bytes(en, "message", c->message_bytes, e);
	if (!rc && !c->bursts && en->env.stop_ps == TIME_NEVER)
		rc = load_key_err(en, e, "bursts",
		        "the workload would never end: set bursts or stop.after");
	for (uint32_t i = 0; !rc && i < en->ranks.n; i++)
		rc = check_gap(en, place_host(en, i), e);
	return rc;
}

static int64_t draw(struct load_state *st, int64_t mean_ps)
{
	struct rng r = {st->w[W_RNG]};
	int64_t t_ps = exponential_ps(&r, mean_ps << 16);

	st->w[W_RNG] = r.state;
	return t_ps;
}

/* The start of the burst's next message. */
static int64_t due_ps(const struct load_state *st)
{
	return (int64_t)(st->w[W_T_PS] +
	                 (uint64_t)((u128)st->w[W_SENT] * st->w[W_GAP_Q16] >> 16));
}

/* A silence and the burst after it. */
static void next_burst(const struct load_entry *en, struct load_state *st)
{
	int64_t from_ps = (int64_t)st->w[W_END_PS];
	const int64_t left_ps = due_ps(st) - from_ps; /* of the last message's time */

	if (from_ps <= LOAD_MAX_TIME_PS)
		from_ps += draw(st, en->cfg.off_ps);
	st->w[W_T_PS] = (uint64_t)(from_ps + left_ps);
	st->w[W_END_PS] = (uint64_t)(from_ps + draw(st, en->cfg.on_ps));
	st->w[W_SENT] = 0;
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	*st = (struct load_state){
	        .w = {
	                [W_RNG] = hash_combine(load_draw(en, 0, LOAD_DRAW_ON_OFF), host),
	                [W_T_PS] = (uint64_t)en->cfg.start_ps,
	                [W_END_PS] = (uint64_t)en->cfg.start_ps,
	                [W_GAP_Q16] = gap_q16(en, host),
	                [W_RANK] = place_rank(en, host),
	        }};
	next_burst(en, st);
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	struct perm p = perm_make(load_draw(en, 0, LOAD_DRAW_PARTNER), en->ranks.n);

	while (due_ps(st) >= (int64_t)st->w[W_END_PS] &&
	        (!en->cfg.bursts || st->w[W_BURST] < (uint64_t)en->cfg.bursts) &&
	        (int64_t)st->w[W_END_PS] <= LOAD_MAX_TIME_PS) {
		st->w[W_BURST]++;
		next_burst(en, st);
	}
	if ((en->cfg.bursts && st->w[W_BURST] >= (uint64_t)en->cfg.bursts) ||
	        due_ps(st) > LOAD_MAX_TIME_PS) {
		*op = (struct load_op){.kind = LOAD_END};
		return;
	}
	st->w[W_AWAKE] ^= 1;
	if (st->w[W_AWAKE]) {
		*op = (struct load_op){.kind = LOAD_SLEEP_UNTIL, .t_ps = due_ps(st)};
		return;
	}
	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = place_host(en, perm_next(&p, (uint32_t)st->w[W_RANK])),
	        .qp = (uint32_t)(st->w[W_SENT] % (uint64_t)en->cfg.qps),
	        .tag = (uint32_t)st->w[W_BURST],
	        .bytes = en->cfg.message_bytes,
	        .t_ps = due_ps(st),
	        .priority = -1,
	};
	st->w[W_SENT]++;
}

static void fini(struct load_entry *en)
{
	(void)en;
}

const struct load_ops on_off_ops = {
        .name = "on-off",
        .doc = "background load in bursts, from each rank to one other",
        .prepare = prepare,
        .involves = load_in_group,
        .start = start,
        .next = next,
        .fini = fini,
};
