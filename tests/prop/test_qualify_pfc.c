/* SPDX-License-Identifier: Apache-2.0 */
/* Faults planted in the switch, pause frames that a switch gets and its headroom: each makes
 * exactly its cases fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/qualify_matrix.h"

static void each_fault_of_received_pauses_fails_its_cases(void **state)
{
	static const struct planted p[] = {
	        {"headroom-short",
	                "ecn.unequal-loads pfc.frames-sent pfc.headroom-holds "
	                "roce.pfc-congestion "
	                "roce.pfc-congestion-mixed scheduling.dwrr-shares "
	                "scheduling.oversubscribe-mixed scheduling.mixed-speed watchdog.off"},
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
	                     "pfc.throttling-storm watchdog.short-storm "
	                     "watchdog.burst-storm watchdog.all-priorities "
	                     "watchdog.storm-to-xon watchdog.one-of-many "
	                     "watchdog.two-ports watchdog.forward watchdog.off"},
	        {"global-pause-obeyed", "pfc.global-pause"},
	        {"malformed-pfc-obeyed", "pfc.malformed"},
	        {"zero-vector-obeyed", "pfc.zero-vector"},
	        {"zero-source-dropped", "pfc.zero-source"},
	};

	(void)state;
	qualify_matrix(p, sizeof(p) / sizeof(p[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_fault_of_received_pauses_fails_its_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
