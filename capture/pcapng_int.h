/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of draft-ietf-opsawg-pcapng that its reader and its writer share. */
#ifndef CAPTURE_PCAPNG_INT_H
#define CAPTURE_PCAPNG_INT_H

#include <stdint.h>

#define PCAPNG_BYTE_ORDER  0x1a2b3c4d
#define PCAPNG_BLOCK_BYTES 12 /* type, length, length again */

enum pcapng_block {
	PCAPNG_INTERFACE = 1,
	PCAPNG_OLD_PACKET = 2,
	PCAPNG_SIMPLE_PACKET = 3,
	PCAPNG_NAMES = 4,
	PCAPNG_STATISTICS = 5,
	PCAPNG_PACKET = 6,
	PCAPNG_SECTION = 0x0a0d0d0a,
};

enum pcapng_option {
	OPT_END = 0,
	OPT_COMMENT = 1,

	OPT_SECTION_HARDWARE = 2,
	OPT_SECTION_OS = 3,
	OPT_SECTION_APPLICATION = 4,

	OPT_IF_NAME = 2,
	OPT_IF_DESCRIPTION = 3,
	OPT_IF_SPEED = 8,
	OPT_IF_TSRESOL = 9,
	OPT_IF_FILTER = 11,
	OPT_IF_FCSLEN = 13,
	OPT_IF_TSOFFSET = 14,
	OPT_IF_HARDWARE = 15,

	OPT_PACKET_FLAGS = 2,
	OPT_PACKET_DROPCOUNT = 4,

	OPT_ISB_START = 2,
	OPT_ISB_END = 3,
	OPT_ISB_RECEIVED = 4,
	OPT_ISB_IF_DROP = 5,
	OPT_ISB_FILTER_ACCEPT = 6,
	OPT_ISB_OS_DROP = 7,
	OPT_ISB_DELIVERED = 8,
};

#define PACKET_FLAG_IN        1u
#define PACKET_FLAG_OUT       2u
#define PACKET_FLAG_DIRECTION 3u
#define PACKET_FLAG_FCS_AT    5
#define PACKET_FLAG_FCS_BITS  0xfu
#define TSRESOL_NS            9
#define TSRESOL_DEFAULT       6

static inline uint32_t pcapng_padded(uint32_t n)
{
	return (n + 3) & ~UINT32_C(3);
}

#endif
