/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads capture files: pcap (us and ns, both byte orders), pcapng (any if_tsresol and
 * if_tsoffset, several interfaces and sections, both byte orders), ERF; plain, gzip or zstd;
 * standard input ("-"); a file that still grows. Hostile input: bounded memory, an error with
 * the byte offset for bytes that cannot be; a file cut off in mid-packet yields what is whole,
 * then says so (reader_cut). One thread at a time per reader; a filled batch may be read by any
 * thread.
 *
 * Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng; Endace ERF type list.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/packet.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct reader;

struct reader_options {
	bool follow;             /* wait for more at the end of the file, until *stop */
	const atomic_bool *stop; /* may be NULL */
	uint32_t
	        max_packet_bytes; /* larger ones are an error; 0: 256 KiB + 1024 (pcap's own) */
};

NODISCARD int reader_open(
        struct reader **r, const char *path, const struct reader_options *o, struct err *e);
void reader_close(struct reader *r); /* NULL is fine */

/*
 * A batch: packets in file order, their bytes in the batch's own buffer, valid until the batch
 * is filled again or freed. A file is read straight into that buffer: nothing is copied after.
 */
struct packet_batch {
	struct packet *packet;
	uint32_t n, max; /* max packets: set by packet_batch_init */
	uint8_t *bytes;
	uint64_t bytes_used, bytes_max;
	uint64_t first_number; /* of packet[0] in its file, from 1 */
};

NODISCARD int packet_batch_init(struct packet_batch *b, uint32_t max_packets, struct err *e);
void packet_batch_fini(struct packet_batch *b);

/* Fills b with the next packets: how many (0 at the end), or a negative errno; what was read
 * before an error is in b with its count in b->n. Interfaces may be added while reading. */
NODISCARD int reader_fill(struct reader *r, struct packet_batch *b, struct err *e);

/* Stable pointers, grown by reader_fill; valid until reader_close. */
uint32_t reader_n_interfaces(const struct reader *r);
const struct capture_interface *reader_interface(const struct reader *r, uint32_t i);

/* What the file says of itself; "" where it does not. */
struct capture_section {
	char application[128], hardware[128], os[128], comment[512];
};

const struct capture_section *reader_section(const struct reader *r); /* the last one begun */

bool reader_cut(const struct reader *r); /* the file ends within a record */
const char *reader_format(
        const struct reader *r); /* "pcapng", "pcap (ns)", "erf" ... with "+gzip" */
/* Bytes of the file consumed and in all (0: unknown), for progress. */
void reader_position(const struct reader *r, uint64_t *at, uint64_t *size);

#endif
