/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: a switch while nothing about it is paused. Ports then serve themselves: what
 * a port has sent by now is worked out when the next frame for it arrives, and for all ports at
 * the end of the window, so that no service is an event. What cannot be told apart from the
 * exact order:
 * - A port's own queue, marks and turns depend on its own arrivals and departures alone, and
 *   those keep their order.
 * - Departures from other ports that are still put off make the buffer counters too high and
 *   the thresholds too low. Where these admit without XOFF, the exact ones do as well; the
 * order of additions and releases leaves no trace in them.
 * - The fullest that the shared pool has been is exact: a frame that would raise it with
 *   counters too high is not admitted this way either.
 * A frame that fails one of these tests, or a PFC frame, ends the calm: all ports are drained
 * to that instant, their services scheduled, and the rest of the window is exact.
 */
#ifndef SIM_SWITCH_CALM_H
#define SIM_SWITCH_CALM_H

#include "gen/sim/node.h"

/* Is the switch calm, or can it be from here on? Between windows. */
bool switch_calm_enter(struct sw_node *s);

/* Deals with the arrivals up to the one that ends the calm and returns how many there were. If
 * all, *next is the key of the first service after the window. */
uint32_t switch_calm_window(
        struct sim_thread *th, struct sw_node *s, struct desc *d, uint32_t n, uint64_t *next);

static ALWAYS_INLINE bool switch_calm(struct sw_node *s)
{
	if (LIKELY(s->calm))
		return true;
	if (s->n_rare | s->n_paused | s->sw.n_xoff | s->unusual)
		return false;
	return switch_calm_enter(s);
}

#endif
