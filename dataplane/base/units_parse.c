/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dataplane/base/units_int.h"

/* More digits after the point than this are refused for exact kinds, and beyond the resolution
 * of a fraction; with it every product below fits 128 bits. */
#define MAX_DECIMALS 15
#define SHOWN_CHARS  40

typedef unsigned __int128 u128;

/* The text of a quantity, split: whole + decimals / 10^n_decimals, then a suffix. */
struct number {
	uint64_t whole;
	uint64_t decimals;
	unsigned n_decimals;
	bool cut; /* non-zero digits beyond MAX_DECIMALS were left out */
	const char *suffix;
	size_t suffix_len;
};

/* `text` as it may stand in a message: short, without control characters. */
struct shown {
	char text[SHOWN_CHARS + 4];
};

static const char *kind_name(enum unit_kind kind)
{
	return kind == UNIT_TIME ? "a time" : kind == UNIT_RATE ? "a rate" : "a size";
}

static const char *kind_units(enum unit_kind kind)
{
	return kind == UNIT_TIME   ? "ps ns us ms s"
	       : kind == UNIT_RATE ? "bps kbps Mbps Gbps Tbps"
	                           : "B KB MB GB KiB MiB GiB";
}

static struct shown show(const char *text, size_t len)
{
	struct shown s;
	size_t n = len;

	if (n > SHOWN_CHARS) {
		n = SHOWN_CHARS;
		while (n && ((unsigned char)text[n] & 0xc0) ==
		                    0x80) /* not inside a UTF-8 character */
			n--;
	}
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if ((unsigned char)c < 0x20 || c == 0x7f)
			c = '?';
		s.text[i] = c;
	}
	memcpy(s.text + n, len > n ? "..." : "", len > n ? 4 : 1);
	return s;
}

static int refuse(
        struct err *e, enum unit_kind kind, const char *text, size_t len, const char *why)
{
	return err_set(e, -EINVAL, "\"%s\" %s: expected %s", show(text, len).text, why,
	        unit_expected(kind));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static uint64_t pow10_u64(unsigned n)
{
	uint64_t p = 1;

	while (n--)
		p *= 10;
	return p;
}

/* Reads digits at *p; false when they exceed 64 bits. */
static bool read_digits(uint64_t *out, const char **p, const char *end)
{
	*out = 0;
	for (; *p < end && is_digit(**p); (*p)++)
		if (__builtin_mul_overflow(*out, UINT64_C(10), out) ||
		        __builtin_add_overflow(*out, (uint64_t)(**p - '0'), out))
			return false;
	return true;
}

static int read_decimals(struct number *n, const char **p, const char *end)
{
	const char *stop = *p;

	while (stop < end && is_digit(*stop))
		stop++;
	if (stop == *p)
		return -EINVAL;
	for (; *p < stop; (*p)++) {
		if (n->n_decimals == MAX_DECIMALS) {
			n->cut |= **p != '0';
			continue;
		}
		n->decimals = n->decimals * 10 + (uint64_t)(**p - '0');
		n->n_decimals++;
	}
	return 0;
}

/* The leading number of text[0..len), blanks before and after it allowed. */
static int number_read(
        struct number *n, enum unit_kind kind, const char *text, size_t len, struct err *e)
{
	const char *p = text, *end = text + len;

