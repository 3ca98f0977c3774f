/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "gen/load/load_input.h"
#include "gen/load/load_int.h"

#define PLACE_DRAW UINT64_C(0x706c616365) /* tells the draw from others of the same entry */

/* Hosts that may be taken, in the order of the list or of their numbers. */
struct pool {
	uint16_t *host;
	uint32_t n;
	uint32_t n_used; /* left out because an earlier entry uses them */
	uint32_t barred, n_barred;
};

static void offer(const struct load_entry *en, struct pool *p, uint32_t host)
{
	if (host - p->barred < p->n_barred)
		return;
	if (!en->cfg.share && en->env.used && en->env.used[host])
		p->n_used++;
	else
		p->host[p->n++] = (uint16_t)host;
}

static int offer_range(const struct load_entry *en, struct pool *p, uint8_t *seen,
        int64_t first, int64_t last, struct err *e)
{
	if (last < first)
		return load_key_err(en, e, "hosts",
		        "the range %" PRId64 "-%" PRId64 " runs backwards", first, last);
	if (last > LOAD_MAX_HOSTS)
		return load_key_err(en, e, "hosts",
		        "\"%.40s\": no fabric has more than %d hosts", en->cfg.hosts,
		        LOAD_MAX_HOSTS);
	if (last >= en->env.n_hosts)
		return load_key_err(en, e, "hosts",
		        "host %" PRId64 " is not there, the fabric has hosts 0..%u: lower it "
		        "or "
		        "raise fabric.topology.hosts",
		        last, en->env.n_hosts - 1);
	for (int64_t h = first; h <= last; h++) {
		if (seen[h])
			return load_key_err(en, e, "hosts",
			        "host %" PRId64 " stands there twice: a host is one rank", h);
		seen[h] = 1;
		offer(en, p, (uint32_t)h);
	}
	return 0;
}

/* "0-7,16-23, 40" */
static int offer_list(const struct load_entry *en, struct pool *p, uint8_t *seen, struct err *e)
{
	const char *at = en->cfg.hosts;
	int64_t first, last;
	int rc = 0;

	while (!rc && *at) {
		if (load_next_range(&at, &first, &last))
			return load_key_err(en, e, "hosts",
			        "\"%.40s\": expected host numbers and ranges such as "
			        "0-7,16-23",
			        en->cfg.hosts);
		rc = offer_range(en, p, seen, first, last, e);
	}
	return rc;
}

static int fill_pool(const struct load_entry *en, struct pool *p, struct err *e)
{
	uint8_t *seen;
	int rc;

	if (!place_has_list(&en->cfg)) {
		for (uint32_t h = (uint32_t)en->cfg.first_host; h < en->env.n_hosts; h++)
			offer(en, p, h);
		return 0;
	}
	if (en->cfg.first_host)
		return load_key_err(en, e, "first_host",
		        "hosts says already who takes part: leave one of them out");
	seen = calloc(en->env.n_hosts, 1);
	if (!seen)
		return err_set(e, -ENOMEM, "workload[%u]: no memory to place %u hosts",
		        en->index, en->env.n_hosts);
	rc = offer_list(en, p, seen, e);
	free(seen);
	return rc;
}

/* Takes the hosts of each group in turn (striped) or group after group (rails). group[i] is
 * that of host[i], below n_groups; the order within a group stays. */
static int regroup(struct pool *p, const uint32_t *group, uint32_t n_groups, bool in_turn)
{
	uint32_t *first = calloc(n_groups + 1, sizeof(*first));
	uint16_t *sorted = malloc((p->n + 1) * sizeof(*sorted));
	uint32_t n = 0;

	if (!first || !sorted) {
		free(first);
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < p->n; i++)
		first[group[i] + 1]++;
	for (uint32_t g = 0; g < n_groups; g++)
		first[g + 1] += first[g];
	for (uint32_t i = 0; i < p->n; i++)
		sorted[first[group[i]]++] = p->host[i];
	/* first[g] is now the end of group g */
	for (uint32_t turn = 0; in_turn && n < p->n; turn++)
		for (uint32_t g = 0; g < n_groups; g++) {
			uint32_t begin = g ? first[g - 1] : 0;

			if (begin + turn < first[g])
				p->host[n++] = sorted[begin + turn];
		}
	if (!in_turn)
		memcpy(p->host, sorted, p->n * sizeof(*sorted));
	free(first);
	free(sorted);
	return 0;
}

/* Numbers what stands in group[] from 0, in its own order; how many there are. */
static int make_dense(uint32_t *group, uint32_t n, uint32_t *n_groups)
{
	uint32_t max = 0, *id;

	for (uint32_t i = 0; i < n; i++)
		max = group[i] > max ? group[i] : max;
	id = calloc((size_t)max + 1, sizeof(*id));
	if (!id)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		id[group[i]] = 1;
	*n_groups = 0;
	for (uint32_t g = 0; g <= max; g++)
		id[g] = id[g] ? (*n_groups)++ : 0;
	for (uint32_t i = 0; i < n; i++)
		group[i] = id[group[i]];
	free(id);
	return 0;
}

static int by_group(const struct load_entry *en, struct pool *p, bool rails)
{
	uint32_t *group = malloc((p->n + 1) * sizeof(*group)), n = 0;
	const struct load_env *env = &en->env;
	int rc;

	if (!group)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n; i++)
		group[i] = rails            ? p->host[i] % env->rails
		           : env->host_edge ? env->host_edge[p->host[i]]
		                            : 0;
	rc = make_dense(group, p->n, &n);
	if (!rc)
		rc = regroup(p, group, n, !rails);
	free(group);
	return rc;
}

