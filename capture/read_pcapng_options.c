/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options are read as far as they fit: one that overruns its block ends them. Of those that
 * occur twice the last one counts, but for comments, of which the first does.
 */
#include "capture/pcapng_int.h"
#include "capture/read_pcapng_int.h"
#include "dataplane/wire/frame.h"

#define INTERFACE_BYTES  20 /* with both lengths, without options */
#define STATISTICS_BYTES 24
#define FILTER_TEXT      0 /* if_filter: its first byte says what follows */

struct option {
	uint16_t code, n;
	const uint8_t *value;
};

/* The next option of the n bytes at *p; false at their end. */
static bool next_option(const uint8_t **p, uint32_t *n, bool swap, struct option *o)
{
	uint32_t padded;

	if (*n < 4)
		return false;
	o->code = bytes_u16(*p, swap);
	o->n = bytes_u16(*p + 2, swap);
	o->value = *p + 4;
	padded = pcapng_padded(o->n);
	if (o->code == OPT_END || padded > *n - 4)
		return false;
	*p += 4 + padded;
	*n -= 4 + padded;
	return true;
}

static void take_text(char *out, size_t max, const uint8_t *p, size_t n)
{
	size_t k = 0;

	for (; k < n && k + 1 < max && p[k]; k++)
		out[k] = (char)p[k];
	out[k] = '\0';
}

void pcapng_section_options(struct capture_section *s, const uint8_t *p, uint32_t n, bool swap)
{
	struct option o;

	*s = (struct capture_section){0};
	while (next_option(&p, &n, swap, &o)) {
		if (o.code == OPT_COMMENT && !s->comment[0])
			take_text(s->comment, sizeof(s->comment), o.value, o.n);
		else if (o.code == OPT_SECTION_HARDWARE)
			take_text(s->hardware, sizeof(s->hardware), o.value, o.n);
		else if (o.code == OPT_SECTION_OS)
			take_text(s->os, sizeof(s->os), o.value, o.n);
		else if (o.code == OPT_SECTION_APPLICATION)
			take_text(s->application, sizeof(s->application), o.value, o.n);
	}
}

void pcapng_packet_options(
        struct reader_interface *i, struct packet *out, const uint8_t *p, uint32_t n, bool swap)
{
	uint32_t fcs_bytes = i->shown.fcs_bytes, flags;
	struct option o;

	while (next_option(&p, &n, swap, &o)) {
		if (o.code == OPT_PACKET_FLAGS && o.n == 4) {
			flags = bytes_u32(o.value, swap);
			if ((flags & PACKET_FLAG_DIRECTION) == PACKET_FLAG_IN)
				out->direction = DIRECTION_IN;
			else if ((flags & PACKET_FLAG_DIRECTION) == PACKET_FLAG_OUT)
				out->direction = DIRECTION_OUT;
			if (flags >> PACKET_FLAG_FCS_AT & PACKET_FLAG_FCS_BITS)
				fcs_bytes = flags >> PACKET_FLAG_FCS_AT & PACKET_FLAG_FCS_BITS;
		} else if (o.code == OPT_PACKET_DROPCOUNT && o.n == 8) {
			i->shown.dropped_between += bytes_u64(o.value, swap);
		}
	}
	packet_without_fcs(out, fcs_bytes);
}

/* Written in bits by some and in bytes by others; only an Ethernet FCS is known. */
static uint8_t fcs_bytes_of(uint8_t written)
{
	return written == 4 || written == 32 ? 4 : 0;
}

/* The part after our mark is the clock's, the part before it the description's. */
static void take_description(struct capture_interface *i, const uint8_t *p, size_t n)
{
	char text[sizeof(i->description) + 256];
	const char *mark;
	size_t before;

	take_text(text, sizeof(text), p, n);
	mark = clock_text_find(text);
	before = mark ? (size_t)(mark - text) : strlen(text);
	if (mark) {
		clock_from_description(&i->clock, mark);
		while (before && (text[before - 1] == ' ' || text[before - 1] == ';'))
			before--;
	}
	take_text(i->description, sizeof(i->description), (const uint8_t *)text, before);
}

