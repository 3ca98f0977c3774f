/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcapng: blocks of a type and a length that stands at both ends. A section header begins anew:
 * byte order and interface numbers count from there. Blocks that hold no packets and say
 * nothing of interfaces are passed over, whatever their size.
 *
 * Source: draft-ietf-opsawg-pcapng.
 */
#include <stdio.h>

#include "capture/pcapng_int.h"
#include "capture/read_pcapng_int.h"
#include "capture/reader_int.h"
#include "dataplane/wire/frame.h"

#define SECTION_BYTES      28 /* with both lengths, without options */
#define PACKET_BYTES       32
#define SIMPLE_BYTES       16
#define OPTIONS_MAX_BYTES  (1024 * 1024) /* of a block that is kept whole */
#define SECTION_LEAST_READ 12

static bool pcapng_is(const uint8_t *p, size_t n)
{
	return n >= SECTION_LEAST_READ && bytes_u32(p, false) == PCAPNG_SECTION &&
	       (bytes_u32(p + 8, false) == PCAPNG_BYTE_ORDER ||
	               bytes_u32(p + 8, true) == PCAPNG_BYTE_ORDER);
}

static int pcapng_start(struct reader *r, struct span *s, struct err *e)
{
	(void)e; /* the section header is a block like the others */
	r->swap = bytes_u32(s->p + 8, false) != PCAPNG_BYTE_ORDER;
	(void)snprintf(r->name, sizeof(r->name), "pcapng%s", r->swap ? " (big-endian)" : "");
	return 0;
}

static COLD int lengths_differ(
        const struct reader *r, size_t at, uint32_t bytes, uint32_t last, struct err *e)
{
	return reader_error(r, r->base + at, e,
	        "a block of %u bytes that ends with the length %u: the file is damaged from "
	        "here on",
	        bytes, last);
}

static COLD int bad_block(const struct reader *r, size_t at, const char *what, uint32_t bytes,
        uint32_t least, struct err *e)
{
	return reader_error(r, r->base + at, e,
	        "%s of %u bytes, expected %u at least: the file is damaged from here on", what,
	        bytes, least);
}

static COLD int no_interface(const struct reader *r, size_t at, uint32_t i, struct err *e)
{
	return reader_error(r, r->base + at, e,
	        "a packet of interface %u, but the section has described %u: the file is "
	        "damaged",
	        i, r->n_interfaces - r->section_interface);
}

static COLD int too_large(const struct reader *r, const struct packet_batch *b, size_t at,
        uint32_t cap, uint32_t room, struct err *e)
{
	return reader_error(r, r->base + at, e,
	        "packet %" PRIu64 " claims %u captured bytes, its block has room for %u and at "
	        "most %u are taken: the file is damaged from here on",
	        r->packets + b->n + 1, cap, room, r->max_packet_bytes);
}

/* Enhanced and obsolete packet blocks: the same but for where the interface and drops stand. */
static ALWAYS_INLINE int timed_packet(struct reader *r, struct packet_batch *b, size_t at,
        const uint8_t *p, uint32_t bytes, bool old, bool swap, struct err *e)
{
	struct packet *out = &b->packet[b->n];
	uint32_t interface = old ? bytes_u16(p + 8, swap) : bytes_u32(p + 8, swap);
	uint32_t cap, wire, padded;
	struct reader_interface *i;
	uint64_t ticks;

	if (UNLIKELY(bytes < PACKET_BYTES))
		return bad_block(r, at, "a packet block", bytes, PACKET_BYTES, e);
	if (UNLIKELY(interface >= r->n_interfaces - r->section_interface))
		return no_interface(r, at, interface, e);
	interface += r->section_interface;
	i = r->interface[interface];
	cap = bytes_u32(p + 20, swap);
	wire = bytes_u32(p + 24, swap);
	if (UNLIKELY(cap > bytes - PACKET_BYTES || cap > r->max_packet_bytes))
		return too_large(r, b, at, cap, bytes - PACKET_BYTES, e);
	ticks = (uint64_t)bytes_u32(p + 12, swap) << 32 | bytes_u32(p + 16, swap);
	out->t_ns = r->last_ns = tick_ns(&i->tick, ticks);
	out->data = p + 28;
	out->cap_bytes = cap;
	out->wire_bytes = wire > cap ? wire : cap;
	out->interface = interface;
	out->direction = DIRECTION_UNKNOWN;
	out->untimed = false;
	padded = pcapng_padded(cap);
	if (padded + PACKET_BYTES + 4 <= bytes)
		pcapng_packet_options(
		        i, out, p + 28 + padded, bytes - PACKET_BYTES - padded, swap);
	else
		packet_without_fcs(out, i->shown.fcs_bytes);
	if (old && bytes_u16(p + 10, swap) != UINT16_MAX)
		i->shown.dropped_between += bytes_u16(p + 10, swap);
	b->n++;
	return 0;
}

/* No stamp and no captured length: the interface's snap length cuts it. */
static int simple_packet(struct reader *r, struct packet_batch *b, size_t at, const uint8_t *p,
        uint32_t bytes, struct err *e)
{
	struct packet *out = &b->packet[b->n];
	struct reader_interface *i;
	uint32_t cap;

	if (bytes < SIMPLE_BYTES)
		return bad_block(r, at, "a simple packet block", bytes, SIMPLE_BYTES, e);
	if (r->n_interfaces == r->section_interface)
		return no_interface(r, at, 0, e);
	i = r->interface[r->section_interface];
	cap = bytes_u32(p + 8, r->swap);
	*out = (struct packet){.t_ns = r->last_ns,
	        .untimed = true,
	        .data = p + 12,
	        .wire_bytes = cap,
	        .interface = r->section_interface};
	if (i->shown.snap_bytes && cap > i->shown.snap_bytes)
		cap = i->shown.snap_bytes;
	if (cap > bytes - SIMPLE_BYTES)
		cap = bytes - SIMPLE_BYTES;
	if (cap > r->max_packet_bytes)
		return too_large(r, b, at, cap, bytes - SIMPLE_BYTES, e);
	out->cap_bytes = cap;
	packet_without_fcs(out, i->shown.fcs_bytes);
	b->n++;
	return 0;
}

