/* SPDX-License-Identifier: Apache-2.0 */
/* One entry of faults[] in canonical units, filled through the rows of fault_knobs.c. */
#ifndef SIM_FAULT_CFG_H
#define SIM_FAULT_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/knob.h"
#include "gen/sim/fault.h"

#define FAULT_ANY           (-1) /* qp.number, priority */
#define FAULT_INTERVAL_AUTO 0

/* drop, corrupt, mark, hold: which frames, where. */
struct fault_frames_cfg {
	const char *link, *src, *dst, *psn;
	int64_t qp, frames, sent, every, probability_q32, count, time_ps;
};

struct fault_cfg {
	int64_t at_ps, for_ps;
	struct fault_frames_cfg frames[FAULT_HOLD + 1];
	const char *target[FAULT_KINDS]; /* of the other kinds: link, host or switch */
	int64_t rate_bps, delay_ps, reroute_ps, interval_ps, quanta, priority, priorities, form;
};

extern const struct knob_group fault_knobs;

/* The key of a kind: "pfc_storm". */
const char *fault_kind_name(enum fault_kind kind);

/* The kind whose key, or whose section, this row is; FAULT_KINDS for keys that several kinds
 * share (at, rate ...). */
enum fault_kind fault_row_kind(const struct knob *row);

/* May this row stand in an entry of that kind, and must it? */
bool fault_row_applies(const struct knob *row, enum fault_kind kind);
bool fault_row_required(const struct knob *row, enum fault_kind kind);

#endif
