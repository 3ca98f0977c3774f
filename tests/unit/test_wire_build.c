/* SPDX-License-Identifier: Apache-2.0 */
/* What is built is what is read, for every opcode; frames as bytes that others published. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/frame_specs.h"
#include "tests/support/hex.h"

#define MAX_BYTES (FRAME_SPEC_PAYLOAD_BYTES + 200)

/* enum frame_has of an extended header. */
static uint32_t bit_of(uint8_t ext)
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

	return bits[ext];
}

static uint32_t wanted_headers(const struct frame_spec *s)
{
	uint32_t has = FRAME_HAS_ETH | FRAME_HAS_BTH | FRAME_HAS_ICRC;

	has |= s->ip_version == 4 ? FRAME_HAS_IPV4 : FRAME_HAS_IPV6;
	if (!s->roce_v1)
		has |= FRAME_HAS_UDP;
	for (int i = 0; i < opcode_table[s->opcode].n_ext; i++)
		has |= bit_of(opcode_table[s->opcode].ext[i]);
	return has;
}

static void test_round_trip(void **state)
{
	(void)state;
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES], out[MAX_BYTES];

	for (int op = 0; op < 256; op++) {
		if (!(opcode_table[op].flags & OPCODE_KNOWN))
			continue;
		for (uint64_t seed = 0; seed < 40; seed++) {
			struct frame_spec s = frame_spec_random(seed, (uint8_t)op, payload);
			uint32_t bytes = frame_build(out, sizeof(out), &s, seed & 1);
			struct frame f;

			assert_true(bytes >= frame_spec_bytes(&s));
			assert_true(!(seed & 1) || bytes >= 60);
			frame_parse(&f, FRAME_LINK_ETHERNET, out, bytes, 0);
			assert_int_equal(f.faults, 0);
			assert_int_equal(f.has, wanted_headers(&s));
			assert_int_equal(f.trailer_bytes, bytes - frame_spec_bytes(&s));
			frame_spec_compare(&s, &f);
			for (enum crc_method m = 0; m < CRC_METHODS; m++)
				if (crc_method_here(m))
					assert_int_equal(frame_icrc_by(m, &f), ICRC_GOOD);
		}
	}
}

/* Fields on the way may change (IBTA annex A17.4.5.3); any other changed byte is seen. */
static void test_what_the_icrc_covers(void **state)
{
	(void)state;
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES], out[MAX_BYTES];

	for (uint64_t seed = 0; seed < 60; seed++) {
		struct frame_spec s = frame_spec_random(seed, BTH_WRITE_ONLY, payload);
		struct frame f;
		uint32_t bytes;

		s.payload_bytes %= 200;
		bytes = frame_build(out, sizeof(out), &s, false);
		frame_parse(&f, FRAME_LINK_ETHERNET, out, bytes, 0);
		for (uint32_t i = f.l3_at; i < bytes; i++) {
			uint32_t l3 = i - f.l3_at, udp = i - f.udp_at;
			bool free_byte = i == f.bth_at + 4u ||
			                 (f.has & FRAME_HAS_UDP && (udp == 6 || udp == 7));

			if (f.ip_version == 4)
				free_byte |= l3 == 1 || l3 == 8 || l3 == 10 || l3 == 11;
			else
				free_byte |= l3 <= 3 || l3 == 7; /* of byte 0 the low bits */
			out[i] ^= 0x01;
			assert_int_equal(frame_icrc_value_by(crc_method_best(), &f) == f.icrc,
			        free_byte || i >= f.icrc_at);
			out[i] ^= 0x01;
		}
	}
}

/* The packet of IBTA volume 1 section 7.8.2 (local, RC WRITE ONLY of 14 bytes) with its ICRC
 * and two bytes behind it.
 */
