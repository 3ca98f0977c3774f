/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_pauses.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/pause.h"

int64_t qualify_response_ps(int64_t rate_bps)
{
	return pause_quanta_ps(pause_response_quanta(rate_bps), rate_bps);
}

/* Is it a frame that a receiver must take for this priority? */
static bool counts(const struct qpause *p, uint8_t priority, bool from_switch)
{
	return p->from_switch == from_switch && (p->vector & (1u << priority)) &&
	       (p->form == PFC_VALID || p->form == PFC_ZERO_SOURCE);
}

int qualify_intervals(struct qinterval **out, uint64_t *n, const struct qrun *r, uint32_t port,
        uint8_t priority, bool from_switch, struct err *e)
{
	const struct qport *p = &r->cap.port[port];
	struct qinterval *all = malloc((p->n_pause + 1) * sizeof(*all)), *last = NULL;

	*out = all;
	*n = 0;
	if (!all)
		return err_set(e, -ENOMEM, "%s: not enough memory", r->c->name);
	for (uint64_t i = 0; i < p->n_pause; i++) {
		const struct qpause *f = &p->pause[i];
		const int64_t t_ps = f->end_ps;
		bool running = last && !last->resumed && last->until_ps > t_ps;

		if (!counts(f, priority, from_switch))
			continue;
		if (!(f->xoff & (1u << priority))) {
			if (running) {
				last->until_ps = t_ps;
				last->resumed = true;
			}
			continue;
		}
		if (!running) {
			last = &all[(*n)++];
			*last = (struct qinterval){.told_ps = t_ps};
		}
		last->until_ps = t_ps + pause_quanta_ps(f->quanta, r->c->rate_bps[port]);
	}
	return 0;
}
