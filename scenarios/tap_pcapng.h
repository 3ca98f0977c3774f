/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.pcapng of a simulated run: one interface per captured port, complete frames, virtual
 * time from 2000-01-01 UTC on. One thread, that of sim_run.
 */
#ifndef SCENARIOS_TAP_PCAPNG_H
#define SCENARIOS_TAP_PCAPNG_H

#include <stdatomic.h>

#include "analysis/out_file.h"
#include "gen/sim/sim.h"
#include "scenarios/scenario.h"

struct tap_pcapng;

/* Makes the folder and begins the file, the last of the set until t is closed. version: of the
 * program. stop (may be NULL) is set when the file cannot be written: the run need not go on.
 */
NODISCARD int tap_pcapng_open(struct tap_pcapng **out, struct out_set *set,
        const struct scenario *s, const char *dir, const char *version, atomic_bool *stop,
        struct err *e);

/* For sim_cfg.capture. */
const struct sim_capture *tap_pcapng_capture(const struct tap_pcapng *t);

/* Ends what is written and frees t, which may be NULL. t_end_ps: of the run. */
void tap_pcapng_close(struct tap_pcapng *t, int64_t t_end_ps);

#endif
