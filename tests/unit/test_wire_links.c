/* SPDX-License-Identifier: Apache-2.0 */
/* One packet under every link type that is read, whole and cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/be.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/frame_specs.h"

#define MAX_BYTES 1024

struct built {
	struct frame_spec spec;
	uint8_t bytes[MAX_BYTES]; /* from the IP header or GRH on */
	uint32_t n;
};

static void build(struct built *b, uint8_t ip_version, bool roce_v1)
{
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES];
	uint8_t out[MAX_BYTES];

	b->spec = frame_spec_random(3, BTH_RC | BTH_WRITE_ONLY, payload);
	b->spec.n_vlan = 0;
	b->spec.ip_version = ip_version;
	b->spec.roce_v1 = roce_v1;
	b->spec.payload_bytes = 101;
	b->n = frame_build(out, sizeof(out), &b->spec, false) - 14;
	memcpy(b->bytes, out + 14, b->n);
}

static void compare(const struct built *b, const struct frame *f)
{
	assert_int_equal(f->ip_version, b->spec.ip_version);
	assert_int_equal(f->dqp, b->spec.dqp);
	assert_int_equal(f->psn, b->spec.psn);
	assert_int_equal(f->reth_va, b->spec.reth_va);
	assert_int_equal(f->payload_bytes, 101);
	assert_memory_equal(f->data + f->payload_at, b->spec.payload, 101);
	assert_int_equal(frame_icrc(f), ICRC_GOOD);
}

/* head, then the packet, then tail bytes that are not its own. */
static void under(uint32_t link, const uint8_t *head, uint32_t head_bytes,
        const struct built *b, uint32_t tail_bytes, uint8_t kind, uint32_t has)
{
	uint8_t data[MAX_BYTES + 64];
	uint32_t n = head_bytes + b->n + tail_bytes;
	struct frame f;

	memset(data, 0xa5, sizeof(data));
	memcpy(data, head, head_bytes);
	memcpy(data + head_bytes, b->bytes, b->n);
	frame_parse(&f, link, data, n, 0);
	assert_int_equal(f.faults, 0);
	assert_int_equal(f.kind, kind);
	assert_int_equal(f.has, has | FRAME_HAS_BTH | FRAME_HAS_RETH | FRAME_HAS_ICRC);
	assert_int_equal(f.trailer_bytes, tail_bytes);
	compare(b, &f);
	for (uint32_t cap = 0; cap < n; cap++) {
		uint8_t *copy = malloc(cap ? cap : 1);

		assert_non_null(copy);
		memcpy(copy, data, cap);
		frame_parse(&f, link, copy, cap, n);
		assert_int_equal(f.faults, FRAME_TRUNCATED);
		if (f.has & FRAME_HAS_BTH)
			assert_int_equal(f.payload_bytes, 101);
		assert_int_equal(
		        frame_icrc(&f), cap >= n - tail_bytes ? ICRC_GOOD : ICRC_NOT_CHECKABLE);
		free(copy);
	}
}

#define V4 (FRAME_HAS_IPV4 | FRAME_HAS_UDP)
#define V6 (FRAME_HAS_IPV6 | FRAME_HAS_UDP)

static void test_raw_and_loopback(void **state)
{
	(void)state;
	static const uint8_t none[4], little4[4] = {2}, big4[4] = {0, 0, 0, 2};
	static const uint8_t families[] = {10, 24, 28, 30};
	static struct built v4, v6;

	build(&v4, 4, false);
	build(&v6, 6, false);
	under(FRAME_LINK_RAW, none, 0, &v4, 3, FRAME_ROCE_V2, V4);
	under(FRAME_LINK_RAW, none, 0, &v6, 0, FRAME_ROCE_V2, V6);
	under(FRAME_LINK_RAW_12, none, 0, &v4, 0, FRAME_ROCE_V2, V4);
	under(FRAME_LINK_IPV4, none, 0, &v4, 0, FRAME_ROCE_V2, V4);
	under(FRAME_LINK_IPV6, none, 0, &v6, 0, FRAME_ROCE_V2, V6);
	under(FRAME_LINK_NULL, little4, 4, &v4, 0, FRAME_ROCE_V2, V4);
	under(FRAME_LINK_NULL, big4, 4, &v4, 0, FRAME_ROCE_V2, V4);
	under(FRAME_LINK_LOOP, big4, 4, &v4, 0, FRAME_ROCE_V2, V4);
	for (size_t i = 0; i < sizeof(families); i++) {
		uint8_t little[4] = {families[i]}, big[4] = {0, 0, 0, families[i]};

		under(FRAME_LINK_NULL, little, 4, &v6, 0, FRAME_ROCE_V2, V6);
		under(FRAME_LINK_LOOP, big, 4, &v6, 0, FRAME_ROCE_V2, V6);
	}
}

static void test_cooked(void **state)
{
	(void)state;
	static struct built v4, v1;
	uint8_t head[24] = {0};

	build(&v4, 4, false);
	build(&v1, 6, true);
	put_be16(head + 14, 0x0800);
	under(FRAME_LINK_SLL, head, 16, &v4, 2, FRAME_ROCE_V2, V4);
	put_be16(head + 14, 0x8915);
	under(FRAME_LINK_SLL, head, 16, &v1, 0, FRAME_ROCE_V1, FRAME_HAS_IPV6);
	put_be16(head + 14, 0x8100); /* a tag behind the cooked header */
	put_be16(head + 18, 0x0800);
	under(FRAME_LINK_SLL, head, 20, &v4, 0, FRAME_ROCE_V2, V4);
	memset(head, 0, sizeof(head));
	put_be16(head, 0x0800);
	under(FRAME_LINK_SLL2, head, 20, &v4, 0, FRAME_ROCE_V2, V4);
}

