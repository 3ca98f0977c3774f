/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: what threads note for a capture, and how it leaves. Only where one is asked
 * for. */
#ifndef SIM_CAPTURE_INT_H
#define SIM_CAPTURE_INT_H

#include "gen/sim/sim_int.h"

/* So many records are handed over together: the work of a sort. */
#define CAPTURE_BATCH 32768

/* The frame d starts at start_ps and, unless `seen` is NULL, comes to port in_port of node `to`
 * as *seen at arrival_ps. */
void sim_capture_note(struct sim_thread *th, uint32_t to, uint16_t in_port,
        const struct desc *d, const struct desc *seen, int64_t start_ps, int64_t arrival_ps);

/* Hands over what lies before until_ps. All other threads wait. */
void sim_capture_flush(struct sim *s, int64_t until_ps);

#endif
