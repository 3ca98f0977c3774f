/* SPDX-License-Identifier: Apache-2.0 */
/* Faults planted in the switch, its PFC watchdog: each makes exactly its cases fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/qualify_matrix.h"

static void a_sound_switch_passes(void **state)
{
	static const struct planted p[] = {{"none", ""}};

	(void)state;
	qualify_matrix(p, 1);
}

static void each_fault_of_the_watchdog_fails_its_cases(void **state)
{
	(void)state;
	qualify_matrix(planted_groups[PLANTED_WATCHDOG].p, planted_groups[PLANTED_WATCHDOG].n);
}

static void every_case_is_failed_by_a_fault(void **state)
{
	(void)state;
	qualify_matrix_is_whole();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_case_is_failed_by_a_fault),
	        cmocka_unit_test(a_sound_switch_passes),
	        cmocka_unit_test(each_fault_of_the_watchdog_fails_its_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
