/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/run_entries.h"

#include <errno.h>
#include <stdlib.h>

int run_entries(struct entry_figures **out, const struct run_record *rec,
        const struct scenario *s, struct err *e)
{
	const char **pattern = calloc(s->n_entries + 1, sizeof(*pattern));
	int r;

	if (!pattern)
		return err_set(
		        e, -ENOMEM, "results: out of memory for %u entries", s->n_entries);
	for (uint32_t i = 0; i < s->n_entries; i++)
		pattern[i] = s->entry[i].ops->name;
	r = entry_figures_make(out, rec, pattern, s->n_entries, s->measure.percentile,
	        s->measure.n_percentile, e);
	free(pattern);
	return r;
}