static void shuffle(const struct load_entry *en, struct pool *p)
{
	struct rng r = rng_make(hash_combine(en->env.seed, en->index), PLACE_DRAW, RNG_LOAD);

	for (uint32_t i = p->n; i > 1; i--) {
		uint32_t k = (uint32_t)rng_below(&r, i);
		uint16_t h = p->host[i - 1];

		p->host[i - 1] = p->host[k];
		p->host[k] = h;
	}
}

static int order(const struct load_entry *en, struct pool *p, struct err *e)
{
	int rc = 0;

	switch ((enum load_placement)en->cfg.placement) {
	case PLACE_PACKED:
		return 0;
	case PLACE_RANDOM:
		shuffle(en, p);
		return 0;
	case PLACE_RAILS:
		if (!en->env.rails)
			return load_key_err(en, e, "placement",
			        "the fabric has no rails: expected packed, striped or random, "
			        "or fabric.topology.kind: rail");
		rc = by_group(en, p, true);
		break;
	case PLACE_STRIPED:
		rc = by_group(en, p, false);
		break;
	}
	return rc ? err_set(e, rc, "workload[%u]: no memory to place %u hosts", en->index, p->n)
	          : 0;
}

static int too_few(const struct load_entry *en, const struct pool *p, const char *key,
        int64_t want, struct err *e)
{
	if (p->n_used)
		return load_key_err(en, e, key,
		        "%" PRId64 " hosts asked for, but of those that may take part %u are "
		        "free and %u are in use by earlier entries (share: off): lower %s",
		        want, p->n, p->n_used, key);
	return load_key_err(en, e, key,
	        "%" PRId64 " hosts asked for, %u may take part: lower %s or name more hosts",
	        want, p->n, key);
}

static int take(struct load_entry *en, struct pool *p, uint32_t n, struct err *e)
{
	struct load_ranks *r = &en->ranks;

	r->rank = malloc(en->env.n_hosts * sizeof(*r->rank));
	if (!r->rank)
		return err_set(e, -ENOMEM, "workload[%u]: no memory to place %u hosts",
		        en->index, en->env.n_hosts);
	memset(r->rank, 0xff, en->env.n_hosts * sizeof(*r->rank));
	for (uint32_t i = 0; i < n; i++)
		r->rank[p->host[i]] = (uint16_t)i;
	r->host = p->host;
	r->n = n;
	p->host = NULL;
	return 0;
}

/* Nothing but numbers that follow each other. */
static bool is_plain(
        const struct load_entry *en, int64_t want, uint32_t barred, uint32_t n_barred)
{
	const struct load_cfg *c = &en->cfg;

	return !place_has_list(c) && c->placement == PLACE_PACKED &&
	       (c->share || !en->env.used) &&
	       (!n_barred || barred + (int64_t)n_barred <= c->first_host ||
	               (want && barred >= c->first_host + want));
}

int place_ranks(struct load_entry *en, const char *key, int64_t want, uint32_t barred,
        uint32_t n_barred, struct err *e)
{
	struct pool p = {.barred = barred, .n_barred = n_barred};
	int rc;

	if (is_plain(en, want, barred, n_barred)) {
		en->ranks.first = (uint32_t)en->cfg.first_host;
		en->ranks.n = (uint32_t)(want ? want : en->env.n_hosts - en->cfg.first_host);
		return 0;
	}
	p.host = malloc(en->env.n_hosts * sizeof(*p.host));
	if (!p.host)
		return err_set(e, -ENOMEM, "workload[%u]: no memory to place %u hosts",
		        en->index, en->env.n_hosts);
	rc = fill_pool(en, &p, e);
	if (!rc && p.n < (want ? want : 1))
		rc = too_few(en, &p, key, want ? want : 1, e);
	if (!rc)
		rc = order(en, &p, e);
	if (!rc)
		rc = take(en, &p, (uint32_t)(want ? want : p.n), e);
	free(p.host);
	return rc;
}

void place_fini(struct load_entry *en)
{
	free(en->ranks.host);
	free(en->ranks.rank);
	en->ranks = (struct load_ranks){0};
}

static int check_plain_group(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	int64_t n_hosts = en->env.n_hosts;

	if (c->first_host >= n_hosts)
		return load_key_err(en, e, "first_host",
		        "host %" PRId64 " is not there, the fabric has hosts 0..%" PRId64
		        ": lower first_host or raise fabric.topology.hosts",
		        c->first_host, n_hosts - 1);
	if (c->first_host + c->ranks > n_hosts)
		return load_key_err(en, e, "ranks",
		        "%" PRId64 " ranks from host %" PRId64 " on need %" PRId64
		        " hosts, the fabric has %" PRId64
		        ": lower ranks or raise fabric.topology.hosts",
		        c->ranks, c->first_host, c->first_host + c->ranks, n_hosts);
	return 0;
}

int load_check_group(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	int rc = place_has_list(c) ? 0 : check_plain_group(en, e);

	if (!rc)
		rc = place_ranks(en, "ranks", c->ranks, 0, 0, e);
	if (rc)
		return rc;
	c->ranks = en->ranks.n;
	if (c->ranks < 2)
		return load_key_err(en, e, "ranks",
		        "%" PRId64 " rank from host %u on has nobody to send to: %s needs at "
		        "least 2 ranks",
		        c->ranks, place_host(en, 0), en->ops->name);
	return 0;
}

bool load_in_group(const struct load_entry *en, uint32_t host)
{
	return place_has(en, host);
}
