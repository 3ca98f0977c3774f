/* SPDX-License-Identifier: Apache-2.0 */
/* Packets cut at every byte and packets whose length fields lie: what was read whole is there,
 * what contradicts itself is named, nothing else. */
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
#include "tests/support/hex.h"

#define MAX_BYTES (FRAME_SPEC_PAYLOAD_BYTES + 200)

/* The bytes in a block of their own, so that a sanitizer sees a read past what was captured. */
static void parse_cut(
        struct frame *f, uint32_t link, const uint8_t *data, uint32_t cap, uint32_t wire)
{
	uint8_t *copy = malloc(cap ? cap : 1);

	assert_non_null(copy);
	memcpy(copy, data, cap);
	frame_parse(f, link, copy, cap, wire);
	free(copy);
	f->data = data;
}

static struct frame_spec spec_of(uint8_t opcode, uint8_t ip_version, bool roce_v1)
{
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES];
	struct frame_spec s = frame_spec_random(1, opcode, payload);

	s.n_vlan = ip_version == 6;
	s.vlan[0].tpid = 0x8100;
	s.ip_version = ip_version;
	s.roce_v1 = roce_v1;
	s.payload_bytes %= 50;
	return s;
}

/* enum frame_has of what ends within cap bytes of a whole frame. */
static uint32_t wanted_has(const struct frame *whole, uint32_t cap)
{
	static const uint32_t bits[EXT_KINDS] = {[EXT_RETH] = FRAME_HAS_RETH,
	        [EXT_AETH] = FRAME_HAS_AETH,
	        [EXT_DETH] = FRAME_HAS_DETH,
	        [EXT_ATOMIC] = FRAME_HAS_ATOMIC_ETH,
	        [EXT_ATOMIC_ACK] = FRAME_HAS_ATOMIC_ACK_ETH,
	        [EXT_IMM] = FRAME_HAS_IMM,
	        [EXT_IETH] = FRAME_HAS_IETH,
	        [EXT_XRC] = FRAME_HAS_XRCETH,
	        [EXT_RDETH] = FRAME_HAS_RDETH,
	        [EXT_FETH] = FRAME_HAS_FETH};
	const struct opcode_info *info = &opcode_table[whole->opcode];
	uint32_t at = whole->bth_at + 12u, has = 0;

	if (cap >= 14)
		has |= FRAME_HAS_ETH;
	if (cap >= (whole->udp_at ? whole->udp_at : whole->bth_at))
		has |= whole->ip_version == 4 ? FRAME_HAS_IPV4 : FRAME_HAS_IPV6;
	if (whole->udp_at && cap >= whole->bth_at)
		has |= FRAME_HAS_UDP;
	if (cap >= at)
		has |= FRAME_HAS_BTH;
	for (int i = 0; i < info->n_ext; i++) {
		at += opcode_ext_bytes[info->ext[i]];
		if (cap >= at)
			has |= bits[info->ext[i]];
	}
	if (cap >= whole->icrc_at + 4)
		has |= FRAME_HAS_ICRC;
	return has;
}

static void cut_everywhere(const struct frame_spec *s)
{
	static uint8_t data[MAX_BYTES];
	uint32_t bytes = frame_build(data, sizeof(data), s, true);
	struct frame whole, f;

	frame_parse(&whole, FRAME_LINK_ETHERNET, data, bytes, 0);
	assert_int_equal(whole.faults, 0);
	for (uint32_t cap = 0; cap <= bytes; cap++) {
		parse_cut(&f, FRAME_LINK_ETHERNET, data, cap, bytes);
		assert_int_equal(f.faults, cap < bytes ? FRAME_TRUNCATED : 0);
		assert_int_equal(f.has, wanted_has(&whole, cap));
		assert_int_equal(frame_icrc(&f),
		        f.has & FRAME_HAS_ICRC ? ICRC_GOOD : ICRC_NOT_CHECKABLE);
		if (f.has & FRAME_HAS_BTH) {
			assert_int_equal(f.payload_bytes, s->payload_bytes);
			assert_int_equal(f.payload_at, whole.payload_at);
			assert_int_equal(f.trailer_bytes, whole.trailer_bytes);
		}

		/* The capture does not say that there was more: lengths contradict it. */
		parse_cut(&f, FRAME_LINK_ETHERNET, data, cap, 0);
		assert_int_equal(f.has, wanted_has(&whole, cap));
		assert_int_equal(f.faults & ~FRAME_TRUNCATED,
		        cap < whole.icrc_at + 4 ? FRAME_BAD_LENGTH : 0);
		if (f.has & FRAME_HAS_BTH)
			assert_int_equal(f.payload_bytes, s->payload_bytes);
	}
}

