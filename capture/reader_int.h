/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader within: one table of operations per file format. A format's parse goes over whole
 * records in the batch's buffer and says what it lacks; reader.c brings bytes.
 */
#ifndef CAPTURE_READER_INT_H
#define CAPTURE_READER_INT_H

#include <errno.h>
#include <inttypes.h>

#include "capture/bytes_int.h"
#include "capture/input_int.h"
#include "capture/reader.h"
#include "capture/tick.h"

#define READER_MAX_INTERFACES 16384
#define READER_HEAD_BYTES     65536 /* what a format may look at to know itself */

struct reader_interface {
	struct capture_interface shown;
	struct tick tick;
};

/* Bytes at hand, which end at n; the next record begins at `at`. */
struct span {
	const uint8_t *p;
	size_t n, at;
};

struct file_format {
	/* False while too little is there to know. */
	bool (*is)(const uint8_t *p, size_t n);
	/* Takes the header of the file; its errors are of bytes that cannot be. */
	int (*start)(struct reader *r, struct span *s, struct err *e);
	/*
	 * Appends packets to b and moves s->at over whole records, until b is full or the next
	 * one is not whole: then r->need is what it takes (from s->at on), or r->skip what
	 * lies beyond the span and is not wanted. 0 or a negative errno.
	 */
	int (*parse)(struct reader *r, struct packet_batch *b, struct span *s, struct err *e);
};

struct reader {
	struct input in;
	char *path;
	const struct file_format *format;
	uint32_t max_packet_bytes;
	uint64_t base; /* offset in the (expanded) file of the first byte of the span */
	uint64_t packets;
	uint64_t record_bytes, records; /* for the mean, which sizes the next read */
	size_t need;
	uint64_t skip;
	bool cut;
	struct err failed;
	char name[40];

	struct reader_interface **interface;
	uint32_t n_interfaces;
	struct capture_section section;

	/* pcap */
	bool swap; /* also pcapng: the file's byte order is not ours */
	uint8_t record_header_bytes, length_order;
	uint32_t fraction_ns;
	/* pcapng: the section's first interface. erf: by port and type. */
	uint32_t section_interface;
	int64_t last_ns;
	uint16_t erf_interface[4][128]; /* index + 1 */
};

extern const struct file_format file_pcap, file_pcapng, file_erf;

/* A new interface with unknown counts, which the record at `at` describes. */
NODISCARD int reader_add_interface(
        struct reader *r, uint64_t at, struct reader_interface **out, struct err *e);

/* -EINVAL: "FILE: byte AT: what". */
int reader_error(const struct reader *r, uint64_t at, struct err *e, const char *fmt, ...)
        PRINTF_LIKE(4, 5);

/* The length of an FCS that the interface keeps is no part of the packet. */
static ALWAYS_INLINE void packet_without_fcs(struct packet *p, uint32_t fcs_bytes)
{
	if (UNLIKELY(fcs_bytes) && p->wire_bytes >= fcs_bytes) {
		p->wire_bytes -= fcs_bytes;
		if (p->cap_bytes > p->wire_bytes)
			p->cap_bytes = p->wire_bytes;
	}
}

#endif
