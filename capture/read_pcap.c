/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcap: a header of 24 bytes, then records of 16 bytes and a packet. Sources:
 * draft-ietf-opsawg-pcap; the history of versions as libpcap keeps it (before 2.3 the lengths
 * stood in the other order, and 2.3 was written in both).
 */
#include <stdio.h>

#include "capture/reader_int.h"

#define HEADER_BYTES 24
#define MAGIC_US     0xa1b2c3d4
#define MAGIC_NS     0xa1b23c4d
#define MAGIC_KUZN   0xa1b2cd34 /* Kuznetzov's libpcap: interface and packet type as well */

#define RECORD_BYTES       16
#define RECORD_NOKIA_BYTES 20
#define RECORD_KUZN_BYTES  24 /* also Red Hat 6.1's, which kept the ordinary magic number */
#define RECORD_SUSE_BYTES  28
#define CHAIN_MIN          2
#define CHAIN_MAX          16
#define CHAIN_WIRE_MAX     (1 << 20)
#define US_PER_S           1000000

#define KUZN_TYPE_AT  22
#define KUZN_OUTGOING 4

#define LINK_MASK     0x03ffffff
#define LINK_FCS_HERE (1u << 26)
#define LINK_FCS_AT   28 /* length in units of 16 bits */

enum length_order { LENGTHS_NORMAL, LENGTHS_SWAPPED, LENGTHS_EITHER };

static bool magic_known(uint32_t m)
{
	return m == MAGIC_US || m == MAGIC_NS || m == MAGIC_KUZN;
}

static bool pcap_is(const uint8_t *p, size_t n)
{
	return n >= HEADER_BYTES &&
	       (magic_known(bytes_u32(p, false)) || magic_known(bytes_u32(p, true)));
}

static enum length_order length_order_of(uint32_t major, uint32_t minor)
{
	if (major == 2 && minor == 3)
		return LENGTHS_EITHER;
	return (major == 2 && minor < 3) || major == 543 ? LENGTHS_SWAPPED : LENGTHS_NORMAL;
}

/*
 * Whether the first records can be with headers of that size: -1 once one cannot, else how many
 * were whole.
 */
static int chain(const struct reader *r, const struct span *s, size_t header, bool swap)
{
	size_t at = HEADER_BYTES;
	int records = 0;

	while (records < CHAIN_MAX && s->n - at >= header) {
		const uint8_t *h = s->p + at;
		uint32_t cap = bytes_u32(h + 8, swap), wire = bytes_u32(h + 12, swap);

		if (cap > r->max_packet_bytes || wire > CHAIN_WIRE_MAX || cap > wire ||
		        bytes_u32(h + 4, swap) >= US_PER_S)
			return -1;
		if (s->n - at - header < cap)
			break;
		at += header + cap;
		records++;
	}
	return records;
}

/* What the magic number says, unless those records cannot be and others can. */
static size_t record_header_bytes(
        const struct reader *r, const struct span *s, uint32_t magic, bool swap)
{
	static const size_t ordinary[] = {RECORD_BYTES, RECORD_KUZN_BYTES, RECORD_NOKIA_BYTES};
	static const size_t modified[] = {RECORD_KUZN_BYTES, RECORD_SUSE_BYTES};
	const size_t *sizes = magic == MAGIC_KUZN ? modified : ordinary;
	size_t n = magic == MAGIC_KUZN ? 2 : magic == MAGIC_US ? 3 : 1;

	if (chain(r, s, sizes[0], swap) >= 0)
		return sizes[0];
	for (size_t i = 1; i < n; i++) {
		if (chain(r, s, sizes[i], swap) >= CHAIN_MIN)
			return sizes[i];
	}
	return sizes[0];
}

