/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ERF, the format of Endace's cards: records of 16 bytes with a little-endian stamp in 32.32
 * fixed point, extension headers of 8 bytes while bit 7 says so, then the packet. There is no
 * header of the file: it is known by a chain of records that can be. Each port and type of
 * packet is one interface.
 *
 * Source: Endace, "Extensible Record Format types" (EDM11-01), as published with their SDK.
 */
#include <stdio.h>

#include "capture/reader_int.h"
#include "dataplane/wire/frame.h"

#define RECORD_BYTES    16
#define EXTENSION_BYTES 8
#define MORE_EXTENSIONS 0x80
#define TYPE_MASK       0x7f
#define PORT_MASK       0x03
#define FRACTION        (0x80 | 32) /* tsresol: 2^-32 s */
#define CHAIN           8 /* records that must follow one another, where there are as many */
#define ETHERNET_FCS    4

/* What may stand in a file, and what of it is a packet for us. */
static const struct erf_type {
	uint8_t type, pad_bytes, fcs_bytes;
	uint16_t link; /* 0: the record is passed over */
	const char *name;
} types[] = {
        {2, 2, ETHERNET_FCS, FRAME_LINK_ETHERNET, "ethernet"},
        {11, 2, ETHERNET_FCS, FRAME_LINK_ETHERNET, "ethernet"}, /* with colour */
        {16, 2, ETHERNET_FCS, FRAME_LINK_ETHERNET, "ethernet"}, /* steered */
        {20, 2, ETHERNET_FCS, FRAME_LINK_ETHERNET, "ethernet"}, /* with hash */
        {21, 0, 0, FRAME_LINK_INFINIBAND, "infiniband"}, {22, 0, 0, FRAME_LINK_IPV4, "ipv4"},
        {23, 0, 0, FRAME_LINK_IPV6, "ipv6"}, {1, 0, 0, 0, NULL}, /* HDLC, ATM and AAL kinds */
        {3, 0, 0, 0, NULL}, {4, 0, 0, 0, NULL}, {10, 0, 0, 0, NULL},
        {24, 0, 0, 0, NULL},                      /* raw link, InfiniBand link packets */
        {25, 0, 0, 0, NULL}, {27, 0, 0, 0, NULL}, /* provenance */
        {48, 0, 0, 0, NULL},                      /* padding */
};

static const struct erf_type *type_of(uint8_t type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type == (type & TYPE_MASK))
			return &types[i];
	}
	return NULL;
}

/* To the nearest nanosecond, as the cards' own programs have it. */
static int64_t stamp_ns(uint64_t t)
{
	uint64_t fraction = (t & UINT32_MAX) * UINT64_C(1000000000) + (UINT64_C(1) << 31);

	return (int64_t)((t >> 32) * UINT64_C(1000000000) + (fraction >> 32));
}

/* One record that can be; its length, or 0. */
static size_t plausible(const uint8_t *p, size_t n)
{
	const struct erf_type *t;
	size_t bytes, wire;

	if (n < RECORD_BYTES)
		return 0;
	t = type_of(p[8]);
	bytes = bytes_u16(p + 10, true);
	wire = bytes_u16(p + 14, true);
	if (!t || bytes < RECORD_BYTES + (p[8] & MORE_EXTENSIONS ? EXTENSION_BYTES : 0u))
		return 0;
	return t->link && !wire ? 0 : bytes;
}

static bool erf_is(const uint8_t *p, size_t n)
{
	uint64_t former_s = 0;
	int records = 0;
	size_t at = 0;

	while (records < CHAIN && n - at >= RECORD_BYTES) {
		size_t bytes = plausible(p + at, n - at);
		uint64_t s = bytes_u64(p + at, false) >> 32;

		/* A week between packets of one file, or a step back, is no chain. */
		if (!bytes || (records && (s + 1 < former_s || s > former_s + 7 * 86400)))
			return false;
		if (n - at < bytes)
			break;
		former_s = s;
		at += bytes;
		records++;
	}
	return records > 0;
}

