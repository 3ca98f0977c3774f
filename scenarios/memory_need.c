/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/memory_need.h"

#include <errno.h>
#include <inttypes.h>

#include "analysis/process.h"
#include "dataplane/base/record.h"
#include "gen/host/conn_arena.h"
#include "gen/load/count.h"
#include "gen/load/plan.h"

/* Measured on incasts, rings and leaf-spines; meant to err on the low side, so that nothing
 * that would have fitted is refused. */
#define BASE_BYTES    (3 << 20)
#define HOST_BYTES    512
#define PORT_BYTES    512
#define MESSAGE_BYTES ((int64_t)sizeof(struct msg_record) + 24)

#define QP_BYTES ((int64_t)sizeof(struct conn) + 64)

/* More than these are estimated: to enumerate them is not worth the time. */
#define COUNTED_MESSAGES 1000000

/* QPs that are open together at least: those of flow lists and loads are used again. */
static int64_t lasting_qps(const struct load_entry *en)
{
	const struct load_cfg *c = &en->cfg;
	const int64_t per_pair = load_pair_qps(c);

	switch (c->pattern) {
	case LOAD_INCAST:
		return c->senders * per_pair * (c->spread == SPREAD_ALL ? c->receivers : 1);
	case LOAD_ALL_TO_ALL:
	case LOAD_MOE:
		return c->ranks * (c->ranks - 1) * per_pair;
	case LOAD_RING:
	case LOAD_PERMUTATION:
	case LOAD_ON_OFF:
		return c->ranks * per_pair;
	case LOAD_ALL_REDUCE:
	case LOAD_ALL_GATHER:
	case LOAD_REDUCE_SCATTER:
	case LOAD_BROADCAST:
	case LOAD_TRAINING: /* a queue pair to one neighbour at least */
		return c->ranks * c->channels;
	default:
		return 0;
	}
}

static int count_messages(struct memory_need *n, const struct scenario *s, struct err *e)
{
	const struct load_count c = load_count(s->entry, s->n_entries);
	struct plan_totals totals;
	int r;

	n->messages = c.messages;
	n->messages_known = c.known;
	if (c.known && c.messages > COUNTED_MESSAGES)
		return 0;
	r = plan_run(s->entry, s->n_entries, COUNTED_MESSAGES, NULL, NULL, &totals, e);
	if (!r) {
		n->messages = totals.messages;
		n->messages_known = !totals.cut;
	}
	return r;
}

static int64_t records(const struct memory_need *n, const struct scenario *s)
{
	const int64_t max = s->measure.max_messages, all = (int64_t)n->messages;

	return max && all > max ? max : all;
}

int memory_need_check(
        struct memory_need *n, const struct scenario *s, uint32_t processes, struct err *e)
{
	const char *limit;
	int64_t left = process_memory_left_bytes(&limit);
	int r = count_messages(n, s, e);

	if (r)
		return r;
	n->bytes = BASE_BYTES + (int64_t)s->topo->n_hosts * HOST_BYTES +
	           (int64_t)s->topo->n_ports * PORT_BYTES + records(n, s) * MESSAGE_BYTES;
	for (uint32_t i = 0; i < s->n_entries; i++)
		n->bytes += lasting_qps(&s->entry[i]) * QP_BYTES;
	n->bytes = BASE_BYTES + (n->bytes - BASE_BYTES) / processes;
	if (n->bytes <= left)
		return 0;
	return err_set(e, -ENOMEM,
	        "%s: needs about %" PRId64 " MB of memory, %s leaves %" PRId64
	        " MB; use fewer hosts or "
	        "messages, or raise the limit",
	        s->path, n->bytes / 1000000 + 1, limit, left / 1000000);
}
