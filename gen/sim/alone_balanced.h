/* SPDX-License-Identifier: Apache-2.0 */
/* A message alone where switches balance packet by packet. Any thread; changes nothing. */
#ifndef SIM_ALONE_BALANCED_H
#define SIM_ALONE_BALANCED_H

#include "gen/sim/alone_walk.h"
#include "gen/sim/sim_int.h"

/* When all of it has arrived, at the earliest; 0 if no switch on its way has a choice,
 * TIME_NEVER where it may be beyond what virtual time can hold. */
int64_t alone_balanced_ps(const struct sim *s, uint32_t src, uint32_t dst, uint16_t entropy,
        const struct alone_msg *m);

#endif