static int pcap_start(struct reader *r, struct span *s, struct err *e)
{
	bool swap = !magic_known(bytes_u32(s->p, false));
	uint32_t magic = bytes_u32(s->p, swap), link = bytes_u32(s->p + 20, swap);
	uint32_t major = bytes_u16(s->p + 4, swap), minor = bytes_u16(s->p + 6, swap);
	struct reader_interface *i;
	int rc;

	if (major != 2 && major != 543)
		return reader_error(r, 4, e,
		        "pcap version %u.%u; 2.0 to 2.4 can be read: the header is damaged",
		        major, minor);
	rc = reader_add_interface(r, 0, &i, e);
	if (rc)
		return rc;
	r->swap = swap;
	r->fraction_ns = magic == MAGIC_NS ? 1 : 1000;
	r->record_header_bytes = (uint8_t)record_header_bytes(r, s, magic, swap);
	r->length_order = (uint8_t)length_order_of(major, minor);
	i->shown.snap_bytes = bytes_u32(s->p + 16, swap);
	i->shown.link = link & LINK_MASK;
	i->shown.resolution_ps = magic == MAGIC_NS ? 1000 : 1000000;
	if (link & LINK_FCS_HERE)
		i->shown.fcs_bytes = (uint8_t)((link >> LINK_FCS_AT) * 2);
	s->at = HEADER_BYTES;
	(void)snprintf(r->name, sizeof(r->name), "pcap (%s%s)", magic == MAGIC_NS ? "ns" : "us",
	        swap ? ", big-endian" : "");
	return 0;
}

static COLD int too_large(const struct reader *r, const struct packet_batch *b, size_t at,
        uint32_t bytes, struct err *e)
{
	return reader_error(r, r->base + at, e,
	        "packet %" PRIu64 " claims %u captured bytes, at most %u are taken: the file "
	        "is damaged from here on",
	        r->packets + b->n + 1, bytes, r->max_packet_bytes);
}

static ALWAYS_INLINE int pcap_records(struct reader *r, struct packet_batch *b, struct span *s,
        bool swap, bool plain, struct err *e)
{
	const size_t header = plain ? RECORD_BYTES : r->record_header_bytes;
	const uint32_t fraction_ns = r->fraction_ns, max = r->max_packet_bytes;
	const uint32_t fcs_bytes = r->interface[0]->shown.fcs_bytes;
	const uint8_t *base = s->p;
	size_t at = s->at, n = s->n;
	uint32_t k = b->n;
	int rc = 0;

	while (k < b->max) {
		const uint8_t *h = base + at;
		struct packet *p = &b->packet[k];
		uint32_t cap, wire;

		if (UNLIKELY(n - at < header)) {
			r->need = header;
			break;
		}
		cap = bytes_u32(h + 8, swap);
		wire = bytes_u32(h + 12, swap);
		if (!plain && (r->length_order == LENGTHS_SWAPPED ||
		                      (r->length_order == LENGTHS_EITHER && cap > wire))) {
			uint32_t other = cap;

			cap = wire;
			wire = other;
		}
		if (UNLIKELY(cap > max)) {
			b->n = k;
			rc = too_large(r, b, at, cap, e);
			break;
		}
		if (UNLIKELY(n - at - header < cap)) {
			r->need = header + cap;
			break;
		}
		p->t_ns = (int64_t)(bytes_u32(h, swap) * UINT64_C(1000000000) +
		                    bytes_u32(h + 4, swap) * (uint64_t)fraction_ns);
		p->data = h + header;
		p->cap_bytes = cap;
		p->wire_bytes = wire > cap ? wire : cap;
		p->interface = 0;
		p->untimed = false;
		p->direction = DIRECTION_UNKNOWN;
		if (!plain && header >= RECORD_KUZN_BYTES)
			p->direction =
			        h[KUZN_TYPE_AT] == KUZN_OUTGOING ? DIRECTION_OUT : DIRECTION_IN;
		packet_without_fcs(p, fcs_bytes);
		at += header + cap;
		k++;
	}
	b->n = k;
	s->at = at;
	return rc;
}

static int pcap_parse(struct reader *r, struct packet_batch *b, struct span *s, struct err *e)
{
	if (r->record_header_bytes != RECORD_BYTES || r->length_order != LENGTHS_NORMAL)
		return pcap_records(r, b, s, r->swap, false, e);
	return r->swap ? pcap_records(r, b, s, true, true, e)
	               : pcap_records(r, b, s, false, true, e);
}

const struct file_format file_pcap = {pcap_is, pcap_start, pcap_parse};
