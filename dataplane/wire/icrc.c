/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/icrc.h"

#include "dataplane/wire/crc_int.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc_int.h"

#define REGISTER_START   0xffffffffu
#define AFTER_EIGHT_ONES 0xdebb20e3u /* REGISTER_START after eight bytes of 0xff */

/* IBTA volume 1 section 7.8.1 and annex A17.4.5.3: type of service, time to live and checksums
 * of IPv4 and UDP; traffic class, flow label and hop limit of IPv6 and GRH; the virtual lane;
 * the byte of the BTH with FECN and BECN. */
static const struct crc_mask masks[ICRC_FORMS] = {
        [ICRC_IPV4].ones = {[1] = 0xff,
                [8] = 0xff,
                [10] = 0xff,
                [11] = 0xff,
                [26] = 0xff,
                [27] = 0xff,
                [32] = 0xff},
        [ICRC_IPV6].ones = {0x0f, 0xff, 0xff,
                0xff, [7] = 0xff, [46] = 0xff, [47] = 0xff, [52] = 0xff},
        [ICRC_GRH].ones = {0x0f, 0xff, 0xff, 0xff, [7] = 0xff, [44] = 0xff},
        [ICRC_LRH].ones = {0xf0, [12] = 0xff},
};

/* Bytes from the start to the BTH where there are no options: what the masks are made for. */
static const uint8_t plain_bytes[ICRC_FORMS] = {
        [ICRC_IPV4] = 28, [ICRC_IPV6] = 48, [ICRC_GRH] = 40, [ICRC_LRH] = 8};

static const struct crc_mask ipv4_mask = {
        .ones = {[1] = 0xff, [8] = 0xff, [10] = 0xff, [11] = 0xff}};
static const struct crc_mask ipv6_mask = {.ones = {0x0f, 0xff, 0xff, 0xff, [7] = 0xff}};
static const struct crc_mask udp_mask = {.ones = {[6] = 0xff, [7] = 0xff, [12] = 0xff}};

/* IPv4 options and IPv6 extension headers: covered as they are. */
static COLD uint32_t register_with_options(enum crc_method m, const struct icrc_span *span)
{
	const uint8_t *p = span->data;
	uint32_t crc = AFTER_EIGHT_ONES;

	crc = crc_masked_by(m, crc, p + span->start_at, span->udp_at - span->start_at,
	        span->form == ICRC_IPV4 ? &ipv4_mask : &ipv6_mask);
	return crc_masked_by(m, crc, p + span->udp_at, span->end_at - span->udp_at, &udp_mask);
}

uint32_t icrc_register_by(enum crc_method m, const struct icrc_span *span)
{
	if (UNLIKELY(span->bth_at - span->start_at != plain_bytes[span->form]))
		return register_with_options(m, span);
	return crc_masked_by(m, span->form == ICRC_LRH ? REGISTER_START : AFTER_EIGHT_ONES,
	        span->data + span->start_at, span->end_at - span->start_at, &masks[span->form]);
}

struct icrc_span icrc_span_of(const struct frame *f)
{
	struct icrc_span span = {.data = f->data,
	        .udp_at = f->udp_at,
	        .bth_at = f->bth_at,
	        .end_at = f->icrc_at};

	span.start_at = f->l3_at;
	if (f->has & FRAME_HAS_UDP)
		span.form = f->ip_version == 4 ? ICRC_IPV4 : ICRC_IPV6;
	else if (f->ip_version == 6)
		span.form = ICRC_GRH;
	else {
		span.form = ICRC_LRH;
		span.start_at = f->l2_at;
	}
	return span;
}

uint32_t frame_icrc_value_by(enum crc_method m, const struct frame *f)
{
	struct icrc_span span = icrc_span_of(f);

	return ~icrc_register_by(m, &span);
}

enum icrc_verdict frame_icrc_by(enum crc_method m, const struct frame *f)
{
	if (!(f->has & FRAME_HAS_ICRC))
		return ICRC_NOT_CHECKABLE;
	return frame_icrc_value_by(m, f) == f->icrc ? ICRC_GOOD : ICRC_BAD;
}

enum icrc_verdict frame_icrc(const struct frame *f)
{
	return frame_icrc_by(crc_method_best(), f);
}
