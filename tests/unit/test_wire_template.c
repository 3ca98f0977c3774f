/* SPDX-License-Identifier: Apache-2.0 */
/* A patched template is the frame that is built whole, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "dataplane/wire/template.h"
#include "tests/support/frame_specs.h"

#define MAX_BYTES (FRAME_SPEC_PAYLOAD_BYTES + 200)

static void test_psn(void **state)
{
	(void)state;
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES], out[MAX_BYTES], want[MAX_BYTES];
	static struct frame_template t;
	struct rng r = rng_make(9, 0, RNG_LOAD);

	for (uint64_t seed = 0; seed < 40; seed++) {
		struct frame_spec s =
		        frame_spec_random(seed, BTH_RC | BTH_WRITE_MIDDLE, payload);
		uint32_t bytes = frame_build(out, sizeof(out), &s, true);
		struct frame f;

		frame_parse(&f, FRAME_LINK_ETHERNET, out, bytes, 0);
		assert_true(frame_template_init(&t, &f));
		for (int i = 0; i < 50; i++) {
			s.psn = i ? rng_next(&r) & 0xffffff : 0xffffff;
			frame_template_psn(&t, out, s.psn);
			assert_int_equal(frame_build(want, sizeof(want), &s, true), bytes);
			assert_memory_equal(out, want, bytes);
		}
	}
}

static void test_psn_needs_a_whole_frame(void **state)
{
	(void)state;
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES], out[MAX_BYTES];
	struct frame_spec s = frame_spec_random(1, BTH_RC | BTH_SEND_ONLY, payload);
	uint32_t bytes = frame_build(out, sizeof(out), &s, false);
	struct frame_template t;
	struct frame f;

	frame_parse(&f, FRAME_LINK_ETHERNET, out, bytes - 1, bytes);
	assert_false(frame_template_init(&t, &f));
}

/* Headers that change over one payload, of each length modulo four and from nothing on. */
static void test_payload(void **state)
{
	(void)state;
	static uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES], out[MAX_BYTES];
	static struct payload_template t;
	static const uint32_t lengths[] = {0, 1, 2, 3, 4, 63, 256, 1024, 4095, 4096};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint8_t ops[] = {BTH_RC | BTH_WRITE_ONLY, BTH_UC | BTH_SEND_FIRST,
		        BTH_RD | BTH_WRITE_ONLY_IMM, BTH_XRC | BTH_SEND_ONLY_INV};

		for (uint64_t seed = 0; seed < 20; seed++) {
			struct frame_spec s = frame_spec_random(seed, ops[seed % 4], payload);
			struct frame f;
			uint32_t bytes;

			memset(payload, 0x5a, sizeof(payload));
			s.payload = payload;
			s.payload_bytes = lengths[i];
			payload_template_init(&t, payload, lengths[i]);
			bytes = frame_build(out, sizeof(out), &s, false);
			frame_parse(&f, FRAME_LINK_ETHERNET, out, bytes, 0);
			memset(out + f.payload_at, 0xee,
			        f.icrc_at - f.payload_at); /* not read */
			assert_int_equal(payload_template_icrc(&t, &f), f.icrc);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_psn),
	        cmocka_unit_test(test_psn_needs_a_whole_frame),
	        cmocka_unit_test(test_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
