/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes written as hexadecimal digits; spaces between bytes are allowed. */
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes, or -1: odd digits, no digit, more than max. */
long hex_bytes(uint8_t *out, size_t max, const char *text);

/* 2 * n digits and a NUL. */
void hex_text(char *out, const uint8_t *p, size_t n);

#endif
