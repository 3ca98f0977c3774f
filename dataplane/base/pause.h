/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiving side of priority flow control, for one port: which priorities may not start a
 * frame. Pure state machine shared by NICs and switch ports. IEEE 802.1Q clause 36 and 802.3
 * clause 31B: a quantum is 512 bit times at port speed; the receiver may take up to its
 * response time before it stops (802.3 31B.3.7), the pause runs from the reception of the
 * frame, a new time replaces the old one, and a time of zero resumes at once.
 */
#ifndef BASE_PAUSE_H
#define BASE_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/desc.h"
#include "dataplane/base/units.h"

#define PRIORITIES 8

struct pause_rx {
	uint8_t blocked;                 /* priorities that must not start a frame now */
	uint8_t live;                    /* priorities with a pause running or pending */
	int64_t from_ps[PRIORITIES];     /* when the stop takes effect */
	int64_t until_ps[PRIORITIES];    /* when the quanta expire; TIME_NEVER without expiry */
	int64_t received_ps[PRIORITIES]; /* of the XOFF that began this episode */
	int64_t paused_ps[PRIORITIES]; /* finished episodes, reception of XOFF to XON or expiry
	                                */
	uint64_t episodes[PRIORITIES]; /* finished or running */
};

/* An XOFF for one priority: quantum_ps * quanta long (TIME_NEVER if expires is false),
 * effective after response_ps. Call pause_rx_update at *due_ps, the earliest time that
 * something changes. */
void pause_rx_xoff(struct pause_rx *p, int priority, int64_t now_ps, int64_t length_ps,
        int64_t response_ps);
void pause_rx_xon(struct pause_rx *p, int priority, int64_t now_ps);

/* A PFC frame arrived at a port of rate_bps: XOFF or XON for each priority that it names. */
void pause_rx_frame(struct pause_rx *p, const struct desc *d, int64_t rate_bps, int64_t now_ps,
        int64_t response_ps);

/* Brings `blocked` up to now and returns the next time at which it changes by itself. */
int64_t pause_rx_update(struct pause_rx *p, int64_t now_ps);

/* The two halves of that: the next stop that takes effect and the next pause that runs out,
 * after pause_rx_update at the same time. */
int64_t pause_rx_next_effect_ps(const struct pause_rx *p);
int64_t pause_rx_next_expiry_ps(const struct pause_rx *p);

/* Total pause of one priority up to now, running episode included; the state may be ahead of
 * now by less than an episode. */
int64_t pause_rx_total_ps(const struct pause_rx *p, int priority, int64_t now_ps);

/* IEEE 802.3 31B.3.7 maximum response in quanta for a port rate: 10G 60, 25G 80, 40G 118, 50G
 * 147, 100G 394, 200G 453, 400G 905; other rates take the next higher listed one (above 400G:
 * 905). */
int64_t pause_response_quanta(int64_t rate_bps);

/* Duration of n quanta (512 bit times each) at a port rate. */
int64_t pause_quanta_ps(int64_t n, int64_t rate_bps);

#endif
