/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a switch port makes of a pause frame that comes in, and what it puts into those that it
 * sends. Pure; only pause frames come here.
 */
#ifndef FABRIC_PFC_FRAME_H
#define FABRIC_PFC_FRAME_H

#include "dataplane/fabric/fswitch.h"

/*
 * Counts the frame and leaves in its vector the priorities that the port obeys: those under PFC
 * (IEEE 802.1Q 36.1.3: a frame for a priority without PFC has no effect). False if the frame
 * has no effect: it is no valid PFC frame, or names none of them.
 */
bool fsw_pfc_take(struct fsw_port *p, struct desc *d);

/* Before pfc_xoff and pfc_xon become a frame: false if there is nothing to send after all. */
bool fsw_pfc_give(struct fsw_port *p);

/* enum pfc_form of what it sends. */
uint16_t fsw_pfc_form(const struct fsw_port *p);

#endif
