/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: the PFC watchdog of a switch in virtual time. Its timers have a heap of their
 * own: most are overtaken by the end of the pause and nobody waits for them, so they do not
 * keep a switch from being calm. All of it is off the packet path but for switch_watch_drops,
 * which is asked while a queue is stormed.
 */
#ifndef SIM_SWITCH_WATCH_H
#define SIM_SWITCH_WATCH_H

#include "dataplane/fabric/watchdog.h"
#include "gen/sim/sim_int.h"

static inline bool switch_watched(const struct sw_node *s, uint16_t port)
{
	return s->sw.watchdog && s->sw.watchdog[port].watched;
}

/* The pause of a watched port changed; returns the priorities that must not send. */
uint8_t switch_watch_look(struct sw_node *s, uint16_t port, int64_t now_ps);

/* Is the next rare event one of the watchdog? */
static inline bool switch_watch_is(const struct sw_node *s, uint64_t key)
{
	return s->n_watch && s->watch[0] == key && !(s->n_rare && s->rare[0] == key);
}
void switch_watch_fire(struct sim_thread *th, struct sw_node *s, uint64_t key);

/* A packet for egress `out` while some queue is stormed: true if it was dropped. */
bool switch_watch_drops(
        struct sim_thread *th, struct sw_node *s, uint16_t out, const struct desc *d);

/* Nothing is paused and nothing stormed: no timer means anything. */
void switch_watch_forget(struct sw_node *s);

/* The record of all threads; -ENOMEM. */
NODISCARD int switch_watch_collect(const struct sim *s, struct run_record *r);
void switch_watch_order(struct run_record *r); /* once more, of several processes */

#endif
