/* SPDX-License-Identifier: Apache-2.0 */
/* Inside gen/sim: windows, groups and who owns which node. */
#ifndef SIM_PARTITION_H
#define SIM_PARTITION_H

#include "gen/sim/sim_int.h"

/* Chooses the window length and the ring, finds groups, assigns nodes to threads. */
NODISCARD int sim_partition(struct sim *s, struct err *e);

/* -EINVAL with "measure.series: ..." for samples so frequent that the ring cannot be. */
NODISCARD int sim_partition_check(const struct sim_cfg *cfg, struct err *e);

/* Before the run: the first event of a host. */
void sim_first_wake(struct sim *s, uint32_t node, int64_t t_ps);

/* nic.window in payload bytes per QP; <= 0: none. */
int64_t sim_window_bytes(const struct sim *s);

#endif
