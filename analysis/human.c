/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/human.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct step {
	double scale;
	const char *unit;
};

/* Four significant digits, never fewer than those of the whole part. */
static int decimals_of(double x)
{
	double a = fabs(x);

	return a >= 999.95 ? 0 : a >= 99.995 ? 1 : a >= 9.9995 ? 2 : 3;
}

/* Steps from the largest to the smallest; the first that the value reaches. */
static const char *with_unit(char *buf, double value, const struct step *step, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && fabs(value) < step[i].scale)
		i++;
	value /= step[i].scale;
	(void)snprintf(buf, HUMAN_LEN, "%.*f%s",
	        i + 1 == n && value == floor(value) ? 0 : decimals_of(value), value,
	        step[i].unit);
	return buf;
}

#define STEPS(a) (a), sizeof(a) / sizeof((a)[0])

const char *human_time(char buf[HUMAN_LEN], int64_t t_ps)
{
	static const struct step steps[] = {
	        {1e12, " s"}, {1e9, " ms"}, {1e6, " us"}, {1e3, " ns"}, {1, " ps"}};

	return with_unit(buf, (double)t_ps, STEPS(steps));
}

const char *human_rate(char buf[HUMAN_LEN], int64_t bps)
{
	static const struct step steps[] = {
	        {1e12, " Tbps"}, {1e9, " Gbps"}, {1e6, " Mbps"}, {1e3, " kbps"}, {1, " bps"}};

	return with_unit(buf, (double)bps, STEPS(steps));
}

const char *human_size(char buf[HUMAN_LEN], int64_t bytes)
{
	static const struct step steps[] = {
	        {1e9, " GB"}, {1e6, " MB"}, {1e3, " KB"}, {1, " B"}};

	return with_unit(buf, (double)bytes, STEPS(steps));
}

const char *human_count(char buf[HUMAN_LEN], double n)
{
	static const struct step steps[] = {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};

	return with_unit(buf, n, STEPS(steps));
}

const char *human_micro(char buf[HUMAN_LEN], int64_t micro)
{
	double x = (double)micro * 1e-6;

	(void)snprintf(buf, HUMAN_LEN, "%.*f", decimals_of(x), x); /* 24 characters at most */
	return buf;
}
