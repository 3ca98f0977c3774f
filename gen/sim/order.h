/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The total order of events within a node: (time, kind, local port); what is left equal is
 * FIFO. One uint64_t: 50 bits of picoseconds (18 virtual minutes), 3 of kind, 11 of port.
 */
#ifndef SIM_ORDER_H
#define SIM_ORDER_H

#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/units.h"

enum sim_kind {
	SIM_FAULT,
	SIM_PAUSE_EFFECT,
	SIM_PAUSE_EXPIRY,
	SIM_SERVICE, /* of an egress port, or a pacing wake-up of a NIC */
	SIM_ARRIVAL,
	SIM_TIMER,
	SIM_START, /* a rank program goes on */
};

#define SIM_PORT_BITS  11
#define SIM_KIND_BITS  3
#define SIM_TIME_SHIFT (SIM_PORT_BITS + SIM_KIND_BITS)
#define SIM_TIME_MAX   (INT64_C(1000) * PS_PER_S)
#define SIM_KEY_NEVER  UINT64_MAX

static ALWAYS_INLINE uint64_t sim_key(int64_t t_ps, enum sim_kind kind, uint32_t port)
{
	return (uint64_t)t_ps << SIM_TIME_SHIFT | (uint64_t)kind << SIM_PORT_BITS | port;
}

/* The same for times that may be TIME_NEVER, or beyond the range: those wait just behind its
 * end, where every run has stopped. */
static ALWAYS_INLINE uint64_t sim_key_or_never(int64_t t_ps, enum sim_kind kind, uint32_t port)
{
	if (UNLIKELY(t_ps > SIM_TIME_MAX))
		return t_ps == TIME_NEVER ? SIM_KEY_NEVER
		                          : sim_key(SIM_TIME_MAX + 1, kind, port);
	return sim_key(t_ps, kind, port);
}

static ALWAYS_INLINE int64_t sim_key_ps(uint64_t key)
{
	return (int64_t)(key >> SIM_TIME_SHIFT);
}

static ALWAYS_INLINE enum sim_kind sim_key_kind(uint64_t key)
{
	return (enum sim_kind)((key >> SIM_PORT_BITS) & ((1u << SIM_KIND_BITS) - 1));
}

static ALWAYS_INLINE uint16_t sim_key_port(uint64_t key)
{
	return (uint16_t)(key & ((1u << SIM_PORT_BITS) - 1));
}

#endif
