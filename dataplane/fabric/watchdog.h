/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PFC watchdog of one port, as SONiC's does it (PFC Watchdog design; orchagent's
 * pfc_detect_*.lua and pfc_restore.lua): a lossless queue that has been under pause for
 * `detect` without a break is stormed, queued packets or not. From then on its packets are
 * dropped (and, unless told otherwise, what arrives at this port in that priority, so that the
 * switch asks nobody for a pause on the storm's behalf), or sent in spite of the pause, or left
 * alone. After `restore` without a pause all is as before. An XON ends the pause and starts
 * that time. With a polling interval it acts at polls alone, the multiples of `poll`: each
 * holds the time since when the queue has been paused, or free, against detect, or restore, so
 * that detection takes detect to less than detect + poll. Pure: it is told the pause and the
 * time. One thread.
 */
#ifndef FABRIC_WATCHDOG_H
#define FABRIC_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/pause.h"
#include "dataplane/fabric/fabric_cfg.h"

struct watchdog {
	int64_t detect_ps, restore_ps, poll_ps;
	enum watchdog_action action;
	bool drop_ingress;
	uint8_t watched;              /* priorities; 0: off */
	uint8_t storm;                /* of those: stormed now */
	uint8_t seen;                 /* blocked or, in a storm, under pause at the last look */
	int64_t since_ps[PRIORITIES]; /* of that state, or of its end in a storm */
	int64_t paused_ps[PRIORITIES]; /* when the pause began that made the storm */
	int64_t due_ps[PRIORITIES];    /* when this becomes a storm or ends one; TIME_NEVER */
	int64_t dropped[PRIORITIES];   /* packets, since the storm was seen */
	int64_t event_ps;              /* the caller's: its earliest event for this port */
};

/* False: the port's profile has it off. */
bool watchdog_init(struct watchdog *w, const struct switch_cfg *cfg);

/* The pause of the port may have changed. Returns the priorities that must not send. */
uint8_t watchdog_look(struct watchdog *w, const struct pause_rx *p, int64_t now_ps);

/* The next time at which watchdog_fire has something to do, or TIME_NEVER. */
int64_t watchdog_next_ps(const struct watchdog *w);

/* What is due: returns the priorities whose storm began or ended now. */
uint8_t watchdog_fire(struct watchdog *w, const struct pause_rx *p, int64_t now_ps);

/* Is a packet for this port's queue dropped, or one that comes in here? */
static inline bool watchdog_drops_out(const struct watchdog *w, int priority)
{
	return w && w->action == WATCHDOG_DROP && (w->storm >> priority & 1);
}

static inline bool watchdog_drops_in(const struct watchdog *w, int priority)
{
	return watchdog_drops_out(w, priority) && w->drop_ingress;
}

#endif
