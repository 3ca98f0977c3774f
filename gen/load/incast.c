/* SPDX-License-Identifier: Apache-2.0 */
/*
 * N:1. The senders are first_host, first_host + 1 ... (or as placed), skipping the receivers.
 * Several receivers are N:1 each (spread: all, every sender sends to every one) or share the
 * senders among them (spread: split, sender i sends to receiver i mod their number).
 */
#include <inttypes.h>

#include "gen/load/load_int.h"
#include "gen/load/place.h"
#include "gen/load/rounds.h"

static int check_senders(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	int64_t n_hosts = en->env.n_hosts, from = c->receiver, to = from + c->receivers, left,
	        end;

	left = n_hosts - c->first_host;
	if (from < c->first_host)
		from = c->first_host;
	if (to > from)
		left -= to - from;
	if (left < 1)
		return load_key_err(en, e, "first_host",
		        "no host from %" PRId64 " on can send, the fabric has hosts 0..%" PRId64
		        " and %" PRId64
		        " receives: lower first_host or raise fabric.topology.hosts",
		        c->first_host, n_hosts - 1, c->receiver);
	end = c->first_host + c->senders;
	if (to > from && from < end)
		end += to - from;
	if (c->senders > left)
		return load_key_err(en, e, "senders",
		        "%" PRId64 " senders need %" PRId64 " hosts, the fabric has %" PRId64
		        ": lower senders or raise fabric.topology.hosts",
		        c->senders, end > to ? end : to, n_hosts);
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	int64_t n_hosts = en->env.n_hosts;
	int rc = 0;

	if (c->receiver >= n_hosts)
		return load_key_err(en, e, "receiver",
		        "host %" PRId64 " is not there, the fabric has hosts 0..%" PRId64
		        ": lower receiver or raise fabric.topology.hosts",
		        c->receiver, n_hosts - 1);
	if (c->receiver + c->receivers > n_hosts)
		return load_key_err(en, e, "receivers",
		        "%" PRId64 " receivers from host %" PRId64 " on need %" PRId64
		        " hosts, the fabric has %" PRId64
		        ": lower receivers or raise fabric.topology.hosts",
		        c->receivers, c->receiver, c->receiver + c->receivers, n_hosts);
	if (!place_has_list(c))
		rc = check_senders(en, e);
	if (!rc)
		rc = place_ranks(en, "senders", c->senders == LOAD_SENDERS_ALL ? 0 : c->senders,
		        (uint32_t)c->receiver, (uint32_t)c->receivers, e);
	if (rc)
		return rc;
	c->senders = en->ranks.n;
	return rounds_prepare(en, e);
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct load_cfg *c = &en->cfg;
	const bool split = c->spread == SPREAD_SPLIT;
	uint32_t i;

	if (rounds_next(en, st, split ? 1 : (uint32_t)c->receivers, op, &i)) {
		i += rounds_rank(st); /* not all begin with the same one */
		op->peer = (uint32_t)(c->receiver + i % c->receivers);
	}
}

const struct load_ops incast_ops = {
        .name = "incast",
        .doc = "senders all send to one receiver at once, once or periodically",
        .prepare = prepare,
        .involves = load_in_group,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
