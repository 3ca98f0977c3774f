/* SPDX-License-Identifier: Apache-2.0 */
/* Faults planted in the switch, pause frames that a switch sends, its scheduler and its marks:
 * each makes exactly its cases fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/qualify_matrix.h"

static void each_fault_of_sending_and_marking_fails_its_cases(void **state)
{
	static const struct planted p[] = {
	        {"xoff-missing", "ecn.unequal-loads pfc.frames-sent pfc.headroom-holds "
	                         "pfc.headroom-exceeded roce.pfc-congestion "
	                         "roce.pfc-congestion-mixed scheduling.dwrr-shares "
	                         "scheduling.oversubscribe-mixed scheduling.mixed-speed "
	                         "watchdog.off"},
	        {"xon-missing", "pfc.frames-sent roce.pfc-congestion "
	                        "roce.pfc-congestion-mixed scheduling.mixed-speed "
	                        "watchdog.off"},
	        {"pfc-source-zero", "pfc.frames-sent roce.pfc-congestion watchdog.off"},
	        {"lossy-paused", "pfc.pause-lossy scheduling.dwrr-lossy "
	                         "scheduling.strict-priority scheduling.oversubscribe-lossy "
	                         "scheduling.oversubscribe-fluctuating scheduling.mixed-speed "
	                         "watchdog.all-priorities"},
	        {"dwrr-ignores-weights", "scheduling.dwrr-shares scheduling.dwrr-lossy "
	                                 "scheduling.oversubscribe-fluctuating"},
	        {"strict-ignored", "scheduling.strict-priority"},
	        {"ecn-never", "ecn.dequeue ecn.marking-curve ecn.quanta-variance "
	                      "ecn.unequal-loads roce.dcqcn-congestion"},
	        {"ecn-at-enqueue", "ecn.dequeue ecn.marking-curve"},
	        {"ecn-kmin-high", "ecn.dequeue ecn.marking-curve"},
	        {"ecn-pmax-low", "ecn.marking-curve"},
	};

	(void)state;
	qualify_matrix(p, sizeof(p) / sizeof(p[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_fault_of_sending_and_marking_fails_its_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
