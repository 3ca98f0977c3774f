/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/node.h"

#include "gen/sim/capture_int.h"

NOINLINE void sim_tapped(struct sim_thread *th, uint32_t to, const struct desc *d,
        const struct desc *seen, int64_t start_ps, int64_t arrival_ps, uint16_t in_port)
{
	const struct sim_cfg *cfg = th->sim->cfg;

	if (cfg->tap) {
		const bool arrives = seen && (d == seen || !(seen->flags & DESC_CORRUPT));
		struct desc copy = seen ? *seen : *d;

		copy.t_ps = arrives ? arrival_ps : TIME_NEVER;
		copy.in_port = in_port;
		cfg->tap(cfg->tap_arg, to, &copy, start_ps);
	}
	if (cfg->capture)
		sim_capture_note(th, to, in_port, d, seen, start_ps, arrival_ps);
}
