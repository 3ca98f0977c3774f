/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/units_int.h"

const struct unit units[N_UNITS] = {
        {UNIT_TIME, true, "ps", 1},
        {UNIT_TIME, true, "ns", PS_PER_NS},
        {UNIT_TIME, true, "us", PS_PER_US},
        {UNIT_TIME, true, "ms", PS_PER_MS},
        {UNIT_TIME, true, "s", PS_PER_S},
        {UNIT_TIME, false, "\xc2\xb5s", PS_PER_US}, /* U+00B5 micro sign */
        {UNIT_TIME, false, "\xce\xbcs", PS_PER_US}, /* U+03BC Greek mu */
        {UNIT_RATE, true, "bps", 1},
        {UNIT_RATE, true, "kbps", INT64_C(1000)},
        {UNIT_RATE, true, "Mbps", INT64_C(1000000)},
        {UNIT_RATE, true, "Gbps", INT64_C(1000000000)},
        {UNIT_RATE, true, "Tbps", INT64_C(1000000000000)},
        {UNIT_RATE, false, "Kbps", INT64_C(1000)},
        {UNIT_RATE, false, "b/s", 1},
        {UNIT_RATE, false, "kb/s", INT64_C(1000)},
        {UNIT_RATE, false, "Kb/s", INT64_C(1000)},
        {UNIT_RATE, false, "Mb/s", INT64_C(1000000)},
        {UNIT_RATE, false, "Gb/s", INT64_C(1000000000)},
        {UNIT_RATE, false, "Tb/s", INT64_C(1000000000000)},
        {UNIT_RATE, false, "bit/s", 1},
        {UNIT_RATE, false, "kbit/s", INT64_C(1000)},
        {UNIT_RATE, false, "Kbit/s", INT64_C(1000)},
        {UNIT_RATE, false, "Mbit/s", INT64_C(1000000)},
        {UNIT_RATE, false, "Gbit/s", INT64_C(1000000000)},
        {UNIT_RATE, false, "Tbit/s", INT64_C(1000000000000)},
        {UNIT_SIZE, true, "B", 1},
        {UNIT_SIZE, true, "KB", INT64_C(1000)},
        {UNIT_SIZE, true, "MB", INT64_C(1000000)},
        {UNIT_SIZE, true, "GB", INT64_C(1000000000)},
        {UNIT_SIZE, true, "KiB", INT64_C(1) << 10},
        {UNIT_SIZE, true, "MiB", INT64_C(1) << 20},
        {UNIT_SIZE, true, "GiB", INT64_C(1) << 30},
        {UNIT_SIZE, false, "kB", INT64_C(1000)},
};

const char *unit_expected(enum unit_kind kind)
{
	switch (kind) {
	case UNIT_COUNT:
		return "a whole number without a unit, such as 12";
	case UNIT_TIME:
		return "a time with its unit, such as 1.5us";
	case UNIT_RATE:
		return "a rate with its unit, such as 400Gbps";
	case UNIT_SIZE:
		return "a size with its unit, such as 64MiB";
	case UNIT_FRACTION:
		return "a fraction, such as 20%, 0.2 or 1/8";
	}
	return "a quantity";
}

/* The shortest candidate so far; on equal length the one with fewer decimals, then the first.
 */
struct shortest {
	char text[48];
	size_t len;
	unsigned n_decimals;
};

static void consider(struct shortest *s, uint64_t whole, uint64_t decimals, unsigned n_decimals,
        const char *suffix)
{
	char text[sizeof(s->text)];
	int n;

	while (n_decimals && decimals % 10 == 0) {
		decimals /= 10;
		n_decimals--;
	}
	if (n_decimals)
		n = snprintf(text, sizeof(text), "%" PRIu64 ".%0*" PRIu64 "%s", whole,
		        (int)n_decimals, decimals, suffix);
	else
		n = snprintf(text, sizeof(text), "%" PRIu64 "%s", whole, suffix);
	if (n < 0 || (size_t)n >= sizeof(text))
		return;
	if (s->len &&
	        ((size_t)n > s->len || ((size_t)n == s->len && n_decimals >= s->n_decimals)))
		return;
	memcpy(s->text, text, (size_t)n + 1);
	s->len = (size_t)n;
	s->n_decimals = n_decimals;
}

static void consider_units(struct shortest *s, enum unit_kind kind, uint64_t value)
{
	for (size_t i = 0; i < N_UNITS; i++) {
		uint64_t scale = (uint64_t)units[i].scale, rest, decimals = 0;
		unsigned n = 0;

		if (units[i].kind != kind || !units[i].print)
			continue;
		for (rest = value % scale; rest && n < 12; n++) {
			rest *= 10; /* below 10^13: scale is 10^12 at most */
			decimals = decimals * 10 + rest / scale;
			rest %= scale;
		}
		if (!rest)
			consider(s, value / scale, decimals, n, units[i].name);
	}
}

/* Decimals of value / 2^32 * factor with n digits, kept when they read back as value. */
static void consider_decimal(
        struct shortest *s, uint64_t value, uint64_t factor, const char *suffix)
{
	uint64_t ten_n = 1;

	for (unsigned n = 0; n <= 13; n++, ten_n *= 10) {
		unsigned __int128 scaled =
		        ((unsigned __int128)value * factor * ten_n + Q32_ONE / 2) >> 32;
		unsigned __int128 den = (unsigned __int128)factor * ten_n;

		if (((scaled << 32) + den / 2) / den != value)
			continue;
		consider(s, (uint64_t)(scaled / ten_n), (uint64_t)(scaled % ten_n), n, suffix);
		return;
	}
}

static void consider_fraction(struct shortest *s, uint64_t value)
{
	char suffix[8];

	if (!value || value >= (uint64_t)Q32_ONE) {
		consider_decimal(s, value, 1, "");
		return;
	}
	consider_decimal(s, value, 100, "%");
	consider_decimal(s, value, 1, "");
	for (unsigned shift = 1; shift <= 10; shift++) {
		if ((value << shift) % (uint64_t)Q32_ONE)
			continue;
		(void)snprintf(suffix, sizeof(suffix), "/%u", 1u << shift);
		consider(s, (value << shift) >> 32, 0, 0, suffix);
		return;
	}
}

const char *unit_format(char *buf, size_t len, enum unit_kind kind, int64_t value)
{
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	struct shortest s = {.len = 0};

	if (kind == UNIT_COUNT)
		consider(&s, magnitude, 0, 0, "");
	else if (kind == UNIT_FRACTION)
		consider_fraction(&s, magnitude);
	else
		consider_units(&s, kind, magnitude);
	(void)snprintf(
	        buf, len, "%s%s", value < 0 ? "-" : "", s.text); /* cut when buf is short */
	return buf;
}