static int section(struct reader *r, size_t at, const uint8_t *p, uint32_t bytes, struct err *e)
{
	uint32_t major, minor;

	if (bytes < SECTION_BYTES)
		return bad_block(r, at, "a section header", bytes, SECTION_BYTES, e);
	major = bytes_u16(p + 12, r->swap);
	minor = bytes_u16(p + 14, r->swap);
	if (major != 1)
		return reader_error(r, r->base + at, e, "pcapng version %u.%u; 1.x can be read",
		        major, minor);
	r->section_interface = r->n_interfaces;
	pcapng_section_options(
	        &r->section, p + SECTION_BYTES - 4, bytes - SECTION_BYTES, r->swap);
	return 0;
}

static COLD int other_block(struct reader *r, struct packet_batch *b, size_t at,
        const uint8_t *p, uint32_t type, uint32_t bytes, struct err *e)
{
	switch (type) {
	case PCAPNG_SECTION:
		return section(r, at, p, bytes, e);
	case PCAPNG_INTERFACE:
		return pcapng_interface_block(r, r->base + at, p, bytes, e);
	case PCAPNG_STATISTICS:
		pcapng_statistics_block(r, p, bytes);
		return 0;
	case PCAPNG_OLD_PACKET:
		return timed_packet(r, b, at, p, bytes, true, r->swap, e);
	default:
		return simple_packet(r, b, at, p, bytes, e);
	}
}

static bool wanted(uint32_t type)
{
	return type == PCAPNG_PACKET || type == PCAPNG_SIMPLE_PACKET ||
	       type == PCAPNG_OLD_PACKET || type == PCAPNG_INTERFACE ||
	       type == PCAPNG_STATISTICS || type == PCAPNG_SECTION;
}

/* The byte order of a section stands in its header, which has to be seen before its length. */
static int section_order(struct reader *r, struct span *s, struct err *e)
{
	const uint8_t *p = s->p + s->at;

	if (s->n - s->at < SECTION_LEAST_READ) {
		r->need = SECTION_LEAST_READ;
		return 1;
	}
	if (!pcapng_is(p, SECTION_LEAST_READ))
		return reader_error(r, r->base + s->at, e,
		        "a section header without its byte-order magic: the file is damaged "
		        "from here on");
	r->swap = bytes_u32(p + 8, false) != PCAPNG_BYTE_ORDER;
	return 0;
}

/* The rest of a block that nobody wants, beyond what is at hand. */
static void pass_over(struct reader *r, struct span *s, uint64_t bytes)
{
	uint64_t here = s->n - s->at;

	if (bytes > here) {
		r->skip = bytes - here;
		bytes = here;
	}
	s->at += bytes;
}

static ALWAYS_INLINE int pcapng_blocks(
        struct reader *r, struct packet_batch *b, struct span *s, bool swap, struct err *e)
{
	while (b->n < b->max && r->swap == swap) {
		const uint8_t *p = s->p + s->at;
		uint32_t type, bytes, last;
		uint64_t padded;
		int rc;

		if (s->n - s->at < PCAPNG_BLOCK_BYTES) {
			r->need = PCAPNG_BLOCK_BYTES;
			return 0;
		}
		type = bytes_u32(p, swap);
		if (UNLIKELY(type == PCAPNG_SECTION)) {
			rc = section_order(r, s, e);
			if (rc || r->swap != swap)
				return rc < 0 ? rc : 0;
		}
		bytes = bytes_u32(p + 4, swap);
		if (UNLIKELY(bytes < PCAPNG_BLOCK_BYTES))
			return bad_block(r, s->at, "a block", bytes, PCAPNG_BLOCK_BYTES, e);
		/* Some writers leave the padding out of the length. */
		padded = ((uint64_t)bytes + 3) & ~UINT64_C(3);
		if (UNLIKELY(!wanted(type))) {
			pass_over(r, s, padded);
			if (r->skip)
				return 0;
			continue;
		}
		if (UNLIKELY(padded > (uint64_t)r->max_packet_bytes + OPTIONS_MAX_BYTES))
			return reader_error(r, r->base + s->at, e,
			        "a block of %u bytes: the file is damaged from here on, or its "
			        "packets are larger than %u bytes",
			        bytes, r->max_packet_bytes);
		if (UNLIKELY(s->n - s->at < padded)) {
			r->need = (size_t)padded;
			return 0;
		}
		last = bytes_u32(p + padded - 4, swap);
		if (UNLIKELY(last != bytes && last != padded))
			return lengths_differ(r, s->at, bytes, last, e);
		rc = LIKELY(type == PCAPNG_PACKET)
		             ? timed_packet(r, b, s->at, p, (uint32_t)padded, false, swap, e)
		             : other_block(r, b, s->at, p, type, (uint32_t)padded, e);
		if (rc)
			return rc;
		s->at += padded;
	}
	return 0;
}

static int pcapng_parse(struct reader *r, struct packet_batch *b, struct span *s, struct err *e)
{
	bool swap;
	int rc;

	do { /* again where a section turned the byte order */
		swap = r->swap;
		rc = swap ? pcapng_blocks(r, b, s, true, e) : pcapng_blocks(r, b, s, false, e);
	} while (!rc && r->swap != swap);
	return rc;
}

const struct file_format file_pcapng = {pcapng_is, pcapng_start, pcapng_parse};