static void test_cut_at_every_byte(void **state)
{
	(void)state;
	for (int op = 0; op < 256; op++) {
		struct frame_spec s;

		if (!(opcode_table[op].flags & OPCODE_KNOWN))
			continue;
		s = spec_of((uint8_t)op, 4, false);
		cut_everywhere(&s);
		s = spec_of((uint8_t)op, 6, false);
		cut_everywhere(&s);
		s = spec_of((uint8_t)op, 6, true);
		cut_everywhere(&s);
	}
}

/* Any value of a length field but the right one is a fault, and nothing behind it is read. */
static void lie(
        const uint8_t *good, uint32_t bytes, uint32_t field_at, uint32_t base, uint32_t right)
{
	static uint8_t data[MAX_BYTES];
	struct frame whole;

	frame_parse(&whole, FRAME_LINK_ETHERNET, good, bytes, 0);
	for (uint32_t v = 0; v < 65536; v += v < right + 40 ? 1 : 997) {
		struct frame f;
		uint32_t faults;

		memcpy(data, good, bytes);
		put_be16(data + field_at, (uint16_t)v);
		parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
		faults = f.faults & ~FRAME_BAD_IP_CHECKSUM;
		assert_int_equal(faults, v == right ? 0 : FRAME_BAD_LENGTH);
		if (v == right || base + v >= whole.icrc_at + 4)
			continue;
		/* Where the packet would end before its headers do, they are not there. */
		if (v && base + v >= whole.udp_at + 8u)
			assert_int_equal(
			        !!(f.has & FRAME_HAS_BTH), base + v >= whole.bth_at + 12u);
		if (v && base + v >= whole.bth_at + 12u)
			assert_int_equal(!!(f.has & FRAME_HAS_RETH),
			        base + v >= whole.bth_at + 12u + 16 + 4);
		if (f.has & FRAME_HAS_ICRC && (v || f.faults & FRAME_BAD_IP_CHECKSUM))
			assert_true(f.icrc_at + 4 <= bytes);
	}
}

static void test_length_fields(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES];
	struct frame_spec s = spec_of(BTH_RC | BTH_WRITE_ONLY, 4, false);
	struct frame f;
	uint32_t bytes = frame_build(data, sizeof(data), &s, false);

	assert_true(s.payload_bytes > 0);
	frame_parse(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	lie(data, bytes, f.l3_at + 2u, f.l3_at, bytes - f.l3_at);
	lie(data, bytes, f.udp_at + 4u, f.udp_at, bytes - f.udp_at);

	s = spec_of(BTH_RC | BTH_WRITE_ONLY, 6, false);
	bytes = frame_build(data, sizeof(data), &s, false);
	frame_parse(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	lie(data, bytes, f.l3_at + 4u, f.udp_at, bytes - f.udp_at);
	lie(data, bytes, f.udp_at + 4u, f.udp_at, bytes - f.udp_at);
}

static void test_versions(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES];
	struct frame_spec s = spec_of(BTH_RC | BTH_SEND_ONLY, 4, false);
	uint32_t bytes = frame_build(data, sizeof(data), &s, true);
	struct frame f;

	for (unsigned v = 0; v < 256; v++) {
		data[14] = (uint8_t)v;
		parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
		assert_int_equal(!!(f.faults & FRAME_BAD_VERSION), v >> 4 != 4 || (v & 15) < 5);
		assert_int_equal(!(f.has & FRAME_HAS_IPV4),
		        f.faults & FRAME_BAD_VERSION || 14 + (v & 15) * 4 > bytes);
	}
	data[14] = 0x45;
	data[24] ^= 1;
	parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	assert_int_equal(f.faults, FRAME_BAD_IP_CHECKSUM);

	s = spec_of(BTH_RC | BTH_SEND_ONLY, 6, true);
	s.n_vlan = 0;
	bytes = frame_build(data, sizeof(data), &s, true);
	data[14] = 0x56;
	parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
	assert_int_equal(f.faults, FRAME_BAD_VERSION);
	assert_int_equal(f.has, FRAME_HAS_ETH);
}

