/* SPDX-License-Identifier: Apache-2.0 */
/* N:1. The senders are first_host, first_host + 1 ... skipping the receiver. */
#include <inttypes.h>

#include "gen/load/load_int.h"
#include "gen/load/rounds.h"

/* One past the last host that the senders reach. */
static int64_t senders_end(const struct load_cfg *c)
{
	int64_t end = c->first_host + c->senders;

	return c->receiver >= c->first_host && c->receiver < end ? end + 1 : end;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	int64_t n_hosts = en->env.n_hosts, end, left;

	if (c->receiver >= n_hosts)
		return load_key_err(en, e, "receiver",
		        "host %" PRId64 " is not there, the fabric has hosts 0..%" PRId64
		        ": lower receiver or raise fabric.topology.hosts",
		        c->receiver, n_hosts - 1);
	left = n_hosts - c->first_host - (c->receiver >= c->first_host);
	if (left < 1)
		return load_key_err(en, e, "first_host",
		        "no host from %" PRId64 " on can send, the fabric has hosts 0..%" PRId64
		        " and %" PRId64
		        " receives: lower first_host or raise fabric.topology.hosts",
		        c->first_host, n_hosts - 1, c->receiver);
	if (c->senders == LOAD_SENDERS_ALL)
		c->senders = left;
	end = senders_end(c);
	if (c->senders > left)
		return load_key_err(en, e, "senders",
		        "%" PRId64 " senders need %" PRId64 " hosts, the fabric has %" PRId64
		        ": lower senders or raise fabric.topology.hosts",
		        c->senders, end > c->receiver ? end : c->receiver + 1, n_hosts);
	return rounds_prepare(en, e);
}

static bool involves(const struct load_entry *en, uint32_t host)
{
	return host >= en->cfg.first_host && host < senders_end(&en->cfg) &&
	       host != en->cfg.receiver;
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint32_t i;

	if (rounds_next(en, st, 1, op, &i))
		op->peer = (uint32_t)en->cfg.receiver;
}

const struct load_ops incast_ops = {
        .name = "incast",
        .doc = "senders all send to one receiver at once, once or periodically",
        .prepare = prepare,
        .involves = involves,
        .start = rounds_start,
        .next = next,
        .fini = rounds_fini,
};
