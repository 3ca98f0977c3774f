/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/opcode.h"

#define KNOWN OPCODE_KNOWN
#define REQ   (OPCODE_KNOWN | OPCODE_REQUEST)
#define RESP  (OPCODE_KNOWN | OPCODE_RESPONSE)
#define DATA  (REQ | OPCODE_DATA)
#define READ  (RESP | OPCODE_DATA | OPCODE_PAYLOAD)
#define LOAD  (DATA | OPCODE_PAYLOAD)
#define FIRST OPCODE_FIRST
#define LAST  OPCODE_LAST
#define ONLY  (OPCODE_FIRST | OPCODE_LAST)

/* Names of extended headers as arguments; their bytes add up by E_BYTES. */
#define BYTES_RETH       16
#define BYTES_AETH       4
#define BYTES_DETH       8
#define BYTES_ATOMIC     28
#define BYTES_ATOMIC_ACK 8
#define BYTES_IMM        4
#define BYTES_IETH       4
#define BYTES_XRC        4
#define BYTES_RDETH      4
#define BYTES_FETH       4
#define BYTES_CNP        16

#define E0(t, n, f)                                                                            \
	{                                                                                      \
		.name = #t "_" #n, .flags = (f)                                                \
	}
#define E1(t, n, f, a)                                                                         \
	{                                                                                      \
		.name = #t "_" #n, .flags = (f), .ext_bytes = BYTES_##a, .n_ext = 1,           \
		.ext = { EXT_##a }                                                             \
	}
#define E2(t, n, f, a, b)                                                                      \
	{                                                                                      \
		.name = #t "_" #n, .flags = (f), .ext_bytes = BYTES_##a + BYTES_##b,           \
		.n_ext = 2,                                                                    \
		.ext = { EXT_##a,                                                              \
			EXT_##b }                                                              \
	}
#define E3(t, n, f, a, b, c)                                                                   \
	{                                                                                      \
		.name = #t "_" #n, .flags = (f),                                               \
		.ext_bytes = BYTES_##a + BYTES_##b + BYTES_##c, .n_ext = 3,                    \
		.ext = { EXT_##a,                                                              \
			EXT_##b,                                                               \
			EXT_##c }                                                              \
	}
#define E4(t, n, f, a, b, c, d)                                                                \
	{                                                                                      \
		.name = #t "_" #n, .flags = (f),                                               \
		.ext_bytes = BYTES_##a + BYTES_##b + BYTES_##c + BYTES_##d, .n_ext = 4,        \
		.ext = { EXT_##a,                                                              \
			EXT_##b,                                                               \
			EXT_##c,                                                               \
			EXT_##d }                                                              \
	}

const struct opcode_info opcode_table[256] = {
        [BTH_RC | BTH_SEND_FIRST] = E0(RC, SEND_FIRST, LOAD | FIRST),
        [BTH_RC | BTH_SEND_MIDDLE] = E0(RC, SEND_MIDDLE, LOAD),
        [BTH_RC | BTH_SEND_LAST] = E0(RC, SEND_LAST, LOAD | LAST),
        [BTH_RC | BTH_SEND_LAST_IMM] = E1(RC, SEND_LAST_IMM, LOAD | LAST, IMM),
        [BTH_RC | BTH_SEND_ONLY] = E0(RC, SEND_ONLY, LOAD | ONLY),
        [BTH_RC | BTH_SEND_ONLY_IMM] = E1(RC, SEND_ONLY_IMM, LOAD | ONLY, IMM),
        [BTH_RC | BTH_WRITE_FIRST] = E1(RC, RDMA_WRITE_FIRST, LOAD | FIRST, RETH),
        [BTH_RC | BTH_WRITE_MIDDLE] = E0(RC, RDMA_WRITE_MIDDLE, LOAD),
        [BTH_RC | BTH_WRITE_LAST] = E0(RC, RDMA_WRITE_LAST, LOAD | LAST),
        [BTH_RC | BTH_WRITE_LAST_IMM] = E1(RC, RDMA_WRITE_LAST_IMM, LOAD | LAST, IMM),
        [BTH_RC | BTH_WRITE_ONLY] = E1(RC, RDMA_WRITE_ONLY, LOAD | ONLY, RETH),
        [BTH_RC | BTH_WRITE_ONLY_IMM] = E2(RC, RDMA_WRITE_ONLY_IMM, LOAD | ONLY, RETH, IMM),
        [BTH_RC | BTH_READ_REQUEST] = E1(RC, RDMA_READ_REQUEST, DATA | ONLY, RETH),
        [BTH_RC | BTH_READ_RESPONSE_FIRST] =
                E1(RC, RDMA_READ_RESPONSE_FIRST, READ | FIRST, AETH),
        [BTH_RC | BTH_READ_RESPONSE_MIDDLE] = E0(RC, RDMA_READ_RESPONSE_MIDDLE, READ),
        [BTH_RC | BTH_READ_RESPONSE_LAST] = E1(RC, RDMA_READ_RESPONSE_LAST, READ | LAST, AETH),
        [BTH_RC | BTH_READ_RESPONSE_ONLY] = E1(RC, RDMA_READ_RESPONSE_ONLY, READ | ONLY, AETH),
        [BTH_RC | BTH_ACKNOWLEDGE] = E1(RC, ACKNOWLEDGE, RESP | ONLY, AETH),
        [BTH_RC | BTH_ATOMIC_ACKNOWLEDGE] =
                E2(RC, ATOMIC_ACKNOWLEDGE, RESP | ONLY, AETH, ATOMIC_ACK),
        [BTH_RC | BTH_COMPARE_SWAP] = E1(RC, COMPARE_SWAP, DATA | ONLY, ATOMIC),
        [BTH_RC | BTH_FETCH_ADD] = E1(RC, FETCH_ADD, DATA | ONLY, ATOMIC),
        [BTH_RC | BTH_SEND_LAST_INV] = E1(RC, SEND_LAST_INV, LOAD | LAST, IETH),
        [BTH_RC | BTH_SEND_ONLY_INV] = E1(RC, SEND_ONLY_INV, LOAD | ONLY, IETH),
        [BTH_RC | BTH_FLUSH] = E2(RC, FLUSH, DATA | ONLY, FETH, RETH),
        [BTH_RC | BTH_ATOMIC_WRITE] = E1(RC, ATOMIC_WRITE, LOAD | ONLY, RETH),

        [BTH_UC | BTH_SEND_FIRST] = E0(UC, SEND_FIRST, LOAD | FIRST),
        [BTH_UC | BTH_SEND_MIDDLE] = E0(UC, SEND_MIDDLE, LOAD),
        [BTH_UC | BTH_SEND_LAST] = E0(UC, SEND_LAST, LOAD | LAST),
        [BTH_UC | BTH_SEND_LAST_IMM] = E1(UC, SEND_LAST_IMM, LOAD | LAST, IMM),
        [BTH_UC | BTH_SEND_ONLY] = E0(UC, SEND_ONLY, LOAD | ONLY),
        [BTH_UC | BTH_SEND_ONLY_IMM] = E1(UC, SEND_ONLY_IMM, LOAD | ONLY, IMM),
        [BTH_UC | BTH_WRITE_FIRST] = E1(UC, RDMA_WRITE_FIRST, LOAD | FIRST, RETH),
        [BTH_UC | BTH_WRITE_MIDDLE] = E0(UC, RDMA_WRITE_MIDDLE, LOAD),
        [BTH_UC | BTH_WRITE_LAST] = E0(UC, RDMA_WRITE_LAST, LOAD | LAST),
        [BTH_UC | BTH_WRITE_LAST_IMM] = E1(UC, RDMA_WRITE_LAST_IMM, LOAD | LAST, IMM),
        [BTH_UC | BTH_WRITE_ONLY] = E1(UC, RDMA_WRITE_ONLY, LOAD | ONLY, RETH),
        [BTH_UC | BTH_WRITE_ONLY_IMM] = E2(UC, RDMA_WRITE_ONLY_IMM, LOAD | ONLY, RETH, IMM),

        [BTH_RD | BTH_SEND_FIRST] = E2(RD, SEND_FIRST, LOAD | FIRST, RDETH, DETH),
        [BTH_RD | BTH_SEND_MIDDLE] = E2(RD, SEND_MIDDLE, LOAD, RDETH, DETH),
        [BTH_RD | BTH_SEND_LAST] = E2(RD, SEND_LAST, LOAD | LAST, RDETH, DETH),
        [BTH_RD | BTH_SEND_LAST_IMM] = E3(RD, SEND_LAST_IMM, LOAD | LAST, RDETH, DETH, IMM),
        [BTH_RD | BTH_SEND_ONLY] = E2(RD, SEND_ONLY, LOAD | ONLY, RDETH, DETH),
        [BTH_RD | BTH_SEND_ONLY_IMM] = E3(RD, SEND_ONLY_IMM, LOAD | ONLY, RDETH, DETH, IMM),
        [BTH_RD | BTH_WRITE_FIRST] = E3(RD, RDMA_WRITE_FIRST, LOAD | FIRST, RDETH, DETH, RETH),
        [BTH_RD | BTH_WRITE_MIDDLE] = E2(RD, RDMA_WRITE_MIDDLE, LOAD, RDETH, DETH),
        [BTH_RD | BTH_WRITE_LAST] = E2(RD, RDMA_WRITE_LAST, LOAD | LAST, RDETH, DETH),
        [BTH_RD | BTH_WRITE_LAST_IMM] =
                E3(RD, RDMA_WRITE_LAST_IMM, LOAD | LAST, RDETH, DETH, IMM),
        [BTH_RD | BTH_WRITE_ONLY] = E3(RD, RDMA_WRITE_ONLY, LOAD | ONLY, RDETH, DETH, RETH),
        [BTH_RD | BTH_WRITE_ONLY_IMM] =
                E4(RD, RDMA_WRITE_ONLY_IMM, LOAD | ONLY, RDETH, DETH, RETH, IMM),
        [BTH_RD | BTH_READ_REQUEST] = E3(RD, RDMA_READ_REQUEST, DATA | ONLY, RDETH, DETH, RETH),
        [BTH_RD | BTH_READ_RESPONSE_FIRST] =
                E2(RD, RDMA_READ_RESPONSE_FIRST, READ | FIRST, RDETH, AETH),
        [BTH_RD | BTH_READ_RESPONSE_MIDDLE] = E1(RD, RDMA_READ_RESPONSE_MIDDLE, READ, RDETH),
        [BTH_RD | BTH_READ_RESPONSE_LAST] =
                E2(RD, RDMA_READ_RESPONSE_LAST, READ | LAST, RDETH, AETH),
        [BTH_RD | BTH_READ_RESPONSE_ONLY] =
                E2(RD, RDMA_READ_RESPONSE_ONLY, READ | ONLY, RDETH, AETH),
        [BTH_RD | BTH_ACKNOWLEDGE] = E2(RD, ACKNOWLEDGE, RESP | ONLY, RDETH, AETH),
        [BTH_RD | BTH_ATOMIC_ACKNOWLEDGE] =
                E3(RD, ATOMIC_ACKNOWLEDGE, RESP | ONLY, RDETH, AETH, ATOMIC_ACK),
        [BTH_RD | BTH_COMPARE_SWAP] = E3(RD, COMPARE_SWAP, DATA | ONLY, RDETH, DETH, ATOMIC),
        [BTH_RD | BTH_FETCH_ADD] = E3(RD, FETCH_ADD, DATA | ONLY, RDETH, DETH, ATOMIC),
        [BTH_RD | BTH_RESYNC] = E2(RD, RESYNC, REQ | ONLY, RDETH, DETH),

        [BTH_UD | BTH_SEND_ONLY] = E1(UD, SEND_ONLY, LOAD | ONLY, DETH),
        [BTH_UD | BTH_SEND_ONLY_IMM] = E2(UD, SEND_ONLY_IMM, LOAD | ONLY, DETH, IMM),

        [BTH_CNP] = {.name = "CNP",
                .flags = KNOWN,
                .ext_bytes = BYTES_CNP,
                .n_ext = 1,
                .ext = {EXT_CNP}},

        [BTH_XRC | BTH_SEND_FIRST] = E1(XRC, SEND_FIRST, LOAD | FIRST, XRC),
        [BTH_XRC | BTH_SEND_MIDDLE] = E1(XRC, SEND_MIDDLE, LOAD, XRC),
        [BTH_XRC | BTH_SEND_LAST] = E1(XRC, SEND_LAST, LOAD | LAST, XRC),
        [BTH_XRC | BTH_SEND_LAST_IMM] = E2(XRC, SEND_LAST_IMM, LOAD | LAST, XRC, IMM),
        [BTH_XRC | BTH_SEND_ONLY] = E1(XRC, SEND_ONLY, LOAD | ONLY, XRC),
        [BTH_XRC | BTH_SEND_ONLY_IMM] = E2(XRC, SEND_ONLY_IMM, LOAD | ONLY, XRC, IMM),
        [BTH_XRC | BTH_WRITE_FIRST] = E2(XRC, RDMA_WRITE_FIRST, LOAD | FIRST, XRC, RETH),
        [BTH_XRC | BTH_WRITE_MIDDLE] = E1(XRC, RDMA_WRITE_MIDDLE, LOAD, XRC),
        [BTH_XRC | BTH_WRITE_LAST] = E1(XRC, RDMA_WRITE_LAST, LOAD | LAST, XRC),
        [BTH_XRC | BTH_WRITE_LAST_IMM] = E2(XRC, RDMA_WRITE_LAST_IMM, LOAD | LAST, XRC, IMM),
        [BTH_XRC | BTH_WRITE_ONLY] = E2(XRC, RDMA_WRITE_ONLY, LOAD | ONLY, XRC, RETH),
        [BTH_XRC | BTH_WRITE_ONLY_IMM] =
                E3(XRC, RDMA_WRITE_ONLY_IMM, LOAD | ONLY, XRC, RETH, IMM),
        [BTH_XRC | BTH_READ_REQUEST] = E2(XRC, RDMA_READ_REQUEST, DATA | ONLY, XRC, RETH),
        [BTH_XRC | BTH_READ_RESPONSE_FIRST] =
                E1(XRC, RDMA_READ_RESPONSE_FIRST, READ | FIRST, AETH),
        [BTH_XRC | BTH_READ_RESPONSE_MIDDLE] = E0(XRC, RDMA_READ_RESPONSE_MIDDLE, READ),
        [BTH_XRC | BTH_READ_RESPONSE_LAST] =
                E1(XRC, RDMA_READ_RESPONSE_LAST, READ | LAST, AETH),
        [BTH_XRC | BTH_READ_RESPONSE_ONLY] =
                E1(XRC, RDMA_READ_RESPONSE_ONLY, READ | ONLY, AETH),
        [BTH_XRC | BTH_ACKNOWLEDGE] = E1(XRC, ACKNOWLEDGE, RESP | ONLY, AETH),
        [BTH_XRC | BTH_ATOMIC_ACKNOWLEDGE] =
                E2(XRC, ATOMIC_ACKNOWLEDGE, RESP | ONLY, AETH, ATOMIC_ACK),
        [BTH_XRC | BTH_COMPARE_SWAP] = E2(XRC, COMPARE_SWAP, DATA | ONLY, XRC, ATOMIC),
        [BTH_XRC | BTH_FETCH_ADD] = E2(XRC, FETCH_ADD, DATA | ONLY, XRC, ATOMIC),
        [BTH_XRC | BTH_SEND_LAST_INV] = E2(XRC, SEND_LAST_INV, LOAD | LAST, XRC, IETH),
        [BTH_XRC | BTH_SEND_ONLY_INV] = E2(XRC, SEND_ONLY_INV, LOAD | ONLY, XRC, IETH),
};

#define EXT_SIZE(name) [EXT_##name] = BYTES_##name

const uint8_t opcode_ext_bytes[EXT_KINDS] = {
        EXT_SIZE(RETH),
        EXT_SIZE(AETH),
        EXT_SIZE(DETH),
        EXT_SIZE(ATOMIC),
        EXT_SIZE(ATOMIC_ACK),
        EXT_SIZE(IMM),
        EXT_SIZE(IETH),
        EXT_SIZE(XRC),
        EXT_SIZE(RDETH),
        EXT_SIZE(FETH),
        EXT_SIZE(CNP),
};
