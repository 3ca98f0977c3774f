/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

struct good {
	enum unit_kind kind;
	const char *text;
	int64_t value;
};

struct bad {
	enum unit_kind kind;
	const char *text;
	const char *says; /* part of the message */
};

static void parses(void **state)
{
	static const struct good cases[] = {
	        {UNIT_TIME, "1.5us", 1500000},
	        {UNIT_TIME, "0ps", 0},
	        {UNIT_TIME, "50ms", INT64_C(50000000000)},
	        {UNIT_TIME, "1 us", PS_PER_US},
	        {UNIT_TIME, "\t 2ns ", 2000},
	        {UNIT_TIME, "1.5\xc2\xb5s", 1500000},
	        {UNIT_TIME, "0.000000000001s", 1},
	        {UNIT_TIME, "9223372.036854775807s", INT64_MAX},
	        {UNIT_TIME, "007ns", 7000},
	        {UNIT_TIME, "1.50000000000000000000000us", 1500000},
	        {UNIT_RATE, "400Gbps", INT64_C(400000000000)},
	        {UNIT_RATE, "0.4Tbps", INT64_C(400000000000)},
	        {UNIT_RATE, "40Mb/s", INT64_C(40000000)},
	        {UNIT_RATE, "40Mbit/s", INT64_C(40000000)},
	        {UNIT_RATE, "5kbps", 5000},
	        {UNIT_RATE, "5Kbps", 5000},
	        {UNIT_RATE, "1bps", 1},
	        {UNIT_SIZE, "64MiB", INT64_C(67108864)},
	        {UNIT_SIZE, "1MB", 1000000},
	        {UNIT_SIZE, "400KB", 400000},
	        {UNIT_SIZE, "400kB", 400000},
	        {UNIT_SIZE, "0.5KiB", 512},
	        {UNIT_SIZE, "0B", 0},
	        {UNIT_COUNT, "12", 12},
	        {UNIT_COUNT, "0", 0},
	        {UNIT_COUNT, "9223372036854775807", INT64_MAX},
	        {UNIT_FRACTION, "1/8", Q32_ONE / 8},
	        {UNIT_FRACTION, "2:1", 2 * Q32_ONE},
	        {UNIT_FRACTION, "20%", 858993459}, /* 0.2 * 2^32 = 858993459.2 */
	        {UNIT_FRACTION, "0.2", 858993459},
	        {UNIT_FRACTION, "1/5", 858993459},
	        {UNIT_FRACTION, "2/3", INT64_C(2863311531)}, /* rounded up from .33 below .67 */
	        {UNIT_FRACTION, "1", Q32_ONE},
	        {UNIT_FRACTION, "100%", Q32_ONE},
	        {UNIT_FRACTION, "8", 8 * Q32_ONE},
	        {UNIT_FRACTION, "0", 0},
	        {UNIT_FRACTION, "0%", 0},
	        {UNIT_FRACTION, "1e-4", 429497},
	        {UNIT_FRACTION, "0.01%", 429497},
	        {UNIT_FRACTION, "0.25 %", Q32_ONE / 400},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = {0};
		int64_t v = -1;

		if (unit_parse(&v, cases[i].kind, cases[i].text, &e) != 0)
			fail_msg("%s: %s", cases[i].text, e.msg);
		if (v != cases[i].value)
			fail_msg("%s: %" PRId64 ", not %" PRId64, cases[i].text, v,
			        cases[i].value);
	}
}

