/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixteen bytes a step through sixteen tables (Kounavis and Berry, "Novel table lookup-based
 * algorithms for high-performance CRC generation", 2008). crc_table[k][b] is the register after
 * byte b and k zero bytes, which is linear in b: each row follows from its eight single bits.
 */
#include "dataplane/wire/be.h"
#include "dataplane/wire/crc_int.h"

#define BIT(i, b, v) ((i) >> (b)&1 ? (v) : 0u)
#define X1(i, a, b, c, d, e, f, g, h)                                                          \
	BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^             \
	        BIT(i, 5, f) ^ BIT(i, 6, g) ^ BIT(i, 7, h)
#define X4(i, ...)                                                                             \
	X1((i), __VA_ARGS__), X1((i) + 1, __VA_ARGS__), X1((i) + 2, __VA_ARGS__),              \
	        X1((i) + 3, __VA_ARGS__)
#define X16(i, ...)                                                                            \
	X4((i), __VA_ARGS__), X4((i) + 4, __VA_ARGS__), X4((i) + 8, __VA_ARGS__),              \
	        X4((i) + 12, __VA_ARGS__)
#define X64(i, ...)                                                                            \
	X16((i), __VA_ARGS__), X16((i) + 16, __VA_ARGS__), X16((i) + 32, __VA_ARGS__),         \
	        X16((i) + 48, __VA_ARGS__)
#define ROW(...)                                                                               \
	{                                                                                      \
		X64(0, __VA_ARGS__), X64(64, __VA_ARGS__), X64(128, __VA_ARGS__),              \
		        X64(192, __VA_ARGS__)                                                  \
	}

/* clang-format off */
const uint32_t crc_table[16][256] = {
	ROW(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
	ROW(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
	ROW(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
	ROW(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
	ROW(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
	ROW(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
	ROW(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
	ROW(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da),
	ROW(0x177b1443, 0x2ef62886, 0x5dec510c, 0xbbd8a218, 0xacc04271, 0x82f182a3, 0xde920307, 0x6655004f),
	ROW(0xefc26b3e, 0x04f5d03d, 0x09eba07a, 0x13d740f4, 0x27ae81e8, 0x4f5d03d0, 0x9eba07a0, 0xe6050901),
	ROW(0xc18edfc0, 0x586cb9c1, 0xb0d97382, 0xbac3e145, 0xaef6c4cb, 0x869c8fd7, 0xd64819ef, 0x77e1359f),
	ROW(0x9ba54c6f, 0xec3b9e9f, 0x03063b7f, 0x060c76fe, 0x0c18edfc, 0x1831dbf8, 0x3063b7f0, 0x60c76fe0),
	ROW(0xdd96d985, 0x605cb54b, 0xc0b96a96, 0x5a03d36d, 0xb407a6da, 0xb37e4bf5, 0xbd8d91ab, 0xa06a2517),
	ROW(0x9d0fe176, 0xe16ec4ad, 0x19ac8f1b, 0x33591e36, 0x66b23c6c, 0xcd6478d8, 0x41b9f7f1, 0x8373efe2),
	ROW(0xb9fbdbe8, 0xa886b191, 0x8a7c6563, 0xcf89cc87, 0x44629f4f, 0x88c53e9e, 0xcafb7b7d, 0x4e87f0bb),
	ROW(0xae689191, 0x87a02563, 0xd4314c87, 0x73139f4f, 0xe6273e9e, 0x173f7b7d, 0x2e7ef6fa, 0x5cfdedf4),
};
/* clang-format on */

static inline uint32_t four(uint32_t word, int row)
{
	return crc_table[row][word & 255] ^ crc_table[row - 1][word >> 8 & 255] ^
	       crc_table[row - 2][word >> 16 & 255] ^ crc_table[row - 3][word >> 24];
}

uint32_t crc_slicing(uint32_t crc, const uint8_t *p, size_t n)
{
	for (; n >= 16; n -= 16, p += 16)
		crc = four(le32(p) ^ crc, 15) ^ four(le32(p + 4), 11) ^ four(le32(p + 8), 7) ^
		      four(le32(p + 12), 3);
	for (; n >= 4; n -= 4, p += 4)
		crc = four(le32(p) ^ crc, 3);
	for (; n; n--, p++)
		crc = crc >> 8 ^ crc_table[0][(crc ^ *p) & 255];
	return crc;
}
