/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions and options of pcapng blocks; the blocks are whole and p is their first byte. */
#ifndef CAPTURE_READ_PCAPNG_INT_H
#define CAPTURE_READ_PCAPNG_INT_H

#include "capture/reader_int.h"

/* Options stand in the n bytes at p, up to and without the block's last length. */
void pcapng_section_options(struct capture_section *s, const uint8_t *p, uint32_t n, bool swap);
void pcapng_packet_options(struct reader_interface *i, struct packet *out, const uint8_t *p,
        uint32_t n, bool swap);

NODISCARD int pcapng_interface_block(
        struct reader *r, uint64_t at, const uint8_t *p, uint32_t bytes, struct err *e);
void pcapng_statistics_block(struct reader *r, const uint8_t *p, uint32_t bytes);

#endif
