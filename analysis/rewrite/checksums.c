/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checksums of a frame that is changed: how far each was from the right one before, and the
 * same distance from the right one after. What cannot be checked (a packet that was cut)
 * cannot be made right: a UDP checksum becomes 0, none; what there is of an ICRC goes with the
 * payload.
 */
#include <string.h>

#include "analysis/rewrite/rewrite_int.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/icrc.h"

static uint32_t folded(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint32_t)sum;
}

static uint64_t words(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i + 1 < n; i += 2)
		sum += be16(p + i);
	return n % 2 ? sum + ((uint32_t)p[n - 1] << 8) : sum;
}

uint16_t sum_changed(uint16_t sum, const uint8_t *before, const uint8_t *after, uint32_t bytes)
{
	/* Subtracting is adding the complement. */
	uint64_t s = (uint16_t)~sum + words(after, bytes);

	for (uint32_t i = 0; i + 1 < bytes; i += 2)
		s += (uint16_t)~be16(before + i);
	return (uint16_t)~folded(s);
}

static uint32_t ip_header_bytes(const struct frame *f)
{
	return (f->data[f->l3_at] & 15u) * 4;
}

static uint16_t ip_right(const struct frame *f)
{
	const uint8_t *h = f->data + f->l3_at;
	uint64_t sum = words(h, ip_header_bytes(f)) - be16(h + 10);

	return (uint16_t)~folded(sum);
}

static uint16_t udp_right(const struct frame *f)
{
	const uint8_t *h = f->data + f->l3_at, *u = f->data + f->udp_at;
	uint32_t bytes = be16(u + 4);
	uint64_t sum = 17 + (uint64_t)bytes;

	sum += f->ip_version == 4 ? words(h + 12, 8) : words(h + 8, 32);
	sum += words(u, bytes) - be16(u + 6);
	return (uint16_t)~folded(sum);
}

static uint16_t difference(uint16_t a, uint16_t b)
{
	uint32_t d = folded((uint32_t)a + (uint16_t)~b);

	return d == 0xffff ? 0 : (uint16_t)d;
}

static uint16_t at_distance(uint16_t right, uint16_t wrong_by)
{
	return wrong_by ? (uint16_t)folded((uint32_t)right + wrong_by) : right;
}

void sums_before(struct sums *s, const struct frame *f)
{
	const uint8_t *u = f->data + f->udp_at;

	memset(s, 0, sizeof(*s));
	s->icrc = frame_icrc(f);
	if (s->icrc == ICRC_BAD)
		s->icrc_wrong_by = f->icrc ^ frame_icrc_value_by(crc_method_best(), f);
	if (f->has & FRAME_HAS_IPV4)
		s->ip_wrong_by = difference(be16(f->data + f->l3_at + 10), ip_right(f));
	if (!(f->has & FRAME_HAS_UDP))
		return;
	s->udp_there = be16(u + 6);
	s->udp_checkable = be16(u + 4) >= 8 && !(f->faults & FRAME_FRAGMENT) &&
	                   f->udp_at + be16(u + 4) <= f->cap_bytes;
	if (s->udp_there && s->udp_checkable)
		s->udp_wrong_by = difference(be16(u + 6), udp_right(f));
}

void sums_after(const struct sums *s, const struct frame *f, uint8_t *data)
{
	if (f->has & FRAME_HAS_IPV4)
		put_be16(data + f->l3_at + 10, at_distance(ip_right(f), s->ip_wrong_by));
	/* The ICRC masks the checksum of UDP, which covers the ICRC. */
	if (f->has & FRAME_HAS_ICRC)
		put_le32(data + f->icrc_at,
		        frame_icrc_value_by(crc_method_best(), f) ^ s->icrc_wrong_by);
	if (s->udp_there) {
		uint16_t sum =
		        s->udp_checkable ? at_distance(udp_right(f), s->udp_wrong_by) : 0;

		/* One that happens to be zero is sent as its other form (RFC 768). */
		put_be16(data + f->udp_at + 6, s->udp_checkable && !sum ? 0xffff : sum);
	}
}
