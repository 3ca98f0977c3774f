/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/count.h"

#define OPERATIONS    2000000 /* in all, for each of the two passes */
#define SHORT_PROGRAM 64      /* operations that every program is run for */
#define SAMPLED       16      /* of an entry's longer programs */

struct walk {
	uint64_t sends;
	int64_t largest_bytes;
	bool ended;
};

/* One program, alone, for so many operations. */
static struct walk walk(
        const struct load_entry *en, uint32_t host, uint32_t lane, uint64_t operations)
{
	struct load_state st = {{0}};
	struct walk w = {0};
	int64_t t_ps = en->cfg.start_ps;

	en->ops->start(en, host, lane, &st);
	while (!w.ended && operations-- && t_ps < en->env.stop_ps) {
		struct load_op op = {.t_ps = -1, .priority = -1};

		en->ops->next(en, &st, &op);
		switch (op.kind) {
		case LOAD_SEND:
			w.sends++;
			if (op.bytes > w.largest_bytes)
				w.largest_bytes = op.bytes;
			break;
		case LOAD_SLEEP_UNTIL:
			t_ps = op.t_ps > t_ps ? op.t_ps : t_ps;
			break;
		case LOAD_COMPUTE:
			t_ps = op.t_ps > INT64_MAX - t_ps ? INT64_MAX : t_ps + op.t_ps;
			break;
		case LOAD_END:
			w.ended = true;
			break;
		default: /* what it waits for has come */
			break;
		}
	}
	w.ended |= t_ps >= en->env.stop_ps;
	return w;
}

static uint32_t lanes(const struct load_entry *en, uint32_t host)
{
	if (!en->ops->involves(en, host))
		return 0;
	return en->ops->lanes ? en->ops->lanes(en, host) : 1;
}

static uint64_t programs(const struct load_entry *en)
{
	uint64_t n = 0;

	for (uint32_t h = 0; h < en->env.n_hosts; h++)
		n += lanes(en, h);
	return n;
}

/* The programs that are not done after `operations`; *sends: of the others. */
static uint64_t longer(const struct load_entry *en, uint64_t operations, uint64_t *sends)
{
	uint64_t n = 0;

	for (uint32_t h = 0; h < en->env.n_hosts; h++)
		for (uint32_t lane = 0, end = lanes(en, h); lane < end; lane++) {
			struct walk w = walk(en, h, lane, operations);

			*sends += w.ended ? w.sends : 0;
			n += !w.ended;
		}
	return n;
}

/* Some of those n programs, evenly chosen, run to their ends; false: one has none. */
static bool judge(const struct load_entry *en, uint64_t operations, uint64_t n, uint64_t *sends)
{
	const uint64_t sampled = n < SAMPLED ? n : SAMPLED;
	uint64_t seen = 0, taken = 0, sum = 0;

	for (uint32_t h = 0; h < en->env.n_hosts && taken < sampled; h++)
		for (uint32_t lane = 0, end = lanes(en, h); lane < end; lane++) {
			struct walk w;

			if (walk(en, h, lane, operations).ended)
				continue;
			if (seen++ < taken * n / sampled || taken == sampled)
				continue;
			w = walk(en, h, lane, OPERATIONS / sampled);
			if (!w.ended)
				return false;
			sum += w.sends;
			taken++;
		}
	*sends += (uint64_t)((unsigned __int128)sum * n / taken);
	return true;
}

struct load_count load_count(const struct load_entry *entry, uint32_t n_entries)
{
	struct load_count c = {.known = true, .exact = true};

	for (uint32_t i = 0; c.known && i < n_entries; i++) {
		const struct load_entry *en = &entry[i];
		uint64_t n = programs(en);
		uint64_t operations = n ? OPERATIONS / n + 1 : 1;

		if (operations > SHORT_PROGRAM && n > SAMPLED)
			operations = SHORT_PROGRAM;
		n = longer(en, operations, &c.messages);
		c.exact &= !n;
		c.known = !n || judge(en, operations, n, &c.messages);
	}
	return c;
}

int64_t load_largest_bytes(const struct load_entry *en)
{
	const uint64_t n = programs(en);
	int64_t largest = 0;

	for (uint32_t h = 0; h < en->env.n_hosts; h++)
		for (uint32_t lane = 0, end = lanes(en, h); lane < end; lane++) {
			struct walk w = walk(en, h, lane, OPERATIONS / n + 1);

			if (w.largest_bytes > largest)
				largest = w.largest_bytes;
		}
	return largest;
}
