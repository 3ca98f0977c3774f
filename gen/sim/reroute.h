/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside gen/sim: how routes follow links that go down (link_down with `reroute`). Which links
 * the switches avoid from when to when is known before the run: so are all tables. Each switch
 * turns to the next one by an event of its own. Where no fault asks for it there are none.
 */
#ifndef SIM_REROUTE_H
#define SIM_REROUTE_H

#include "gen/sim/sim_int.h"

/* Setup, after switches. Too many different tables are -EINVAL. */
NODISCARD int sim_reroute_setup(struct sim *s, struct err *e);
void sim_reroute_teardown(struct sim *s);

/* The tables that are due by now, at one switch. */
void sim_reroute(const struct sim *s, struct sw_node *w, int64_t now_ps);

#endif
