/* SPDX-License-Identifier: Apache-2.0 */
/* Which cases each planted fault fails, with one combination of each case. */
#include "tests/support/qualify_matrix.h"

/* Pause frames that the switch gets, and its headroom. */
static const struct planted pauses[] = {
        {"headroom-short", "ecn.unequal-loads pfc.frames-sent pfc.headroom-holds "
                           "roce.pfc-congestion roce.pfc-congestion-mixed "
                           "scheduling.dwrr-shares scheduling.oversubscribe-lossless "
                           "scheduling.oversubscribe-mixed scheduling.mixed-speed "
                           "watchdog.off"},
        {"pfc-ignored", "ecn.dequeue ecn.marking-curve ecn.quanta-variance "
                        "pfc.pause-lossless pfc.pause-all-lossless pfc.pause-time "
                        "pfc.zero-source pfc.headroom-holds pfc.headroom-exceeded "
                        "pfc.victim pfc.external-storm pfc.throttling-storm "
                        "watchdog.detect-restore watchdog.after-restore "
                        "watchdog.short-storm watchdog.burst-storm "
                        "watchdog.all-priorities watchdog.storm-to-xon "
                        "watchdog.one-of-many watchdog.two-ports watchdog.forward "
                        "watchdog.off"},
        {"pfc-obeyed-on-lossy", "pfc.pause-lossy"},
        {"pfc-whole-port", "pfc.pause-lossless pfc.pause-all-lossless pfc.pause-lossy "
                           "pfc.throttling-storm"},
        {"pfc-one-priority", "pfc.pause-all-lossless watchdog.detect-restore "
                             "watchdog.all-priorities"},
        {"pfc-half-time", "ecn.marking-curve ecn.quanta-variance pfc.pause-time"},
        {"pfc-slow", "pfc.pause-lossless pfc.pause-all-lossless pfc.pause-time "
                     "pfc.zero-source pfc.victim pfc.external-storm "
                     "pfc.throttling-storm watchdog.detect-restore "
                     "watchdog.short-storm watchdog.burst-storm "
                     "watchdog.all-priorities watchdog.storm-to-xon "
                     "watchdog.one-of-many watchdog.two-ports watchdog.forward "
                     "watchdog.off"},
        {"global-pause-obeyed", "pfc.global-pause"},
        {"malformed-pfc-obeyed", "pfc.malformed"},
        {"zero-vector-obeyed", "pfc.zero-vector"},
        {"zero-source-dropped", "pfc.zero-source"},
};

/* Pause frames that it sends, its scheduler, its marks, its ports. */
static const struct planted sending[] = {
        {"xoff-missing", "ecn.unequal-loads pfc.frames-sent pfc.headroom-holds "
                         "pfc.headroom-exceeded roce.pfc-congestion "
                         "roce.pfc-congestion-mixed scheduling.dwrr-shares "
                         "scheduling.oversubscribe-lossless "
                         "scheduling.oversubscribe-mixed scheduling.mixed-speed "
                         "watchdog.off"},
        {"xon-missing", "pfc.frames-sent roce.pfc-congestion roce.pfc-congestion-mixed "
                        "scheduling.dwrr-shares "
                        "scheduling.oversubscribe-lossless scheduling.mixed-speed "
                        "watchdog.off"},
        {"pfc-source-zero", "pfc.frames-sent roce.pfc-congestion "
                            "scheduling.oversubscribe-lossless watchdog.off"},
        {"lossy-paused", "pfc.pause-lossy scheduling.dwrr-lossy "
                         "scheduling.strict-priority scheduling.oversubscribe-lossy "
                         "scheduling.oversubscribe-fluctuating scheduling.mixed-speed "
                         "watchdog.all-priorities"},
        {"dwrr-ignores-weights", "scheduling.dwrr-shares scheduling.dwrr-lossy "
                                 "scheduling.oversubscribe-fluctuating"},
        {"strict-ignored", "scheduling.strict-priority"},
        {"rate-low", "ecn.loads-that-fit ecn.not-without-congestion pfc.pause-time "
                     "pfc.victim roce.pfc-congestion "
                     "scheduling.no-congestion-lossless "
                     "scheduling.no-congestion-mixed scheduling.min-frame "
                     "scheduling.strict-priority scheduling.oversubscribe-lossless "
                     "scheduling.oversubscribe-fluctuating watchdog.after-restore "
                     "watchdog.one-of-many"},
        {"slow-pipeline", "pfc.pause-lossy pfc.global-pause pfc.malformed pfc.zero-vector "
                          "pfc.victim roce.no-congestion scheduling.no-congestion-lossless "
                          "scheduling.no-congestion-mixed scheduling.min-frame "
                          "scheduling.strict-priority scheduling.latency-oversubscribed "
                          "watchdog.after-restore watchdog.one-of-many"},
        {"ecn-always", "ecn.dequeue ecn.marking-curve ecn.quanta-variance "
                       "ecn.unequal-loads ecn.loads-that-fit "
                       "ecn.not-without-congestion roce.no-congestion"},
        {"ecn-never", "ecn.dequeue ecn.marking-curve ecn.quanta-variance "
                      "ecn.unequal-loads roce.dcqcn-congestion"},
        {"ecn-at-enqueue", "ecn.dequeue ecn.marking-curve"},
        {"ecn-kmin-high", "ecn.dequeue ecn.marking-curve"},
        {"ecn-pmax-low", "ecn.marking-curve"},
};

static const struct planted watchdogs[] = {
        {"watchdog-blind", "watchdog.detect-restore watchdog.after-restore "
                           "watchdog.all-priorities watchdog.storm-to-xon "
                           "watchdog.one-of-many watchdog.two-ports watchdog.forward"},
        {"watchdog-early", "watchdog.detect-restore watchdog.short-storm "
                           "watchdog.burst-storm watchdog.all-priorities "
                           "watchdog.storm-to-xon watchdog.one-of-many watchdog.two-ports "
                           "watchdog.forward"},
        {"watchdog-late", "watchdog.detect-restore watchdog.all-priorities "
                          "watchdog.storm-to-xon watchdog.one-of-many watchdog.two-ports "
                          "watchdog.forward"},
        {"watchdog-never-restores", "watchdog.detect-restore watchdog.after-restore "
                                    "watchdog.all-priorities watchdog.storm-to-xon "
                                    "watchdog.two-ports"},
        {"watchdog-only-reports", "watchdog.detect-restore watchdog.all-priorities "
                                  "watchdog.one-of-many watchdog.two-ports watchdog.forward"},
};

#define GROUP(a)                                                                               \
	{                                                                                      \
		a, sizeof(a) / sizeof((a)[0])                                                  \
	}

const struct planted_group planted_groups[PLANTED_N] = {
        [PLANTED_PAUSES] = GROUP(pauses),
        [PLANTED_SENDING] = GROUP(sending),
        [PLANTED_WATCHDOG] = GROUP(watchdogs),
};