static void test_infiniband_example(void **state)
{
	(void)state;
	static const char text[] = "7012375c000e17d2 0a2024870087b1b3000dec2a 01710a1c015d4002"
	                           "38f27a050000000e bb884d85fd5cfba4728bc0690ed40000 9625b75a"
	                           "2c5d";
	uint8_t data[128];
	struct frame f;
	long n = hex_bytes(data, sizeof(data), text);

	frame_parse(&f, FRAME_LINK_INFINIBAND, data, (uint32_t)n, 0);
	assert_int_equal(f.faults, 0);
	assert_int_equal(f.kind, FRAME_IB);
	assert_int_equal(
	        f.has, FRAME_HAS_LRH | FRAME_HAS_BTH | FRAME_HAS_RETH | FRAME_HAS_ICRC);
	assert_int_equal(f.vl, 7);
	assert_int_equal(f.dlid, 0x375c);
	assert_int_equal(f.slid, 0x17d2);
	assert_int_equal(f.opcode, BTH_RC | BTH_WRITE_ONLY);
	assert_int_equal(f.dqp, 0x87b1b3);
	assert_int_equal(f.psn, 0x0dec2a);
	assert_int_equal(f.reth_bytes, 14);
	assert_int_equal(f.pad, 2);
	assert_int_equal(f.payload_bytes, 14);
	assert_int_equal(f.trailer_bytes, 2);
	for (enum crc_method m = 0; m < CRC_METHODS; m++)
		if (crc_method_here(m))
			assert_int_equal(frame_icrc_by(m, &f), ICRC_GOOD);
	data[0] ^= 0x30; /* the virtual lane is the network's */
	assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	data[1] ^= 0x10; /* the service level is not */
	assert_int_equal(frame_icrc(&f), ICRC_BAD);
}

static void test_pause_frames(void **state)
{
	(void)state;
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	static const uint16_t quanta[8] = {0, 1, 2, 65535, 4, 5, 6, 700};
	uint8_t out[PFC_FRAME_BYTES], want[PFC_FRAME_BYTES] = {0};
	struct frame f;

	assert_int_equal(hex_bytes(want, sizeof(want),
	                         "0180c2000001 020000000009 8808 0101 0088"
	                         "0000 0001 0002 ffff 0004 0005 0006 02bc"),
	        34);
	pfc_frame_build(out, mac, 0x88, quanta);
	assert_memory_equal(out, want, sizeof(out));
	frame_parse(&f, FRAME_LINK_ETHERNET, out, sizeof(out), 0);
	assert_int_equal(f.kind, FRAME_PFC);
	assert_int_equal(f.faults, 0);
	assert_int_equal(f.has, FRAME_HAS_ETH | FRAME_HAS_PAUSE_TIMES);
	assert_int_equal(f.pfc_vector, 0x88);
	assert_memory_equal(f.quanta, quanta, sizeof(quanta));

	pause_frame_build(out, mac, 0x1234);
	frame_parse(&f, FRAME_LINK_ETHERNET, out, sizeof(out), 0);
	assert_int_equal(f.kind, FRAME_PAUSE);
	assert_int_equal(f.faults, 0);
	assert_int_equal(f.quanta[0], 0x1234);
	out[0] = 0x02;
	frame_parse(&f, FRAME_LINK_ETHERNET, out, sizeof(out), 0);
	assert_int_equal(f.faults, FRAME_BAD_PFC_ADDRESS);
}

static void test_refused(void **state)
{
	(void)state;
	static uint8_t out[70000];
	struct frame_spec s = {
	        .ip_version = 4, .opcode = BTH_SEND_MIDDLE, .payload_bytes = 1024};

	assert_int_equal(frame_spec_bytes(&s), 1082);
	assert_int_equal(frame_build(out, 1081, &s, true), 0);
	assert_int_equal(frame_build(out, 1082, &s, true), 1082);
	s.payload_bytes = 65535 - 20 - 8 - 12 - 4 - 3; /* IPv4's total length is 65532 */
	assert_int_equal(frame_build(out, sizeof(out), &s, true), 14 + 65532);
	s.payload_bytes += 1;
	assert_int_equal(frame_build(out, sizeof(out), &s, true), 0);
	s.payload_bytes = UINT32_MAX;
	assert_int_equal(frame_build(out, sizeof(out), &s, true), 0);
	s.payload_bytes = 0;
	s.n_vlan = 3;
	assert_int_equal(frame_build(out, sizeof(out), &s, true), 0);
	s.n_vlan = 0;
	s.ip_version = 5;
	assert_int_equal(frame_build(out, sizeof(out), &s, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_round_trip),
	        cmocka_unit_test(test_what_the_icrc_covers),
	        cmocka_unit_test(test_infiniband_example),
	        cmocka_unit_test(test_pause_frames),
	        cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
