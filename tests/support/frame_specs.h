/* SPDX-License-Identifier: Apache-2.0 */
/* Frames to build in tests: any opcode, every field filled from a seed. */
#ifndef TESTS_FRAME_SPECS_H
#define TESTS_FRAME_SPECS_H

#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"

#define FRAME_SPEC_PAYLOAD_BYTES 4096

/* The payload, of up to FRAME_SPEC_PAYLOAD_BYTES, lies in the caller's buffer. */
struct frame_spec frame_spec_random(
        uint64_t seed, uint8_t opcode, uint8_t payload[FRAME_SPEC_PAYLOAD_BYTES]);

/* Fails the test where a field that the frame has differs from what was to be built. */
void frame_spec_compare(const struct frame_spec *s, const struct frame *f);

#endif
