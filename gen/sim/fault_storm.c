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

int64_t fault_storm_interval_ps(const struct sim_fault *f, int64_t rate_bps)
{
	if (f->interval_ps)
		return f->interval_ps;
	return 1 + pause_quanta_ps(f->quanta ? f->quanta : LONGEST_QUANTA, rate_bps) / 2;
}
