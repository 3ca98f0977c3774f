/* SPDX-License-Identifier: Apache-2.0 */
/* The choice between the methods, and the register moved over zeros. */
#include "dataplane/wire/crc_int.h"

#define VECTOR_MIN_BYTES 16 /* crc_pclmul reads whole blocks; crc_avx512 needs four bytes */

const struct crc_mask crc_no_mask;

static const char *const names[CRC_METHODS] = {
        [CRC_BITWISE] = "bitwise",
        [CRC_SLICING] = "slicing",
        [CRC_PCLMUL] = "pclmul",
        [CRC_AVX512] = "avx512",
};

const char *crc_method_name(enum crc_method m)
{
	return names[m];
}

/* The compiler's support library asked the CPU and the system when the program started. */
bool crc_method_here(enum crc_method m)
{
	switch (m) {
	case CRC_BITWISE:
	case CRC_SLICING:
		return true;
#if defined(__x86_64__)
	case CRC_PCLMUL:
		return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
	case CRC_AVX512:
		return __builtin_cpu_supports("vpclmulqdq") &&
		       __builtin_cpu_supports("avx512vbmi2") &&
		       __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
	default:
		return false;
	}
}

enum crc_method crc_method_best(void)
{
	if (LIKELY(crc_method_here(CRC_AVX512)))
		return CRC_AVX512;
	return crc_method_here(CRC_PCLMUL) ? CRC_PCLMUL : CRC_SLICING;
}

static uint32_t masked_plain(enum crc_method m, uint32_t crc, const uint8_t *p, size_t n,
        const struct crc_mask *mask)
{
	uint8_t head[CRC_MASK_BYTES];
	size_t head_bytes = n < sizeof(head) ? n : sizeof(head);

	for (size_t i = 0; i < head_bytes; i++)
		head[i] = p[i] | mask->ones[i];
	crc = crc_update_by(m, crc, head, head_bytes);
	return crc_update_by(m, crc, p + head_bytes, n - head_bytes);
}

uint32_t crc_masked_by(enum crc_method m, uint32_t crc, const uint8_t *p, size_t n,
        const struct crc_mask *mask)
{
	if (LIKELY(m == CRC_AVX512 && n >= VECTOR_MIN_BYTES))
		return crc_avx512(crc, p, n, mask);
	if (m == CRC_PCLMUL && n >= VECTOR_MIN_BYTES)
		return crc_pclmul(crc, p, n, mask);
	return masked_plain(m == CRC_BITWISE ? m : CRC_SLICING, crc, p, n, mask);
}

uint32_t crc_update_by(enum crc_method m, uint32_t crc, const void *data, size_t n)
{
	const uint8_t *p = data;

	if (m == CRC_AVX512 && n >= VECTOR_MIN_BYTES)
		return crc_avx512(crc, p, n, &crc_no_mask);
	if (m == CRC_PCLMUL && n >= VECTOR_MIN_BYTES)
		return crc_pclmul(crc, p, n, &crc_no_mask);
	if (m == CRC_BITWISE)
		return crc_bitwise(crc, p, n);
	return crc_slicing(crc, p, n);
}

uint32_t crc_update(uint32_t crc, const void *data, size_t n)
{
	return crc_update_by(crc_method_best(), crc, data, n);
}

/* a * b mod P, bit 31 being x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; b; b <<= 1) {
		if (b >> 31)
			product ^= a;
		a = a >> 1 ^ (a & 1 ? CRC_POLYNOMIAL : 0);
	}
	return product;
}

void crc_shift_init(struct crc_shift *s, size_t n_bytes)
{
	uint32_t power = 0x80000000;  /* x^0 */
	uint32_t square = 0x00800000; /* x^8 */

	for (; n_bytes; n_bytes >>= 1) {
		if (n_bytes & 1)
			power = multiply(square, power);
		square = multiply(square, square);
	}
	for (int k = 0; k < 4; k++)
		for (uint32_t b = 0; b < 256; b++)
			s->table[k][b] = multiply(power, b << (8 * k));
}
