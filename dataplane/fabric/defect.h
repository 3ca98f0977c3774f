/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches that do not do as they must, to prove that a qualification finds them out: a defect
 * is a wrong value where the right one was asked for, computed at set-up, or a flag that the
 * rare paths of pause frames ask for. Nothing of it is on the packet path.
 */
#ifndef FABRIC_DEFECT_H
#define FABRIC_DEFECT_H

#include "dataplane/fabric/fabric_cfg.h"

/* clang-format off */
#define FABRIC_DEFECTS(X)                                                                      \
	X(DWRR_IGNORES_WEIGHTS, "dwrr-ignores-weights")                                        \
	X(STRICT_IGNORED, "strict-ignored")                                                    \
	X(RATE_LOW, "rate-low")                                                                \
	X(SLOW_PIPELINE, "slow-pipeline")                                                      \
	X(ECN_NEVER, "ecn-never")                                                              \
	X(ECN_ALWAYS, "ecn-always")                                                            \
	X(ECN_AT_ENQUEUE, "ecn-at-enqueue")                                                    \
	X(ECN_KMIN_HIGH, "ecn-kmin-high")                                                      \
	X(ECN_PMAX_LOW, "ecn-pmax-low")                                                        \
	X(HEADROOM_SHORT, "headroom-short")                                                    \
	X(PFC_IGNORED, "pfc-ignored")                                                          \
	X(PFC_OBEYED_ON_LOSSY, "pfc-obeyed-on-lossy")                                          \
	X(PFC_WHOLE_PORT, "pfc-whole-port")                                                    \
	X(PFC_ONE_PRIORITY, "pfc-one-priority")                                                \
	X(PFC_HALF_TIME, "pfc-half-time")                                                      \
	X(PFC_SLOW, "pfc-slow")                                                                \
	X(GLOBAL_PAUSE_OBEYED, "global-pause-obeyed")                                          \
	X(MALFORMED_PFC_OBEYED, "malformed-pfc-obeyed")                                        \
	X(ZERO_VECTOR_OBEYED, "zero-vector-obeyed")                                            \
	X(ZERO_SOURCE_DROPPED, "zero-source-dropped")                                          \
	X(XOFF_MISSING, "xoff-missing")                                                        \
	X(XON_MISSING, "xon-missing")                                                          \
	X(PFC_SOURCE_ZERO, "pfc-source-zero")                                                  \
	X(LOSSY_PAUSED, "lossy-paused")                                                        \
	X(WATCHDOG_BLIND, "watchdog-blind")                                                    \
	X(WATCHDOG_EARLY, "watchdog-early")                                                    \
	X(WATCHDOG_LATE, "watchdog-late")                                                      \
	X(WATCHDOG_NEVER_RESTORES, "watchdog-never-restores")                                  \
	X(WATCHDOG_ONLY_REPORTS, "watchdog-only-reports")
/* clang-format on */

enum fabric_defect {
	FABRIC_SOUND,
#define X(name, word) DEFECT_##name,
	FABRIC_DEFECTS(X)
#undef X
};

/* The words of fabric.switch.defect. */
extern const struct knob_word fabric_defect_words[];

/* Puts the wrong values of cfg->defect in place of the right ones. */
void fabric_defect_apply(struct switch_cfg *cfg);

/* What a port of rate_bps makes of its rate, and how much later a frame leaves the switch. */
int64_t fabric_defect_rate_bps(int64_t defect, int64_t rate_bps);
int64_t fabric_defect_delay_ps(int64_t defect);

#endif