/* Reserved opcodes; a payload, or its lack of padding, that its opcode does not allow. */
static void test_opcodes(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES];
	static const uint8_t zeros[64];
	struct frame f;

	for (int op = 0; op < 256; op++) {
		struct frame_spec s = spec_of((uint8_t)op, 4, false);
		uint8_t flags = opcode_table[op].flags;
		uint8_t want = 0;
		uint32_t bytes;

		s.payload = zeros;
		s.payload_bytes = 8;
		bytes = frame_build(data, sizeof(data), &s, true);
		parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes, 0);
		if (!(flags & OPCODE_KNOWN))
			want = FRAME_BAD_OPCODE;
		else if (!(flags & OPCODE_PAYLOAD))
			want = FRAME_BAD_LENGTH;
		assert_int_equal(f.faults, want);
		assert_true(f.has & FRAME_HAS_BTH);
		assert_int_equal(f.payload_bytes, 8);
		assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	}
}

static void test_tags(void **state)
{
	(void)state;
	static uint8_t plain[MAX_BYTES], data[MAX_BYTES];
	struct frame_spec s = spec_of(BTH_RC | BTH_SEND_ONLY, 4, false);
	uint32_t bytes = frame_build(plain, sizeof(plain), &s, true);
	struct frame f;

	for (uint32_t n = 0; n <= 20; n++) {
		memcpy(data, plain, 12);
		for (uint32_t i = 0; i < n; i++) {
			put_be16(data + 12 + 4 * i, i % 2 ? 0x8100 : 0x88a8);
			put_be16(data + 14 + 4 * i, (uint16_t)(0x6000 + i));
		}
		memcpy(data + 12 + 4 * n, plain + 12, bytes - 12);
		parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes + 4 * n, 0);
		assert_int_equal(f.kind, n <= 16 ? FRAME_ROCE_V2 : FRAME_OTHER);
		assert_int_equal(f.n_vlan, n <= 16 ? n : 16);
		if (n >= 2) {
			assert_int_equal(f.vlan[0].tpid, 0x88a8);
			assert_int_equal(f.vlan[1].tci, 0x6001);
		}
		if (n <= 16)
			assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	}
}

/* The first fragment has headers, the others nothing but addresses; none can be checked. */
static void test_fragments(void **state)
{
	(void)state;
	static uint8_t data[MAX_BYTES];
	struct frame_spec s = spec_of(BTH_RC | BTH_SEND_ONLY, 4, false);
	uint32_t bytes;
	struct frame f;

	s.payload_bytes = 48;
	bytes = frame_build(data, sizeof(data), &s, true);
	put_be16(data + 20, 0x2000);
	put_be16(data + 16, (uint16_t)(bytes - 14 - 24)); /* the rest in another one */
	parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes - 24, 0);
	assert_int_equal(f.faults & ~FRAME_BAD_IP_CHECKSUM, FRAME_FRAGMENT);
	assert_int_equal(f.kind, FRAME_ROCE_V2);
	assert_int_equal(f.payload_bytes, 48);
	assert_int_equal(frame_icrc(&f), ICRC_NOT_CHECKABLE);
	put_be16(data + 20, 0x0004);
	parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes - 24, 0);
	assert_int_equal(f.faults & ~FRAME_BAD_IP_CHECKSUM, FRAME_FRAGMENT);
	assert_int_equal(f.kind, FRAME_OTHER);
	assert_int_equal(f.has, FRAME_HAS_ETH | FRAME_HAS_IPV4);
}