	memset(n, 0, sizeof(*n));
	while (p < end && is_blank(*p))
		p++;
	while (end > p && is_blank(end[-1]))
		end--;
	if (p == end)
		return refuse(e, kind, text, len, "is empty");
	if (*p == '-')
		return refuse(e, kind, text, len, "is negative");
	if (!is_digit(*p))
		return refuse(e, kind, text, len, "does not begin with a digit");
	if (!read_digits(&n->whole, &p, end))
		return refuse(e, kind, text, len, "is too large");
	if (p < end && *p == '.') {
		p++;
		if (read_decimals(n, &p, end) < 0)
			return refuse(e, kind, text, len, "has no digit after its point");
	}
	while (p < end && is_blank(*p))
		p++;
	n->suffix = p;
	n->suffix_len = (size_t)(end - p);
	return 0;
}

static bool unit_is(const struct unit *u, const char *name, size_t len)
{
	return strlen(u->name) == len && memcmp(u->name, name, len) == 0;
}

static const struct unit *unit_find(enum unit_kind kind, const char *name, size_t len)
{
	for (size_t i = 0; i < N_UNITS; i++)
		if (units[i].kind == kind && unit_is(&units[i], name, len))
			return &units[i];
	return NULL;
}

/* A unit that differs in case alone, or one that `name` begins or that begins `name`. */
static const struct unit *unit_nearest(enum unit_kind kind, const char *name, size_t len)
{
	for (size_t i = 0; i < N_UNITS; i++)
		if (units[i].kind == kind && strlen(units[i].name) == len &&
		        strncasecmp(units[i].name, name, len) == 0)
			return &units[i];
	for (size_t i = 0; i < N_UNITS; i++) {
		size_t n = strlen(units[i].name);

		if (units[i].kind == kind && n > 1 &&
		        strncasecmp(units[i].name, name, n < len ? n : len) == 0)
			return &units[i];
	}
	return NULL;
}

static int refuse_unit(struct err *e, enum unit_kind kind, const char *text, size_t len,
        const struct number *n)
{
	struct shown unit = show(n->suffix, n->suffix_len);
	const struct unit *near = unit_nearest(kind, n->suffix, n->suffix_len);
	char why[2 * SHOWN_CHARS + 64];

	for (size_t i = 0; i < N_UNITS; i++) {
		if (units[i].kind == kind || !unit_is(&units[i], n->suffix, n->suffix_len))
			continue;
		if (near)
			(void)snprintf(why, sizeof(why), "is %s, not %s (did you mean %s?)",
			        kind_name(units[i].kind), kind_name(kind), near->name);
		else
			(void)snprintf(why, sizeof(why), "is %s, not %s",
			        kind_name(units[i].kind), kind_name(kind));
		return refuse(e, kind, text, len, why);
	}
	if (near)
		(void)snprintf(why, sizeof(why),
		        "has the unknown unit \"%s\" (did you mean %s?)", unit.text,
		        near->name);
	else
		(void)snprintf(why, sizeof(why), "has the unknown unit \"%s\" (known: %s)",
		        unit.text, kind_units(kind));
	return refuse(e, kind, text, len, why);
}

/* A whole number of canonical units, or an error: nothing is rounded. */
static int exact(int64_t *out, enum unit_kind kind, const char *text, size_t len,
        const struct number *n, int64_t scale, struct err *e)
{
	uint64_t den = pow10_u64(n->n_decimals);
	u128 part = (u128)n->decimals * (u128)scale;
	u128 total = (u128)n->whole * (u128)scale + part / den;

	if (total > INT64_MAX)
		return refuse(e, kind, text, len, "is too large");
	if (part % den || n->cut)
		return refuse(e, kind, text, len,
		        kind == UNIT_TIME   ? "is finer than 1ps"
		        : kind == UNIT_RATE ? "is not a whole number of bits per second"
		        : kind == UNIT_SIZE ? "is not a whole number of bytes"
		                            : "is not a whole number");
	*out = (int64_t)total;
	return 0;
}

/* num / den as Q32, rounded to nearest. */
static int q32(int64_t *out, const char *text, size_t len, u128 num, u128 den, struct err *e)
{
	u128 scaled, value;

	if (!den)
		return refuse(e, UNIT_FRACTION, text, len, "divides by zero");
	if (__builtin_mul_overflow(num, (u128)Q32_ONE, &scaled) ||
	        __builtin_add_overflow(scaled, den / 2, &scaled))
		return refuse(e, UNIT_FRACTION, text, len, "is too large");
	value = scaled / den;
	if (value > INT64_MAX)
		return refuse(e, UNIT_FRACTION, text, len, "is too large");
	if (!value && num)
		return refuse(e, UNIT_FRACTION, text, len, "is below the resolution of 2^-32");
	*out = (int64_t)value;
	return 0;
}

static int fraction(
        int64_t *out, const char *text, size_t len, const struct number *n, struct err *e)
{
	const char *p = n->suffix, *end = p + n->suffix_len;
	u128 den = pow10_u64(n->n_decimals);
	u128 num = (u128)n->whole * den + n->decimals;
	uint64_t other;

	if (p == end)
		return q32(out, text, len, num, den, e);
	if (*p == '%' && p + 1 == end)
		return q32(out, text, len, num, den * 100, e);
	if ((*p == '/' || *p == ':') && !n->n_decimals && ++p < end) {
		while (p < end && is_blank(*p))
			p++;
		if (p < end && is_digit(*p) && read_digits(&other, &p, end) && p == end)
			return q32(out, text, len, num, other, e);
	} else if (*p == 'e' && end - p > 2 && p[1] == '-' && is_digit(p[2])) {
		p += 2;
		if (read_digits(&other, &p, end) && p == end && other <= 18)
			return q32(out, text, len, num, den * pow10_u64((unsigned)other), e);
	}
	return refuse(e, UNIT_FRACTION, text, len, "is no fraction");
}

int unit_parse(int64_t *out, enum unit_kind kind, const char *text, struct err *e)
{
	size_t len = strlen(text);
	const struct unit *u;
	struct number n;
	int r = number_read(&n, kind, text, len, e);

	if (r < 0)
		return r;
	if (kind == UNIT_FRACTION)
		return fraction(out, text, len, &n, e);
	if (kind == UNIT_COUNT) {
		if (n.suffix_len)
			return refuse(e, kind, text, len, "is no plain number");
		return exact(out, kind, text, len, &n, 1, e);
	}
	if (!n.suffix_len)
		return refuse(e, kind, text, len, "has no unit");
	u = unit_find(kind, n.suffix, n.suffix_len);
	if (!u)
		return refuse_unit(e, kind, text, len, &n);
	return exact(out, kind, text, len, &n, u->scale, e);
}
