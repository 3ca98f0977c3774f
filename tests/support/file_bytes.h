/* SPDX-License-Identifier: Apache-2.0 */
/* Files for tests, put together number by number in either byte order. */
#ifndef TESTS_FILE_BYTES_H
#define TESTS_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file_bytes {
	uint8_t *p;
	size_t n, max;
	bool big; /* byte order of what is added from now on */
};

void bytes_add(struct file_bytes *b, const void *p, size_t n);
void bytes_add8(struct file_bytes *b, uint8_t v);
void bytes_add16(struct file_bytes *b, uint16_t v);
void bytes_add32(struct file_bytes *b, uint32_t v);
void bytes_add64(struct file_bytes *b, uint64_t v);
void bytes_fini(struct file_bytes *b);

/* A temporary file that holds them; the caller unlinks it. Returns path. */
#define FILE_BYTES_PATH 64
const char *bytes_save(char path[FILE_BYTES_PATH], const struct file_bytes *b);

/* pcap, version 2.4. */
void pcap_add_header(struct file_bytes *b, uint32_t magic, uint32_t snap, uint32_t link);
void pcap_add_packet(struct file_bytes *b, uint32_t s, uint32_t fraction, const void *data,
        uint32_t cap_bytes, uint32_t wire_bytes);

/* pcapng: a block of the type with body and, where options is not NULL, them. */
void pcapng_add_block(struct file_bytes *b, uint32_t type, const struct file_bytes *body);
void pcapng_add_section(struct file_bytes *b);
void pcapng_add_option(struct file_bytes *body, uint16_t code, const void *v, uint16_t n);
void pcapng_add_packet(struct file_bytes *b, uint32_t interface, uint64_t ticks,
        const void *data, uint32_t cap_bytes, uint32_t wire_bytes);
/* tsresol and tsoffset are left out where they are the defaults 6 and 0. */
void pcapng_add_interface(
        struct file_bytes *b, uint16_t link, uint32_t snap, uint8_t tsresol, int64_t tsoffset);

#endif
