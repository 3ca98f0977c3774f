/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "gen/load/load_int.h"
#include "gen/load/place.h"

const struct load_ops *const load_patterns[] = {
        [LOAD_INCAST] = &incast_ops,
        [LOAD_ALL_TO_ALL] = &all_to_all_ops,
        [LOAD_RING] = &ring_ops,
        [LOAD_FLOWS] = &flow_list_ops,
        [LOAD_POISSON] = &poisson_ops,
        [LOAD_SCHEDULE] = &schedule_ops,
        [LOAD_ALL_REDUCE] = &all_reduce_ops,
        [LOAD_ALL_GATHER] = &all_gather_ops,
        [LOAD_REDUCE_SCATTER] = &reduce_scatter_ops,
        [LOAD_BROADCAST] = &broadcast_ops,
        [LOAD_MOE] = &moe_ops,
        [LOAD_PERMUTATION] = &permutation_ops,
        [LOAD_HOTSPOT] = &hotspot_ops,
        [LOAD_ON_OFF] = &on_off_ops,
        [LOAD_TRAINING] = &training_ops,
        [LOAD_REPLAY] = &replay_ops,
        NULL,
};

#define N_PATTERNS (sizeof(load_patterns) / sizeof(load_patterns[0]) - 1)

int load_key_err(
        const struct load_entry *en, struct err *e, const char *key, const char *fmt, ...)
{
	char text[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut message is still a message */
	va_end(ap);
	return err_set(e, -EINVAL, "workload[%u].%s: %s", en->index, key, text);
}

int64_t load_max_bytes(const struct load_entry *en)
{
	return (en->cfg.transport == TRANSPORT_UD ? 1 : LOAD_MAX_MESSAGE_PACKETS) *
	       en->env.path_mtu_bytes;
}

int load_check_bytes(const struct load_entry *en, const char *key, int64_t bytes, struct err *e)
{
	int64_t max = load_max_bytes(en);

	if (bytes < 1)
		return load_key_err(
		        en, e, key, "%" PRId64 " bytes: a message has at least 1 byte", bytes);
	if (bytes > max && en->cfg.transport == TRANSPORT_UD)
		return load_key_err(en, e, key,
		        "%" PRId64 " bytes are more than the one packet of %" PRId64
		        " bytes that transport: ud carries: lower it, raise fabric.path_mtu, "
		        "or "
		        "take rc or uc",
		        bytes, max);
	if (bytes > max)
		return load_key_err(en, e, key,
		        "%" PRId64 " bytes are more than %" PRId64 " packets of %" PRId64
		        " bytes: lower it to %" PRId64 " or send several messages",
		        bytes, LOAD_MAX_MESSAGE_PACKETS, en->env.path_mtu_bytes, max);
	return 0;
}

uint64_t load_draw(const struct load_entry *en, uint64_t round, enum load_draw purpose)
{
	struct rng r = rng_make(hash_combine(en->env.seed, (uint64_t)purpose << 32 | en->index),
	        round, RNG_LOAD);

	return rng_next(&r);
}

int load_check_hot(const struct load_entry *en, struct err *e)
{
	if (en->cfg.hot_ranks >= en->ranks.n)
		return load_key_err(en, e, "hot_ranks",
		        "%" PRId64 " of %u ranks: some must not be hot", en->cfg.hot_ranks,
		        en->ranks.n);
	return 0;
}

static bool is_word(const struct knob *k, int64_t value)
{
	for (const struct knob_word *w = k->words; w && w->word; w++)
		if (w->value == value)
			return true;
	return false;
}

static bool is_number(const struct knob *k)
{
	return k->type != KNOB_WORD && k->type != KNOB_TEXT && k->type != KNOB_TABLE;
}

/* Imports and tests fill struct load_cfg without the scenario reader: the table's ranges hold
 * for them too. */
static int check_ranges(const struct load_entry *en, struct err *e)
{
	for (size_t i = 0; i < load_knobs.n_rows; i++) {
		const struct knob *k = &load_knobs.rows[i];
		int64_t v;

		if ((k->applies && !(k->applies & 1u << en->cfg.pattern)) || !is_number(k))
			continue;
		memcpy(&v, (const char *)&en->cfg + k->offset, sizeof(v));
		if ((v < k->min || v > k->max) && !is_word(k, v))
			return load_key_err(en, e, k->key,
			        "%" PRId64 " is out of range, expected %" PRId64 " to %" PRId64,
			        v, k->min, k->max);
	}
	return 0;
}

static int check_env(const struct load_entry *en, struct err *e)
{
	const struct load_env *env = &en->env;

	if (env->n_hosts < 2 || env->n_hosts > LOAD_MAX_HOSTS)
		return err_set(e, -EINVAL,
		        "workload[%u]: a fabric of %u hosts cannot carry a workload, expected "
		        "2 to "
		        "%d: set fabric.topology.hosts",
		        en->index, env->n_hosts, LOAD_MAX_HOSTS);
	if (env->path_mtu_bytes < 1 || env->path_mtu_bytes > LOAD_MAX_MTU_BYTES)
		return err_set(e, -EINVAL,
		        "workload[%u]: a path MTU of %" PRId64 " bytes, expected 1 to %d: set "
		        "fabric.path_mtu",
		        en->index, env->path_mtu_bytes, LOAD_MAX_MTU_BYTES);
	CHECK(env->host_rate_bps);
	CHECK(env->header_wire_bytes >= 0 && env->header_wire_bytes <= UINT16_MAX);
	CHECK(env->message_wire_bytes >= 0 && env->message_wire_bytes <= UINT16_MAX);
	return 0;
}

int load_entry_init(struct load_entry *en, const struct load_cfg *cfg,
        const struct load_env *env, uint16_t index, struct err *e)
{
	int rc = 0;

	*en = (struct load_entry){.cfg = *cfg, .env = *env, .index = index};
	if (cfg->pattern < 0 || cfg->pattern >= (int64_t)N_PATTERNS) {
		rc = load_key_err(en, e, "pattern",
		        "number %" PRId64 " is no pattern, expected 0 to %zu", cfg->pattern,
		        N_PATTERNS - 1);
		goto out_fini;
	}
	rc = check_env(en, e);
	if (!rc)
		rc = check_ranges(en, e);
	if (rc)
		goto out_fini;
	en->ops = load_patterns[cfg->pattern];
	rc = en->ops->prepare(en, e);
	if (rc)
		goto out_fini;
	return 0;
out_fini:
	load_entry_fini(en);
	return rc;
}

void load_entry_fini(struct load_entry *en)
{
	if (en->ops)
		en->ops->fini(en);
	place_fini(en);
	free(en->cfg.cdf);
	free(en->cfg.flow);
	free(en->cfg.job);
	*en = (struct load_entry){.index = en->index};
}

bool load_uses_host(const struct load_entry *en, uint32_t host)
{
	const struct load_cfg *c = &en->cfg;

	if (c->pattern == LOAD_INCAST && host >= c->receiver &&
	        host < c->receiver + c->receivers)
		return true;
	return en->ops->involves(en, host);
}
