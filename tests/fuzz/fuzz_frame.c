/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet parser and what reads further from a parsed frame: any bytes under any link type.
 * The first three bytes choose link type and lengths. Offsets stay within the captured bytes
 * where their header was read, and every method agrees on the ICRC.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/wire/cm_mad.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/lldp.h"
#include "dataplane/wire/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t links[] = {FRAME_LINK_ETHERNET, FRAME_LINK_NULL, FRAME_LINK_RAW_12,
        FRAME_LINK_RAW, FRAME_LINK_LOOP, FRAME_LINK_SLL, FRAME_LINK_ERF, FRAME_LINK_IPV4,
        FRAME_LINK_IPV6, FRAME_LINK_INFINIBAND, FRAME_LINK_SLL2, 9999};

static void check_offsets(const struct frame *f)
{
	if (f->has & FRAME_HAS_ETH)
		CHECK(f->l2_at + 14u <= f->cap_bytes);
	if (f->has & FRAME_HAS_IPV4)
		CHECK(f->l3_at + 20u <= f->cap_bytes);
	if (f->has & FRAME_HAS_IPV6)
		CHECK(f->l3_at + 40u <= f->cap_bytes);
	if (f->has & FRAME_HAS_UDP)
		CHECK(f->udp_at + 8u <= f->cap_bytes && f->udp_at >= f->l3_at + 20u);
	if (f->has & FRAME_HAS_BTH)
		CHECK(f->bth_at + 12u <= f->cap_bytes && f->payload_at >= f->bth_at + 12u);
	else
		CHECK(f->payload_bytes == 0);
	CHECK(!(f->has & FRAME_HAS_BTH) ==
	        (f->kind != FRAME_ROCE_V2 && f->kind != FRAME_ROCE_V1 && f->kind != FRAME_IB));
	/* A length field, or all there was where it is zero. */
	CHECK(f->payload_bytes <= 65535 || f->payload_bytes < f->wire_bytes);
	CHECK(f->cap_bytes <= f->wire_bytes);
}

static void check_icrc(const struct frame *f)
{
	struct frame_template t;
	uint32_t value = frame_icrc_value_by(CRC_BITWISE, f);

	CHECK(f->icrc_at + 4 <= f->cap_bytes &&
	        f->icrc_at == f->payload_at + f->payload_bytes + f->pad);
	for (enum crc_method m = CRC_SLICING; m < CRC_METHODS; m++)
		if (crc_method_here(m))
			CHECK(frame_icrc_value_by(m, f) == value);
	CHECK((frame_icrc(f) == ICRC_GOOD) == (value == f->icrc));
	if (f->psn % 64 == 0)
		CHECK(frame_template_init(&t, f) && t.icrc_at == f->icrc_at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame f;
	struct cm_mad m;
	struct lldp l;
	uint32_t link, more;

	if (size < 3)
		return 0;
	link = links[data[0] % (sizeof(links) / sizeof(links[0]))];
	more = (uint32_t)data[1] << 8 | data[2];
	data += 3;
	size -= 3;
	frame_parse(&f, link, data, (uint32_t)size, more ? (uint32_t)size + more - 1 : 0);
	check_offsets(&f);
	if (f.has & FRAME_HAS_ICRC)
		check_icrc(&f);
	else
		CHECK(frame_icrc(&f) == ICRC_NOT_CHECKABLE);
	if (cm_mad_parse(&m, &f))
		CHECK(m.kind && (!m.has_ip || m.ip_version));
	if (lldp_parse(&l, &f))
		CHECK(memchr(l.chassis, 0, sizeof(l.chassis)) &&
		        memchr(l.port, 0, sizeof(l.port)));
	return 0;
}
