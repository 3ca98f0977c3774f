/* SPDX-License-Identifier: Apache-2.0 */
/* The pause frames of a storm, from whatever port. */
#include "gen/sim/fault_int.h"

#define LONGEST_QUANTA 65535

void fault_storm_frame(const struct sim_fault *f, const struct sim *s, struct desc *d)
{
	const bool has_vector = f->form != PFC_GLOBAL_PAUSE && f->form != PFC_ZERO_VECTOR;
	const uint8_t vector = has_vector ? f->priorities : 0;

	*d = (struct desc){
	        .conn = (uint32_t)f->quanta,
	        .psn = vector,
	        .sent_unit = f->quanta ? vector : 0,
	        .frame_bytes = (uint16_t)s->pfc_bytes,
	        .entropy = f->form,
	        .kind = DESC_PFC,
	        .priority = 7,
	};
}

/* Is it a pause to whoever gets it? The others are sent to see that they are not taken for one.
 */
static bool is_pfc(const struct sim_fault *f)
{
	return f->form == PFC_VALID || f->form == PFC_ZERO_SOURCE;
}

void fault_storm_sent(struct sim_thread *th, struct fault_instance *i, uint32_t node,
        uint16_t port, const struct desc *d, int64_t now_ps, int64_t xoff_frames[PRIORITIES])
{
	if (d->sent_unit)
		th->n.pause_frames++;
	else
		th->n.resume_frames++;
	for (unsigned m = is_pfc(i->f) ? d->psn : 0; m; m &= m - 1) {
		const struct pfc_event ev = {
		        .t_ps = now_ps,
		        .node = node,
		        .port = port,
		        .priority = (uint8_t)__builtin_ctz(m),
		        .kind = !d->sent_unit ? PFC_EVENT_XON
		                : i->packets  ? PFC_EVENT_REFRESH
		                              : PFC_EVENT_XOFF,
		        .injected = true,
		};

		xoff_frames[ev.priority] += d->sent_unit != 0;
		CHECK(!pfc_log_add(&th->pfc, &ev, th->full_end_ps));
	}
	fault_touched(i, now_ps, 1);
}

int64_t fault_storm_interval_ps(const struct sim_fault *f, int64_t rate_bps)
{
	if (f->interval_ps)
		return f->interval_ps;
	return 1 + pause_quanta_ps(f->quanta ? f->quanta : LONGEST_QUANTA, rate_bps) / 2;
}
