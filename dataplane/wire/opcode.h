/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BTH opcodes and which extended headers follow each, in order (IBTA volume 1, table 38 and
 * section 9.2; annexes A14 (XRC), A17 (RoCEv2: CNP)). One table serves parser and builder.
 */
#ifndef WIRE_OPCODE_H
#define WIRE_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

enum bth_transport {
	BTH_RC = 0x00,
	BTH_UC = 0x20,
	BTH_RD = 0x40,
	BTH_UD = 0x60,
	BTH_CNP_CLASS = 0x80,
	BTH_XRC = 0xa0,
};

enum bth_operation {
	BTH_SEND_FIRST = 0x00,
	BTH_SEND_MIDDLE = 0x01,
	BTH_SEND_LAST = 0x02,
	BTH_SEND_LAST_IMM = 0x03,
	BTH_SEND_ONLY = 0x04,
	BTH_SEND_ONLY_IMM = 0x05,
	BTH_WRITE_FIRST = 0x06,
	BTH_WRITE_MIDDLE = 0x07,
	BTH_WRITE_LAST = 0x08,
	BTH_WRITE_LAST_IMM = 0x09,
	BTH_WRITE_ONLY = 0x0a,
	BTH_WRITE_ONLY_IMM = 0x0b,
	BTH_READ_REQUEST = 0x0c,
	BTH_READ_RESPONSE_FIRST = 0x0d,
	BTH_READ_RESPONSE_MIDDLE = 0x0e,
	BTH_READ_RESPONSE_LAST = 0x0f,
	BTH_READ_RESPONSE_ONLY = 0x10,
	BTH_ACKNOWLEDGE = 0x11,
	BTH_ATOMIC_ACKNOWLEDGE = 0x12,
	BTH_COMPARE_SWAP = 0x13,
	BTH_FETCH_ADD = 0x14,
	BTH_RESYNC = 0x15, /* RD alone */
	BTH_SEND_LAST_INV = 0x16,
	BTH_SEND_ONLY_INV = 0x17,
	BTH_FLUSH = 0x1c,
	BTH_ATOMIC_WRITE = 0x1d,
};

#define BTH_CNP 0x81

enum opcode_flag {
	OPCODE_KNOWN = 1 << 0,
	OPCODE_REQUEST = 1 << 1,  /* from the requester: SEND, WRITE, READ request, atomics */
	OPCODE_RESPONSE = 1 << 2, /* READ response, acknowledge */
	OPCODE_PAYLOAD = 1 << 3,
	OPCODE_FIRST = 1 << 4, /* first or only packet of its message */
	OPCODE_LAST = 1 << 5,  /* last or only */
	OPCODE_DATA = 1 << 6, /* carries the user's bytes or asks for them: a data packet of the
	                         analysis (requests, and READ responses) */
};

struct opcode_info {
	const char *name;  /* "RC_RDMA_WRITE_FIRST"; NULL: reserved */
	uint8_t flags;     /* enum opcode_flag */
	uint8_t ext_bytes; /* all extended headers together */
	uint8_t n_ext;
	uint8_t ext[4]; /* enum opcode_ext, in order */
};

enum opcode_ext {
	EXT_NONE,
	EXT_RETH,
	EXT_AETH,
	EXT_DETH,
	EXT_ATOMIC,
	EXT_ATOMIC_ACK,
	EXT_IMM,
	EXT_IETH,
	EXT_XRC,
	EXT_RDETH,
	EXT_FETH,
	EXT_CNP, /* the 16 reserved bytes of a CNP */
	EXT_KINDS
};

extern const uint8_t opcode_ext_bytes[EXT_KINDS];

extern const struct opcode_info opcode_table[256];

#endif
