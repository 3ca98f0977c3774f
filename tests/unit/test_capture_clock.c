/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps and the texts of clocks. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/clock.h"
#include "capture/tick.h"

static int64_t ns(uint8_t tsresol, int64_t offset_s, uint64_t ticks)
{
	struct tick t = tick_make(tsresol, offset_s);

	return tick_ns(&t, ticks);
}

static void powers_of_ten(void **state)
{
	(void)state;
	assert_int_equal(ns(0, 0, 1700000000), INT64_C(1700000000000000000));
	assert_int_equal(ns(3, 0, 1700000000001), INT64_C(1700000000001000000));
	assert_int_equal(ns(6, 0, 1700000000123456), INT64_C(1700000000123456000));
	assert_int_equal(ns(9, 0, 1700000000123456789), INT64_C(1700000000123456789));
	assert_int_equal(ns(10, 0, UINT64_C(17000000001234567899)),
	        INT64_C(1700000000123456789)); /* above INT64_MAX, cut to the nanosecond */
	assert_int_equal(ns(12, 1700000000, 999999), INT64_C(1700000000000000999));
	assert_int_equal(ns(28, 0, UINT64_MAX), 1); /* 1.84 ns */
	assert_int_equal(ns(29, 5, UINT64_MAX), 5000000000);
	assert_int_equal(ns(127, 5, UINT64_MAX), 5000000000);
}

static void powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(ns(0x80, 0, 1700000000), INT64_C(1700000000000000000));
	assert_int_equal(ns(0x80 | 10, 0, 1024 + 512), 1500000000);
	assert_int_equal(ns(0x80 | 30, 0, UINT64_C(3) << 29), 1500000000);
	assert_int_equal(ns(0x80 | 32, 0, UINT64_C(1700000000) << 32 | 0x80000000),
	        INT64_C(1700000000500000000));
	assert_int_equal(ns(0x80 | 63, 0, UINT64_C(3) << 62), 1500000000);
	assert_int_equal(ns(0x80 | 64, 0, UINT64_C(1) << 63), 500000000);
	assert_int_equal(ns(0x80 | 127, 7, UINT64_MAX), 7000000000);
}

static void what_does_not_fit_stops_at_the_limit(void **state)
{
	(void)state;
	assert_true(ns(0, 0, UINT64_MAX) == INT64_MAX);
	assert_true(ns(0, INT64_MAX, UINT64_MAX) == INT64_MAX);
	assert_true(ns(9, INT64_MIN, 0) == INT64_MIN);
	assert_true(ns(9, INT64_MIN, UINT64_MAX) == INT64_MIN);
	assert_true(ns(9, 0, INT64_MAX) == INT64_MAX);
	assert_true(ns(9, 0, (uint64_t)INT64_MAX + 1) == INT64_MAX);
	assert_int_equal(ns(9, -10, 5), INT64_C(-9999999995));
	assert_true(ns(0x80, 0, UINT64_MAX) == INT64_MAX);
}

static void resolutions(void **state)
{
	(void)state;
	assert_true(tick_resolution_ps(0) == INT64_C(1000000000000));
	assert_int_equal(tick_resolution_ps(6), 1000000);
	assert_int_equal(tick_resolution_ps(9), 1000);
	assert_int_equal(tick_resolution_ps(12), 1);
	assert_int_equal(tick_resolution_ps(13), 0);
	assert_int_equal(tick_resolution_ps(0x80 | 30), 931);
	assert_int_equal(tick_resolution_ps(0x80 | 32), 233);
	assert_int_equal(tick_resolution_ps(0x80 | 63), 0);
}

static void clock_texts_are_read_back(void **state)
{
	static const struct capture_clock clocks[] = {
	        {"eth0:phc0", CLOCK_HARDWARE_PTP, TIMESCALE_TAI, 37, -1},
	        {"phc3", CLOCK_HARDWARE_FREE, TIMESCALE_UTC, 0, 12},
	        {"system", CLOCK_SOFTWARE, TIMESCALE_UTC, 0, -1},
	        {"virtual", CLOCK_VIRTUAL, TIMESCALE_VIRTUAL, 0, 0},
	        {"", CLOCK_UNKNOWN, TIMESCALE_UNKNOWN, -5, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct capture_clock c;
		char text[300];

		clock_describe(text, sizeof(text), &clocks[i]);
		clock_from_description(&c, text);
		assert_string_equal(c.name, clocks[i].name);
		assert_int_equal(c.kind, clocks[i].kind);
		assert_int_equal(c.timescale, clocks[i].timescale);
		assert_int_equal(c.tai_offset_s, clocks[i].tai_offset_s);
		assert_int_equal(c.residual_ns, clocks[i].residual_ns);
	}
}

static void clock_text_as_documented(void **state)
{
	struct capture_clock c = {"eth0:phc0", CLOCK_HARDWARE_PTP, TIMESCALE_UTC, 37, -1};
	char text[300];

	(void)state;
	clock_describe(text, sizeof(text), &c);
	assert_string_equal(
	        text, "squall clock=eth0:phc0 kind=hardware-ptp timescale=utc tai-offset=37");
	(void)snprintf(c.name, sizeof(c.name), "my clock\n");
	clock_describe(text, sizeof(text), &c);
	assert_non_null(strstr(text, "clock=my_clock_ kind"));
}

static void other_texts_are_of_no_clock(void **state)
{
	static const char *const texts[] = {"", "squall", "squall clock",
	        "squall clock=", "a port of the squall kind=software", "clock=x kind=virtual",
	        "squall  clock=x"};
	struct capture_clock c;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		clock_from_description(&c, texts[i]);
		assert_int_equal(c.kind, CLOCK_UNKNOWN);
		assert_int_equal(c.timescale, TIMESCALE_UNKNOWN);
		assert_string_equal(c.name, "");
		assert_int_equal(c.residual_ns, -1);
	}
	clock_from_description(
	        &c, "squall clock=a kind=lunar timescale=mars tai-offset=x junk");
	assert_string_equal(c.name, "a");
	assert_int_equal(c.kind, CLOCK_UNKNOWN);
	assert_int_equal(c.timescale, TIMESCALE_UNKNOWN);
	/* The last one counts: a description may quote another. */
	clock_from_description(&c, "squall clock=a kind=virtual; squall clock=b kind=software");
	assert_string_equal(c.name, "b");
	assert_int_equal(c.kind, CLOCK_SOFTWARE);
}

static void virtual_time_begins_in_2000(void **state)
{
	(void)state;
	assert_true(CLOCK_VIRTUAL_EPOCH_NS == INT64_C(946684800000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(powers_of_ten),
	        cmocka_unit_test(powers_of_two),
	        cmocka_unit_test(what_does_not_fit_stops_at_the_limit),
	        cmocka_unit_test(resolutions),
	        cmocka_unit_test(clock_texts_are_read_back),
	        cmocka_unit_test(clock_text_as_documented),
	        cmocka_unit_test(other_texts_are_of_no_clock),
	        cmocka_unit_test(virtual_time_begins_in_2000),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