/* A chain of n destination options before UDP: read up to a bound, the ICRC over them. */
static void test_extension_headers(void **state)
{
	(void)state;
	static uint8_t plain[MAX_BYTES], data[MAX_BYTES];
	struct frame_spec s = spec_of(BTH_RC | BTH_SEND_ONLY, 6, false);
	uint32_t bytes;
	struct frame f;

	s.n_vlan = 0;
	bytes = frame_build(plain, sizeof(plain), &s, false);
	for (uint32_t n = 0; n <= 12; n++) {
		memcpy(data, plain, 54);
		memset(data + 54, 0, 8 * n);
		for (uint32_t i = 0; i <= n; i++)
			data[i ? 54 + 8 * (i - 1) : 20] = i == n ? 17 : 60;
		memcpy(data + 54 + 8 * n, plain + 54, bytes - 54);
		put_be16(data + 18, (uint16_t)(bytes - 54 + 8 * n));
		parse_cut(&f, FRAME_LINK_ETHERNET, data, bytes + 8 * n, 0);
		assert_int_equal(f.kind, n <= 8 ? FRAME_ROCE_V2 : FRAME_OTHER);
		assert_int_equal(f.faults, n <= 8 ? 0 : FRAME_BAD_LENGTH);
		if (n <= 8) {
			uint32_t want = frame_icrc_value_by(CRC_BITWISE, &f);

			assert_int_equal(f.protocol, 17);
			assert_true(n == 0 || want != f.icrc);
			for (enum crc_method m = 0; m < CRC_METHODS; m++)
				if (crc_method_here(m))
					assert_int_equal(frame_icrc_value_by(m, &f), want);
		}
	}
}

static void test_mac_control(void **state)
{
	(void)state;
	static const uint8_t mac[6] = {2};
	static const uint16_t quanta[8] = {9};
	uint8_t data[PFC_FRAME_BYTES];
	struct frame f;

	pfc_frame_build(data, mac, 0x0101, quanta);
	for (uint32_t cap = 0; cap <= sizeof(data); cap++) {
		uint8_t want = cap < sizeof(data) ? FRAME_TRUNCATED : 0;

		parse_cut(&f, FRAME_LINK_ETHERNET, data, cap, sizeof(data));
		assert_int_equal(!!(f.has & FRAME_HAS_PAUSE_TIMES), cap >= 34);
		assert_int_equal(f.faults, want | (cap >= 34 ? FRAME_BAD_PFC_VECTOR : 0));
		assert_int_equal(f.kind, cap >= 16   ? FRAME_PFC
		                         : cap >= 14 ? FRAME_MAC_CONTROL
		                                     : FRAME_OTHER);
	}
	put_be16(data + 14, 0x0002);
	parse_cut(&f, FRAME_LINK_ETHERNET, data, sizeof(data), 0);
	assert_int_equal(f.kind, FRAME_MAC_CONTROL);
	assert_int_equal(f.mac_control_opcode, 2);
}

static void test_nothing(void **state)
{
	(void)state;
	struct frame f;

	frame_parse(&f, FRAME_LINK_ETHERNET, NULL, 0, 0);
	assert_int_equal(f.has, 0);
	assert_int_equal(f.faults, FRAME_BAD_LENGTH);
	frame_parse(&f, 4242, (const uint8_t *)"abc", 3, 0);
	assert_int_equal(f.kind, FRAME_OTHER);
	assert_int_equal(f.faults, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_cut_at_every_byte),
	        cmocka_unit_test(test_length_fields),
	        cmocka_unit_test(test_versions),
	        cmocka_unit_test(test_opcodes),
	        cmocka_unit_test(test_tags),
	        cmocka_unit_test(test_fragments),
	        cmocka_unit_test(test_extension_headers),
	        cmocka_unit_test(test_mac_control),
	        cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
