/* SPDX-License-Identifier: Apache-2.0 */
/* Ticks of a NIC's clock, of any rate, to the host's time: through the last two readings. */
#ifndef CAPTURE_DPDK_TICK_FIT_H
#define CAPTURE_DPDK_TICK_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct tick_fit {
	uint64_t ticks;
	int64_t host_ns;
	uint64_t ns_per_tick_q32; /* 0: one reading so far, or none */
	int64_t residual_ns;      /* where a reading was expected; -1: not known */
	uint32_t readings;
};

static inline bool tick_fit_ready(const struct tick_fit *f)
{
	return f->ns_per_tick_q32 != 0;
}

/* Also of ticks somewhat before the last reading. */
static inline int64_t tick_fit_ns(const struct tick_fit *f, uint64_t ticks)
{
	__int128 since = (__int128)(int64_t)(ticks - f->ticks) * (__int128)f->ns_per_tick_q32;

	return f->host_ns + (int64_t)(since >> 32);
}

static inline void tick_fit_add(struct tick_fit *f, uint64_t ticks, int64_t host_ns)
{
	uint64_t since = ticks - f->ticks;

	f->residual_ns = -1;
	if (tick_fit_ready(f))
		f->residual_ns = llabs(tick_fit_ns(f, ticks) - host_ns);
	if (f->readings && since && host_ns > f->host_ns)
		f->ns_per_tick_q32 =
		        (uint64_t)(((unsigned __int128)(uint64_t)(host_ns - f->host_ns) << 32) /
		                   since);
	f->ticks = ticks;
	f->host_ns = host_ns;
	f->readings++;
}

#endif