static void refuses_and_says_why(void **state)
{
	static const struct bad cases[] = {
	        {UNIT_TIME, "", "is empty: expected a time with its unit, such as 1.5us"},
	        {UNIT_TIME, " \t ", "is empty"},
	        {UNIT_TIME, "15", "has no unit: expected a time with its unit, such as 1.5us"},
	        {UNIT_TIME, "0", "has no unit"},
	        {UNIT_TIME, "-5us", "is negative"},
	        {UNIT_TIME, "+5us", "does not begin with a digit"},
	        {UNIT_TIME, "us", "does not begin with a digit"},
	        {UNIT_TIME, "nan", "does not begin with a digit"},
	        {UNIT_TIME, "5.us", "has no digit after its point"},
	        {UNIT_TIME, "0.5ps", "is finer than 1ps"},
	        {UNIT_TIME, "1.0000000000000000001s", "is finer than 1ps"},
	        {UNIT_TIME, "9223372.036854775808s", "is too large"},
	        {UNIT_TIME, "99999999999999999999999ps", "is too large"},
	        {UNIT_TIME, "18446744073709551615s", "is too large"},
	        {UNIT_TIME, "5Us", "unknown unit \"Us\" (did you mean us?)"},
	        {UNIT_TIME, "5usec", "unknown unit \"usec\" (did you mean us?)"},
	        {UNIT_TIME, "5min", "unknown unit \"min\" (known: ps ns us ms s)"},
	        {UNIT_TIME, "5us 6us", "unknown unit \"us 6us\""},
	        {UNIT_TIME, "1,5us", "unknown unit \",5us\""},
	        {UNIT_TIME, "64MiB", "is a size, not a time"},
	        {UNIT_TIME, "5\x01\n",
	                "unknown unit \"?"
	                "?\""},
	        {UNIT_RATE, "100",
	                "has no unit: expected a rate with its unit, such as 400Gbps"},
	        {UNIT_RATE, "100gbps", "(did you mean Gbps?)"},
	        {UNIT_RATE, "100G", "(did you mean Gbps?)"},
	        {UNIT_RATE, "100us", "is a time, not a rate"},
	        {UNIT_RATE, "0.5bps", "is not a whole number of bits per second"},
	        {UNIT_RATE, "10000000Tbps", "is too large"},
	        {UNIT_SIZE, "1mib", "(did you mean MiB?)"},
	        {UNIT_SIZE, "1Mbps", "is a rate, not a size (did you mean MB?)"},
	        {UNIT_SIZE, "0.3B", "is not a whole number of bytes"},
	        {UNIT_SIZE, "1000",
	                "has no unit: expected a size with its unit, such as 64MiB"},
	        {UNIT_COUNT, "12us", "is no plain number: expected a whole number"},
	        {UNIT_COUNT, "1e6", "is no plain number"},
	        {UNIT_COUNT, "0x10", "is no plain number"},
	        {UNIT_COUNT, "1.5", "is not a whole number"},
	        {UNIT_COUNT, "-1", "is negative"},
	        {UNIT_COUNT, "9223372036854775808", "is too large"},
	        {UNIT_FRACTION, "1/0", "divides by zero"},
	        {UNIT_FRACTION, "1/",
	                "is no fraction: expected a fraction, such as 20%, 0.2 or 1/8"},
	        {UNIT_FRACTION, "0.5/8", "is no fraction"},
	        {UNIT_FRACTION, "1/8%", "is no fraction"},
	        {UNIT_FRACTION, "20 percent", "is no fraction"},
	        {UNIT_FRACTION, "20%%", "is no fraction"},
	        {UNIT_FRACTION, "1e-", "is no fraction"},
	        {UNIT_FRACTION, "1e4", "is no fraction"},
	        {UNIT_FRACTION, "1000000000000000000e-100", "is no fraction"},
	        {UNIT_FRACTION, "1e-15", "is below the resolution"},
	        {UNIT_FRACTION, "2147483648", "is too large"},
	        {UNIT_FRACTION, "18446744073709551615/1", "is too large"},
	        {UNIT_FRACTION, "-20%", "is negative"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = {0};
		int64_t v = 4711;

		if (unit_parse(&v, cases[i].kind, cases[i].text, &e) != -EINVAL)
			fail_msg("\"%s\" was accepted as %" PRId64, cases[i].text, v);
		if (!strstr(e.msg, cases[i].says))
			fail_msg("\"%s\": \"%s\" does not say \"%s\"", cases[i].text, e.msg,
			        cases[i].says);
		assert_int_equal(v, 4711);
		assert_int_equal(unit_parse(&v, cases[i].kind, cases[i].text, NULL), -EINVAL);
	}
}

static void long_text_is_refused_in_short(void **state)
{
	static const enum unit_kind kinds[] = {
	        UNIT_COUNT, UNIT_TIME, UNIT_RATE, UNIT_SIZE, UNIT_FRACTION};
	static const char fills[] = {'9', '0', '.', 'u', '%', ' ', '/', '\x80', 'e'};
	size_t len = 1 << 20;
	char *text = malloc(len + 1);

	(void)state;
	assert_non_null(text);
	for (size_t f = 0; f < sizeof(fills); f++) {
		memset(text, fills[f], len);
		text[0] = '1';
		text[len] = 0;
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			struct err e = {0};
			int64_t v;

			if (fills[f] == ' ' &&
			        (kinds[k] == UNIT_COUNT || kinds[k] == UNIT_FRACTION))
				continue; /* a 1 and a million blanks is a 1 */
			assert_int_equal(unit_parse(&v, kinds[k], text, &e), -EINVAL);
			assert_true(strlen(e.msg) < 300);
		}
	}
	free(text);
}

