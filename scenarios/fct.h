/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line per completed message, in the order of completion, in the column format that the
 * HPCC ns-3 family writes and its scripts read:
 *
 *	sip(hex) dip(hex) sport dport size_bytes start_ns fct_ns standalone_fct_ns
 *
 * A node's address is 11.0.0.1 + id * 256, where id is the number that an imported file gave
 *the node. standalone_fct is that family's estimate (fct_standalone_ns), not the message alone.
 */
#ifndef SCENARIO_FCT_H
#define SCENARIO_FCT_H

#include "dataplane/base/record.h"
#include "scenarios/scenario.h"

/* Complete or absent: written beside path and renamed. */
NODISCARD int fct_write(const char *path, const struct scenario *s,
        const struct run_record *rec, struct err *e);

/* Is this, with its end, a line of such a file? */
bool fct_is_line(const char *line);

#endif
