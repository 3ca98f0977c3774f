/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/cdf.h"

#include <errno.h>
#include <inttypes.h>

#include "dataplane/base/check.h"
#include "dataplane/base/units.h"

typedef unsigned __int128 u128;

#define PERCENT_ONE (100 * Q32_ONE)

static void scale_percent(struct load_cdf_point *point, int64_t n)
{
	if (point[n - 1].probability_q32 != PERCENT_ONE)
		return;
	for (int64_t i = 0; i < n; i++)
		point[i].probability_q32 = (point[i].probability_q32 + 50) / 100;
}

int cdf_check(struct load_cdf_point *point, int64_t n, struct err *e)
{
	if (n < 1 || n > CDF_MAX_POINTS)
		return err_set(e, -EINVAL,
		        "%" PRId64 " points, expected 1 to %d of [bytes, probability]", n,
		        CDF_MAX_POINTS);
	scale_percent(point, n);
	for (int64_t i = 0; i < n; i++) {
		const struct load_cdf_point *p = &point[i];

		if (p->bytes < 0 || p->bytes > CDF_MAX_BYTES)
			return err_set(e, -EINVAL,
			        "point %" PRId64 ": %" PRId64 " bytes, expected 0 to %" PRId64,
			        i + 1, p->bytes, CDF_MAX_BYTES);
		if (p->probability_q32 < 0 || p->probability_q32 > Q32_ONE)
			return err_set(e, -EINVAL,
			        "point %" PRId64
			        ": the probability is above the last point's 1 (or 100): "
			        "probabilities are cumulative",
			        i + 1);
		if (i && p->bytes < p[-1].bytes)
			return err_set(e, -EINVAL,
			        "point %" PRId64 ": %" PRId64 " bytes after %" PRId64
			        ": sizes are cumulative and must not fall",
			        i + 1, p->bytes, p[-1].bytes);
		if (i && p->probability_q32 < p[-1].probability_q32)
			return err_set(e, -EINVAL,
			        "point %" PRId64
			        ": the probability is below the former one: probabilities are "
			        "cumulative and must not fall",
			        i + 1);
	}
	if (point[n - 1].probability_q32 != Q32_ONE)
		return err_set(e, -EINVAL,
		        "point %" PRId64 ": the last probability must be 1 (or 100 %%): add "
		        "the largest size with "
		        "it",
		        n);
	return 0;
}

int64_t cdf_size(const struct load_cdf_point *point, int64_t n, uint64_t u)
{
	int64_t lo = 0, hi = n - 1; /* the first point whose probability is above u */
	int64_t bytes;

	while (lo < hi) {
		int64_t mid = (lo + hi) / 2;

		if (((u128)point[mid].probability_q32 << 32) > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	bytes = point[lo].bytes;
	if (lo > 0) {
		const struct load_cdf_point *a = &point[lo - 1], *b = &point[lo];
		u128 width = (u128)(b->probability_q32 - a->probability_q32) << 32;
		u128 into = u - ((u128)a->probability_q32 << 32);

		bytes = a->bytes +
		        (int64_t)(((u128)(b->bytes - a->bytes) * into + width / 2) / width);
	}
	return bytes > 0 ? bytes : 1;
}

/* Sum of ceil(k / m) for k = 1 .. n. */
static u128 packets_up_to(int64_t n, int64_t m)
{
	u128 q = (u128)(n / m), r = (u128)(n % m);

	return (u128)m * q * (q + 1) / 2 + r * (q + 1);
}

static u128 packets_of(int64_t bytes, int64_t m)
{
	return bytes ? (u128)((bytes + m - 1) / m) : 1;
}

static int64_t padding(int64_t payload_bytes)
{
	return -payload_bytes & 3;
}

int64_t cdf_padding(int64_t bytes, int64_t path_mtu_bytes)
{
	int64_t full = bytes > 0 ? (bytes - 1) / path_mtu_bytes : 0;

	return full * padding(path_mtu_bytes) + padding(bytes - full * path_mtu_bytes);
}

static u128 padding_of(int64_t bytes, int64_t m)
{
	return (u128)cdf_padding(bytes ? bytes : 1, m);
}

/* Sum of padding(k) for k = 1 .. n. */
static u128 last_padding_up_to(int64_t n)
{
	static const uint8_t rest[] = {0, 3, 5, 6};

	return (u128)(n / 4) * 6 + rest[n % 4];
}

/* Sum of cdf_padding(k, m) for k = 1 .. n. */
static u128 padding_up_to(int64_t n, int64_t m)
{
	u128 q = (u128)(n / m), each = (u128)padding(m);

	return each * ((u128)m * q * (q - (q > 0)) / 2 + (u128)(n % m) * q) +
	       q * last_padding_up_to(m) + last_padding_up_to(n % m);
}

/* Of one message of so many bytes, and of messages of 1 .. n bytes together. */
struct figure {
	u128 (*of)(int64_t bytes, int64_t m);
	u128 (*up_to)(int64_t n, int64_t m);
};

static const struct figure packets = {packets_of, packets_up_to};
static const struct figure padded = {padding_of, padding_up_to};

/*
 * A segment's sizes a .. b, to the nearest byte: the ends have half the weight of those
 * between, so twice the sum over 2 (b - a) is the mean. A size of 0 is drawn as 1 byte, one
 * packet.
 */
static u128 segment_q32(
        const struct figure *f, int64_t a, int64_t b, u128 weight_q32, int64_t m)
{
	u128 twice;

	if (a == b)
		return weight_q32 * f->of(a, m);
	twice = 2 * (f->up_to(b - 1, m) - f->up_to(a, m)) + f->of(a, m) + f->of(b, m);
	return twice * weight_q32 / (2 * (u128)(b - a));
}

static u128 segment_bytes_q32(int64_t a, int64_t b, u128 weight_q32)
{
	u128 zero = a == 0 ? weight_q32 / (b ? 2 * (u128)b : 1) : 0;

	return (u128)(a + b) * weight_q32 / 2 + zero;
}

u128 cdf_mean_bytes_q32(const struct load_cdf_point *point, int64_t n)
{
	u128 sum = segment_bytes_q32(
	        point[0].bytes, point[0].bytes, (u128)point[0].probability_q32);

	for (int64_t i = 1; i < n; i++)
		sum += segment_bytes_q32(point[i - 1].bytes, point[i].bytes,
		        (u128)(point[i].probability_q32 - point[i - 1].probability_q32));
	return sum;
}

static u128 mean_q32(const struct figure *f, const struct load_cdf_point *point, int64_t n,
        int64_t path_mtu_bytes)
{
	u128 sum = segment_q32(f, point[0].bytes, point[0].bytes,
	        (u128)point[0].probability_q32, path_mtu_bytes);

	ASSERT(path_mtu_bytes > 0);
	for (int64_t i = 1; i < n; i++)
		sum += segment_q32(f, point[i - 1].bytes, point[i].bytes,
		        (u128)(point[i].probability_q32 - point[i - 1].probability_q32),
		        path_mtu_bytes);
	return sum;
}

u128 cdf_mean_packets_q32(const struct load_cdf_point *point, int64_t n, int64_t path_mtu_bytes)
{
	return mean_q32(&packets, point, n, path_mtu_bytes);
}

u128 cdf_mean_padding_q32(const struct load_cdf_point *point, int64_t n, int64_t path_mtu_bytes)
{
	return mean_q32(&padded, point, n, path_mtu_bytes);
}