static void many_zeros_are_still_a_number(void **state)
{
	char text[4096];
	int64_t v;

	(void)state;
	memset(text, '0', sizeof(text));
	memcpy(text + sizeof(text) - 4, "7us", 4);
	assert_int_equal(unit_parse(&v, UNIT_TIME, text, NULL), 0);
	assert_int_equal(v, 7 * PS_PER_US);
}

static void formats_as_a_person_would(void **state)
{
	static const struct good cases[] = {
	        {UNIT_TIME, "1.5us", 1500000},
	        {UNIT_TIME, "350ns", 350000},
	        {UNIT_TIME, "50ms", INT64_C(50000000000)},
	        {UNIT_TIME, "0s", 0},
	        {UNIT_TIME, "1ps", 1},
	        {UNIT_TIME, "9223372036854775807ps", INT64_MAX},
	        {UNIT_RATE, "400Gbps", INT64_C(400000000000)},
	        {UNIT_RATE, "1Tbps", INT64_C(1000000000000)},
	        {UNIT_RATE, "50776684272bps", INT64_C(50776684272)},
	        {UNIT_SIZE, "64MiB", INT64_C(67108864)},
	        {UNIT_SIZE, "400KB", 400000},
	        {UNIT_SIZE, "3KiB", 3072},
	        {UNIT_SIZE, "500MB", 500000000},
	        {UNIT_SIZE, "1.5MiB", 1572864},
	        {UNIT_COUNT, "12", 12},
	        {UNIT_COUNT, "-1", -1},
	        {UNIT_FRACTION, "20%", 858993459},
	        {UNIT_FRACTION, "1/8", Q32_ONE / 8},
	        {UNIT_FRACTION, "1/256", Q32_ONE / 256},
	        {UNIT_FRACTION, "50%", Q32_ONE / 2},
	        {UNIT_FRACTION, "0.01%", 429497},
	        {UNIT_FRACTION, "1", Q32_ONE},
	        {UNIT_FRACTION, "8", 8 * Q32_ONE},
	        {UNIT_FRACTION, "1.5", 3 * Q32_ONE / 2},
	        {UNIT_FRACTION, "0", 0},
	};
	char buf[48], small[4];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
		        unit_format(buf, sizeof(buf), cases[i].kind, cases[i].value),
		        cases[i].text);
	assert_string_equal(
	        unit_format(small, sizeof(small), UNIT_RATE, INT64_C(400000000000)), "400");
}

