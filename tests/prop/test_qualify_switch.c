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
	(void)state;
	qualify_matrix(planted_groups[PLANTED_SENDING].p, planted_groups[PLANTED_SENDING].n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_fault_of_sending_and_marking_fails_its_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
