/* SPDX-License-Identifier: Apache-2.0 */
/* After the run: iterations from what the threads' hosts marked. */
#include "gen/sim/sim_int.h"

#include <errno.h>
#include <stdlib.h>

static int by_iteration(const void *pa, const void *pb)
{
	const struct iteration_record *a = pa, *b = pb;

	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	if (a->iteration != b->iteration)
		return a->iteration < b->iteration ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}

static uint64_t markers(const struct sim *s, const struct load_entry *en)
{
	uint64_t n = 0;

	for (uint32_t h = 0; h < s->topo->n_hosts; h++)
		if (en->ops->involves(en, h))
			n += en->ops->lanes && en->ops->marks == MARKED_BY_LANES
			             ? en->ops->lanes(en, h)
			             : 1;
	return n;
}

/* Part 0 by all markers of the entry; another part by those that began it. */
static bool has_ended(const uint64_t *n_programs, const struct iteration_mark *m)
{
	return m->ended == m->begun && (m->part || m->ended == n_programs[m->entry]);
}

static void write_records(
        struct run_record *r, const struct mark_log *all, const uint64_t *n_programs)
{
	for (uint64_t i = 0; i < all->n; i++) {
		const struct iteration_mark *m = &all->mark[i];
		bool ended = has_ended(n_programs, m);

		r->iteration[r->n_iteration++] = (struct iteration_record){
		        .start_ps = m->begin_ps,
		        .end_ps = ended ? m->end_ps : TIME_NEVER,
		        .iteration = m->iteration,
		        .slowest_host = ended ? m->slowest_host : UINT32_MAX,
		        .entry = m->entry,
		        .part = m->part,
		};
	}
	qsort(r->iteration, r->n_iteration, sizeof(*r->iteration), by_iteration);
}

int sim_collect_iterations(struct sim *s, struct run_record *r)
{
	uint64_t *n_programs = calloc(s->cfg->n_entries + 1, sizeof(*n_programs));
	struct mark_log all = {0};
	int rc = n_programs ? 0 : -ENOMEM;

	for (uint32_t i = 0; !rc && i < s->cfg->n_entries; i++)
		if (s->cfg->entry[i].ops->marks)
			n_programs[i] = markers(s, &s->cfg->entry[i]);
	for (uint32_t t = 0; !rc && t < s->n_threads; t++)
		for (uint64_t i = 0; !rc && i < s->thread[t]->marks.n; i++)
			if (!mark_log_add(&all, &s->thread[t]->marks.mark[i]))
				rc = -ENOMEM;
	if (!rc && all.n) {
		r->iteration = malloc(all.n * sizeof(*r->iteration));
		rc = r->iteration ? 0 : -ENOMEM;
	}
	if (!rc && all.n)
		write_records(r, &all, n_programs);
	mark_log_fini(&all);
	free(n_programs);
	return rc;
}
