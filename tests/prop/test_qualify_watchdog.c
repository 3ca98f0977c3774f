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
	static const struct planted p[] = {
	        {"watchdog-blind", "watchdog.detect-restore watchdog.after-restore "
	                           "watchdog.all-priorities watchdog.storm-to-xon "
	                           "watchdog.one-of-many watchdog.two-ports watchdog.forward"},
	        {"watchdog-early", "watchdog.detect-restore watchdog.short-storm "
	                           "watchdog.burst-storm watchdog.all-priorities "
	                           "watchdog.storm-to-xon watchdog.one-of-many "
	                           "watchdog.two-ports watchdog.forward"},
	        {"watchdog-late", "watchdog.detect-restore watchdog.all-priorities "
	                          "watchdog.storm-to-xon watchdog.one-of-many "
	                          "watchdog.two-ports watchdog.forward"},
	        {"watchdog-never-restores", "watchdog.detect-restore watchdog.after-restore "
	                                    "watchdog.all-priorities watchdog.storm-to-xon "
	                                    "watchdog.two-ports"},
	        {"watchdog-only-reports",
	                "watchdog.detect-restore watchdog.all-priorities "
	                "watchdog.one-of-many watchdog.two-ports watchdog.forward"},
	};

	(void)state;
	qualify_matrix(p, sizeof(p) / sizeof(p[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_sound_switch_passes),
	        cmocka_unit_test(each_fault_of_the_watchdog_fails_its_cases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
