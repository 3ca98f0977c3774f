/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packet as a record of pcapng, laid straight into memory: what pcapng_packet writes into a
 * stream, for those who fill buffers of whole records. A test holds both to the same bytes.
 */
#ifndef CAPTURE_PCAPNG_RECORD_H
#define CAPTURE_PCAPNG_RECORD_H

#include <stdint.h>
#include <string.h>

#include "capture/packet.h"
#include "capture/pcapng_int.h"

#define PCAPNG_RECORD_HEAD_BYTES 28
#define PCAPNG_RECORD_MAX_EXTRA  (PCAPNG_RECORD_HEAD_BYTES + 3 + 12 + 4)

static inline uint32_t pcapng_record_bytes(const struct packet *p)
{
	return PCAPNG_RECORD_HEAD_BYTES + pcapng_padded(p->cap_bytes) +
	       (p->direction == DIRECTION_UNKNOWN ? 4 : 16);
}

/* Returns the bytes that it took: a multiple of 4. */
static inline uint32_t pcapng_record_put(uint8_t *out, const struct packet *p)
{
	const uint64_t t = p->t_ns > 0 ? (uint64_t)p->t_ns : 0;
	const uint32_t bytes = pcapng_record_bytes(p), padded = pcapng_padded(p->cap_bytes);
	const uint32_t head[7] = {PCAPNG_PACKET, bytes, p->interface, (uint32_t)(t >> 32),
	        (uint32_t)t, p->cap_bytes, p->wire_bytes};
	uint8_t *at = out + sizeof(head);

	memcpy(out, head, sizeof(head));
	memcpy(at, p->data, p->cap_bytes);
	memset(at + p->cap_bytes, 0, padded - p->cap_bytes);
	at += padded;
	if (p->direction != DIRECTION_UNKNOWN) {
		const uint32_t flags[3] = {OPT_PACKET_FLAGS | 4u << 16,
		        p->direction == DIRECTION_IN ? PACKET_FLAG_IN : PACKET_FLAG_OUT, 0};

		memcpy(at, flags, sizeof(flags)); /* the option and the end of options */
		at += sizeof(flags);
	}
	memcpy(at, &bytes, sizeof(bytes));
	return bytes;
}

#endif
