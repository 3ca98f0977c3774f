/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/run_collectives.h"

#include <errno.h>
#include <stdlib.h>

int run_collectives(struct run_collective **out, uint32_t *n, const struct load_entry *entry,
        uint32_t n_entries, struct err *e)
{
	uint32_t room = 0;

	*out = NULL;
	*n = 0;
	for (uint32_t i = 0; i < n_entries; i++) {
		struct load_figure f;

		for (uint16_t part = 0; part <= LOAD_MAX_PARTS; part++) {
			if (!entry[i].ops->figure || !entry[i].ops->figure(&entry[i], part, &f))
				continue;
			if (*n == room) {
				void *p = reallocarray(
				        *out, room = room ? 2 * room : 4, sizeof(**out));

				if (!p)
					return err_set(e, -ENOMEM,
					        "results: out of memory for collectives");
				*out = p;
			}
			(*out)[(*n)++] = (struct run_collective){entry[i].index, part, f.name,
			        entry[i].ranks.n, f.bytes, f.bus_num, f.bus_den};
		}
	}
	return 0;
}