/* A value in the way people choose them: few significant digits or a power of two, any
 * magnitude. */
static int64_t draw(struct rng *r)
{
	uint64_t v = rng_next(r) >> (1 + rng_below(r, 63));

	switch (rng_below(r, 4)) {
	case 0:
		return (int64_t)v;
	case 1:
		for (uint64_t n = rng_below(r, 19); n && v < INT64_MAX / 10; n--)
			v *= 10;
		return (int64_t)v;
	case 2:
		return (int64_t)(UINT64_C(1) << rng_below(r, 63));
	default:
		return (int64_t)rng_below(r, 100000);
	}
}

static void format_then_parse_is_identity(void **state)
{
	static const enum unit_kind kinds[] = {
	        UNIT_COUNT, UNIT_TIME, UNIT_RATE, UNIT_SIZE, UNIT_FRACTION};
	uint64_t seed = 20260101;
	struct rng r = rng_make(seed, 0, RNG_LOAD);

	(void)state;
	for (int i = 0; i < 60000; i++) {
		enum unit_kind kind = kinds[i % 5];
		int64_t value = draw(&r), back = -1;
		char buf[48];
		struct err e = {0};

		(void)unit_format(buf, sizeof(buf), kind, value);
		if (unit_parse(&back, kind, buf, &e) != 0 || back != value)
			fail_msg("seed %" PRIu64 " draw %d kind %d: %" PRId64
			         " -> \"%s\" -> %" PRId64 " %s",
			        seed, i, (int)kind, value, buf, back, e.msg);
	}
}

static void any_bytes_are_safe(void **state)
{
	static const char alphabet[] = "0123456789.%/e- usnpGMkKiBbt\t\xc2\xb5\xff";
	uint64_t seed = 7;
	struct rng r = rng_make(seed, 0, RNG_FAULT);

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t n = rng_below(&r, 24);
		char text[25], buf[48];
		struct err e = {0};
		int64_t v = -1, back = -1;
		enum unit_kind kind = (enum unit_kind)rng_below(&r, 5);

		for (size_t k = 0; k < n; k++)
			text[k] = alphabet[rng_below(&r, sizeof(alphabet) - 1)];
		text[n] = 0;
		if (unit_parse(&v, kind, text, &e) == 0) {
			assert_true(v >= 0);
			assert_int_equal(unit_parse(&back, kind,
			                         unit_format(buf, sizeof(buf), kind, v), NULL),
			        0);
			assert_int_equal(back, v);
		} else {
			assert_true(strlen(e.msg) > 10);
		}
	}
}

/* Byte times of the usual rates are whole: 80 ps at 100G, 20 ps at 400G, 10 ps at 800G. */
static void byte_times_are_exact(void **state)
{
	(void)state;
	assert_int_equal(tx_ps_floor(1, INT64_C(100000000000)), 80);
	assert_int_equal(tx_ps_floor(1, INT64_C(400000000000)), 20);
	assert_int_equal(tx_ps_floor(1, INT64_C(800000000000)), 10);
	assert_int_equal(tx_ps_floor(1106, INT64_C(400000000000)), 22120);
	assert_int_equal(tx_ps_floor(2300000, INT64_C(1000000000)), INT64_C(18400000000));
	assert_int_equal(ns_from_ps_floor(1999), 1);
	assert_int_equal(ns_from_ps_floor(-1), -1);
	assert_int_equal(ns_from_ps_floor(-1000), -1);
	assert_int_equal(ps_from_ns(-3), -3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parses),
	        cmocka_unit_test(refuses_and_says_why),
	        cmocka_unit_test(long_text_is_refused_in_short),
	        cmocka_unit_test(many_zeros_are_still_a_number),
	        cmocka_unit_test(formats_as_a_person_would),
	        cmocka_unit_test(format_then_parse_is_identity),
	        cmocka_unit_test(any_bytes_are_safe),
	        cmocka_unit_test(byte_times_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
