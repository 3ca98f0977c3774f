/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long frames take on a link: exact picoseconds, the fraction of a picosecond that a rate
 * such as 30 Gb/s leaves is carried from frame to frame and never lost. With a time step above
 * 1 ps every serialisation time is the largest multiple of the step that is shorter than the
 * exact time (what a clock in whole steps makes of a time kept as a binary fraction of a
 * second), and nothing is carried. Where that is none at all a frame takes its exact time: a
 * run in which frames take no time may have no end.
 */
#ifndef BASE_LINK_RATE_H
#define BASE_LINK_RATE_H

#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/units.h"

struct link_rate {
	int64_t ps_per_byte; /* 0: not whole, or a time step is in use */
	int64_t bps;
	int64_t step_ps;
	int64_t carry; /* numerator left over, in 1/bps ps */
};

static inline void link_rate_init(struct link_rate *r, int64_t bps, int64_t step_ps)
{
	r->bps = bps;
	r->step_ps = step_ps;
	r->carry = 0;
	r->ps_per_byte = step_ps == 1 && INT64_C(8000000000000) % bps == 0
	                         ? INT64_C(8000000000000) / bps
	                         : 0;
}

static inline int64_t link_rate_stepped_ps(int64_t exact_ps, int64_t step_ps)
{
	if (exact_ps >= step_ps)
		return exact_ps - exact_ps % step_ps;
	return exact_ps > 0 ? exact_ps : 1;
}

static NOINLINE __attribute__((unused)) int64_t link_rate_tx_slow_ps(
        struct link_rate *r, int64_t wire_bytes)
{
	int64_t num = wire_bytes * INT64_C(8000000000000) + r->carry;
	int64_t t_ps;

	if (r->step_ps > 1) {
		t_ps = (num - 1) / r->bps;
		return link_rate_stepped_ps(t_ps, r->step_ps);
	}
	t_ps = num / r->bps;
	r->carry = num - t_ps * r->bps;
	return t_ps;
}

static ALWAYS_INLINE int64_t link_rate_tx_ps(struct link_rate *r, int64_t wire_bytes)
{
	if (LIKELY(r->ps_per_byte != 0))
		return wire_bytes * r->ps_per_byte;
	return link_rate_tx_slow_ps(r, wire_bytes);
}

/* How much later the last of so many bytes comes than the first: the head of a frame is that
 * much ahead of its end. With a clock step frames count whole: 0. */
static inline int64_t link_rate_rest_ps(const struct link_rate *r, int64_t bytes)
{
	if (bytes <= 0 || r->step_ps > 1)
		return 0;
	return r->ps_per_byte ? bytes * r->ps_per_byte : tx_ps_floor(bytes, r->bps);
}

#endif