static void put_lrh(uint8_t lrh[8], uint32_t packet_bytes, uint8_t next)
{
	lrh[0] = 0x30; /* virtual lane 3 */
	lrh[1] = (uint8_t)(0x50 | next);
	put_be16(lrh + 2, 0x0102);
	put_be16(lrh + 4, (uint16_t)(packet_bytes / 4));
	put_be16(lrh + 6, 0x0304);
}

/* With a GRH the ICRC is that of RoCEv1; without, the LRH is covered. VCRC: two bytes. */
static void test_infiniband(void **state)
{
	(void)state;
	static struct built global, local;
	uint8_t lrh[8], masked[MAX_BYTES];
	struct frame f;

	build(&global, 6, true);
	put_lrh(lrh, 8 + global.n, 3);
	under(FRAME_LINK_INFINIBAND, lrh, 8, &global, 2, FRAME_IB,
	        FRAME_HAS_LRH | FRAME_HAS_IPV6);

	local = global;
	local.n = global.n - 40;
	memcpy(local.bytes, global.bytes + 40, local.n);
	local.spec.ip_version = 0;
	put_lrh(lrh, 8 + local.n, 2);
	memcpy(masked, lrh, 8);
	memcpy(masked + 8, local.bytes, local.n);
	masked[0] |= 0xf0;
	masked[12] = 0xff;
	put_le32(local.bytes + local.n - 4,
	        ~crc_update_by(CRC_BITWISE, ~0u, masked, 8 + local.n - 4));
	under(FRAME_LINK_INFINIBAND, lrh, 8, &local, 2, FRAME_IB, FRAME_HAS_LRH);

	memcpy(masked, lrh, 8);
	frame_parse(&f, FRAME_LINK_INFINIBAND, masked, 8 + local.n, 0);
	assert_int_equal(f.vl, 3);
	assert_int_equal(f.sl, 5);
	assert_int_equal(f.dlid, 0x0102);
	assert_int_equal(f.slid, 0x0304);
	put_be16(masked + 4, (uint16_t)((8 + local.n) / 4 + 1)); /* more than there is */
	frame_parse(&f, FRAME_LINK_INFINIBAND, masked, 8 + local.n, 0);
	assert_int_equal(f.faults, FRAME_BAD_LENGTH);
	put_be16(masked + 4, 1);
	frame_parse(&f, FRAME_LINK_INFINIBAND, masked, 8 + local.n, 0);
	assert_int_equal(f.faults, FRAME_BAD_LENGTH);
	assert_int_equal(f.has, FRAME_HAS_LRH);
}

/* A record that is padded to eight bytes, which are not the packet's. */
static void record(uint8_t type, uint32_t extensions, const uint8_t *inner,
        uint32_t inner_bytes, const struct built *b, uint8_t kind, uint32_t has)
{
	uint8_t data[MAX_BYTES + 256] = {0};
	uint32_t at = 16, n;
	struct frame f;

	data[8] = (uint8_t)(type | (extensions ? 0x80 : 0));
	for (uint32_t i = 0; i < extensions; i++, at += 8)
		data[at] = i + 1 < extensions ? 0x83 : 3;
	if (type == 2)
		at += 2;
	memcpy(data + at, inner, inner_bytes);
	memcpy(data + at + inner_bytes, b->bytes, b->n);
	put_be16(data + 14, (uint16_t)(inner_bytes + b->n));
	n = (at + inner_bytes + b->n + 7) & ~7u;
	put_be16(data + 10, (uint16_t)n);
	frame_parse(&f, FRAME_LINK_ERF, data, n, 0);
	assert_int_equal(f.faults, 0);
	assert_int_equal(f.kind, kind);
	assert_int_equal(f.has, has | FRAME_HAS_BTH | FRAME_HAS_RETH | FRAME_HAS_ICRC);
	assert_int_equal(f.l2_at, has & (FRAME_HAS_LRH | FRAME_HAS_ETH) ? at : 0);
	assert_int_equal(f.wire_bytes, at + inner_bytes + b->n);
	assert_int_equal(f.trailer_bytes, 0);
	compare(b, &f);
	for (uint32_t cap = 0; cap < n; cap++) {
		uint8_t *copy = malloc(cap ? cap : 1);

		assert_non_null(copy);
		memcpy(copy, data, cap);
		frame_parse(&f, FRAME_LINK_ERF, copy, cap, n);
		if (f.has & FRAME_HAS_ICRC)
			assert_int_equal(frame_icrc(&f), ICRC_GOOD);
		else
			assert_true(f.faults & FRAME_TRUNCATED);
		free(copy);
	}
}

static void test_erf(void **state)
{
	(void)state;
	static struct built v4, global;
	uint8_t lrh[8], eth[14] = {2, [6] = 2, [12] = 8};

	build(&v4, 4, false);
	build(&global, 6, true);
	put_lrh(lrh, 8 + global.n, 3);
	for (uint32_t extensions = 0; extensions <= 3; extensions++) {
		record(21, extensions, lrh, 8, &global, FRAME_IB,
		        FRAME_HAS_LRH | FRAME_HAS_IPV6);
		record(2, extensions, eth, 14, &v4, FRAME_ROCE_V2, FRAME_HAS_ETH | V4);
		record(22, extensions, eth, 0, &v4, FRAME_ROCE_V2, V4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_raw_and_loopback),
	        cmocka_unit_test(test_cooked),
	        cmocka_unit_test(test_infiniband),
	        cmocka_unit_test(test_erf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