static int erf_start(struct reader *r, struct span *s, struct err *e)
{
	(void)s;
	(void)e;
	(void)snprintf(r->name, sizeof(r->name), "erf");
	return 0;
}

static int interface_of(struct reader *r, uint64_t at, const uint8_t *p,
        const struct erf_type *t, uint32_t *index, struct err *e)
{
	uint16_t *known = &r->erf_interface[p[9] & PORT_MASK][t->type];
	struct reader_interface *i;

	if (!*known) {
		int rc = reader_add_interface(r, at, &i, e);

		if (rc)
			return rc;
		i->shown.link = t->link;
		i->shown.fcs_bytes = t->fcs_bytes;
		i->shown.resolution_ps = tick_resolution_ps(FRACTION);
		(void)snprintf(i->shown.name, sizeof(i->shown.name), "port%u",
		        (unsigned)(p[9] & PORT_MASK));
		(void)snprintf(i->shown.description, sizeof(i->shown.description),
		        "ERF port %u, type %u (%s)", (unsigned)(p[9] & PORT_MASK), t->type,
		        t->name);
		*known = (uint16_t)r->n_interfaces;
	}
	*index = *known - 1u;
	return 0;
}

/* Bytes before the packet, or 0 where the record has no room for them. */
static size_t header_bytes(const uint8_t *p, size_t bytes, const struct erf_type *t)
{
	size_t n = RECORD_BYTES;
	bool again = p[8] & MORE_EXTENSIONS;

	while (again) {
		if (bytes - n < EXTENSION_BYTES)
			return 0;
		again = p[n] & MORE_EXTENSIONS;
		n += EXTENSION_BYTES;
	}
	return bytes - n < t->pad_bytes ? 0 : n + t->pad_bytes;
}

static int erf_packet(struct reader *r, struct packet_batch *b, uint64_t at, const uint8_t *p,
        size_t bytes, const struct erf_type *t, struct err *e)
{
	struct packet *out = &b->packet[b->n];
	size_t header = header_bytes(p, bytes, t);
	uint32_t wire = bytes_u16(p + 14, true), cap = (uint32_t)(bytes - header);
	int rc;

	if (!header)
		return reader_error(r, at, e,
		        "an ERF record of %zu bytes without room for its own headers: the "
		        "file is damaged from here on",
		        bytes);
	rc = interface_of(r, at, p, t, &out->interface, e);
	if (rc)
		return rc;
	out->t_ns = stamp_ns(bytes_u64(p, false));
	out->data = p + header;
	out->cap_bytes = cap < wire ? cap : wire; /* records are filled up to 8 bytes */
	out->wire_bytes = wire;
	out->direction = DIRECTION_UNKNOWN;
	out->untimed = false;
	packet_without_fcs(out, t->fcs_bytes);
	b->n++;
	return 0;
}

static int erf_parse(struct reader *r, struct packet_batch *b, struct span *s, struct err *e)
{
	while (b->n < b->max) {
		const uint8_t *p = s->p + s->at;
		size_t left = s->n - s->at, bytes;
		const struct erf_type *t;
		int rc = 0;

		r->need = RECORD_BYTES;
		if (left < RECORD_BYTES)
			break;
		bytes = bytes_u16(p + 10, true);
		t = type_of(p[8]);
		if (bytes < RECORD_BYTES)
			return reader_error(r, r->base + s->at, e,
			        "an ERF record of %zu bytes, 16 at least: the file is damaged "
			        "from here on",
			        bytes);
		r->need = bytes;
		if (left < bytes)
			break;
		if (t && t->link)
			rc = erf_packet(r, b, r->base + s->at, p, bytes, t, e);
		if (rc)
			return rc;
		s->at += bytes;
	}
	return 0;
}

const struct file_format file_erf = {erf_is, erf_start, erf_parse};