static void interface_option(
        struct capture_interface *i, const struct option *o, bool swap, uint8_t *tsresol)
{
	switch (o->code) {
	case OPT_COMMENT:
		if (!i->comment[0])
			take_text(i->comment, sizeof(i->comment), o->value, o->n);
		break;
	case OPT_IF_NAME:
		take_text(i->name, sizeof(i->name), o->value, o->n);
		break;
	case OPT_IF_DESCRIPTION:
		take_description(i, o->value, o->n);
		break;
	case OPT_IF_SPEED:
		if (o->n == 8)
			i->speed_bps = bytes_u64(o->value, swap);
		break;
	case OPT_IF_TSRESOL:
		if (o->n >= 1)
			*tsresol = o->value[0];
		break;
	case OPT_IF_FILTER:
		if (o->n > 1 && o->value[0] == FILTER_TEXT)
			take_text(i->filter, sizeof(i->filter), o->value + 1, o->n - 1u);
		break;
	case OPT_IF_FCSLEN:
		if (o->n >= 1 && i->link == FRAME_LINK_ETHERNET)
			i->fcs_bytes = fcs_bytes_of(o->value[0]);
		break;
	case OPT_IF_HARDWARE:
		take_text(i->hardware, sizeof(i->hardware), o->value, o->n);
		break;
	default:
		break;
	}
}

int pcapng_interface_block(
        struct reader *r, uint64_t at, const uint8_t *p, uint32_t bytes, struct err *e)
{
	uint8_t tsresol = TSRESOL_DEFAULT;
	struct reader_interface *i;
	int64_t offset_s = 0;
	struct option o;
	uint32_t n;
	int rc;

	if (bytes < INTERFACE_BYTES)
		return reader_error(r, at, e,
		        "an interface block of %u bytes, expected %u at least: the file is "
		        "damaged from here on",
		        bytes, INTERFACE_BYTES);
	rc = reader_add_interface(r, at, &i, e);
	if (rc)
		return rc;
	i->shown.link = bytes_u16(p + 8, r->swap);
	i->shown.snap_bytes = bytes_u32(p + 12, r->swap);
	n = bytes - INTERFACE_BYTES;
	p += INTERFACE_BYTES - 4;
	while (next_option(&p, &n, r->swap, &o)) {
		if (o.code == OPT_IF_TSOFFSET && o.n == 8)
			offset_s = (int64_t)bytes_u64(o.value, r->swap);
		else
			interface_option(&i->shown, &o, r->swap, &tsresol);
	}
	i->tick = tick_make(tsresol, offset_s);
	i->shown.resolution_ps = tick_resolution_ps(tsresol);
	return 0;
}

void pcapng_statistics_block(struct reader *r, const uint8_t *p, uint32_t bytes)
{
	struct capture_interface *i;
	struct option o;
	uint32_t n, index;

	if (bytes < STATISTICS_BYTES)
		return; /* says nothing, and the packets are whole */
	index = bytes_u32(p + 8, r->swap);
	if (index >= r->n_interfaces - r->section_interface)
		return;
	i = &r->interface[r->section_interface + index]->shown;
	i->statistics_ns = tick_ns(&r->interface[r->section_interface + index]->tick,
	        (uint64_t)bytes_u32(p + 12, r->swap) << 32 | bytes_u32(p + 16, r->swap));
	n = bytes - STATISTICS_BYTES;
	p += STATISTICS_BYTES - 4;
	while (next_option(&p, &n, r->swap, &o)) {
		uint64_t v = o.n == 8 ? bytes_u64(o.value, r->swap) : 0;

		if (o.n != 8)
			continue;
		if (o.code == OPT_ISB_RECEIVED)
			i->received = v;
		else if (o.code == OPT_ISB_IF_DROP)
			i->dropped_by_interface = v;
		else if (o.code == OPT_ISB_FILTER_ACCEPT)
			i->filter_accepted = v;
		else if (o.code == OPT_ISB_OS_DROP)
			i->dropped_by_os = v;
		else if (o.code == OPT_ISB_DELIVERED)
			i->delivered = v;
	}
}
