/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/file_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/check.h"

void bytes_add(struct file_bytes *b, const void *p, size_t n)
{
	if (b->n + n > b->max) {
		b->max = 2 * (b->n + n);
		b->p = realloc(b->p, b->max);
		CHECK(b->p);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void add_number(struct file_bytes *b, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes_add8(b, (uint8_t)(v >> 8 * (b->big ? n - 1 - i : i)));
}

void bytes_add8(struct file_bytes *b, uint8_t v)
{
	bytes_add(b, &v, 1);
}

void bytes_add16(struct file_bytes *b, uint16_t v)
{
	add_number(b, v, 2);
}

void bytes_add32(struct file_bytes *b, uint32_t v)
{
	add_number(b, v, 4);
}

void bytes_add64(struct file_bytes *b, uint64_t v)
{
	add_number(b, v, 8);
}

void bytes_fini(struct file_bytes *b)
{
	free(b->p);
	*b = (struct file_bytes){0};
}

const char *bytes_save(char path[FILE_BYTES_PATH], const struct file_bytes *b)
{
	int fd;

	(void)snprintf(path, FILE_BYTES_PATH, "/tmp/squall-test-XXXXXX");
	fd = mkstemp(path);
	CHECK(fd >= 0);
	CHECK(write(fd, b->p, b->n) == (ssize_t)b->n);
	CHECK(close(fd) == 0);
	return path;
}

void pcap_add_header(struct file_bytes *b, uint32_t magic, uint32_t snap, uint32_t link)
{
	bytes_add32(b, magic);
	bytes_add16(b, 2);
	bytes_add16(b, 4);
	bytes_add64(b, 0);
	bytes_add32(b, snap);
	bytes_add32(b, link);
}

void pcap_add_packet(struct file_bytes *b, uint32_t s, uint32_t fraction, const void *data,
        uint32_t cap_bytes, uint32_t wire_bytes)
{
	bytes_add32(b, s);
	bytes_add32(b, fraction);
	bytes_add32(b, cap_bytes);
	bytes_add32(b, wire_bytes);
	bytes_add(b, data, cap_bytes);
}

static void pad(struct file_bytes *b)
{
	while (b->n % 4)
		bytes_add8(b, 0);
}

void pcapng_add_block(struct file_bytes *b, uint32_t type, const struct file_bytes *body)
{
	uint32_t bytes = (uint32_t)((body->n + 3) / 4 * 4 + 12);

	bytes_add32(b, type);
	bytes_add32(b, bytes);
	bytes_add(b, body->p, body->n);
	pad(b);
	bytes_add32(b, bytes);
}

void pcapng_add_section(struct file_bytes *b)
{
	struct file_bytes body = {.big = b->big};

	bytes_add32(&body, 0x1a2b3c4d);
	bytes_add16(&body, 1);
	bytes_add16(&body, 0);
	bytes_add64(&body, UINT64_MAX);
	pcapng_add_block(b, 0x0a0d0d0a, &body);
	bytes_fini(&body);
}

void pcapng_add_option(struct file_bytes *body, uint16_t code, const void *v, uint16_t n)
{
	bytes_add16(body, code);
	bytes_add16(body, n);
	bytes_add(body, v, n);
	pad(body);
}

void pcapng_add_packet(struct file_bytes *b, uint32_t interface, uint64_t ticks,
        const void *data, uint32_t cap_bytes, uint32_t wire_bytes)
{
	struct file_bytes body = {.big = b->big};

	bytes_add32(&body, interface);
	bytes_add32(&body, (uint32_t)(ticks >> 32));
	bytes_add32(&body, (uint32_t)ticks);
	bytes_add32(&body, cap_bytes);
	bytes_add32(&body, wire_bytes);
	bytes_add(&body, data, cap_bytes);
	pcapng_add_block(b, 6, &body);
	bytes_fini(&body);
}

void pcapng_add_interface(
        struct file_bytes *b, uint16_t link, uint32_t snap, uint8_t tsresol, int64_t tsoffset)
{
	struct file_bytes body = {.big = b->big}, offset = {.big = b->big};

	bytes_add16(&body, link);
	bytes_add16(&body, 0);
	bytes_add32(&body, snap);
	if (tsresol != 6)
		pcapng_add_option(&body, 9, &tsresol, 1);
	if (tsoffset) {
		bytes_add64(&offset, (uint64_t)tsoffset);
		pcapng_add_option(&body, 14, offset.p, 8);
	}
	if (tsresol != 6 || tsoffset)
		bytes_add32(&body, 0);
	pcapng_add_block(b, 1, &body);
	bytes_fini(&body);
	bytes_fini(&offset);
}
