/* SPDX-License-Identifier: Apache-2.0 */
/* Source: draft-ietf-opsawg-pcapng. Written little-endian, stamps in nanoseconds. */
#include "capture/pcapng_writer.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "capture/pcapng_int.h"

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are stored as they are");

#define OPTION_HEAD_BYTES 4
#define TEXT_MAX_BYTES    65000 /* an option holds 65535 */
#define OPTIONS_MAX_BYTES 2048
#define FILTER_TEXT       '\0'

/* Options of a block, all but a long comment. */
struct options {
	uint8_t byte[OPTIONS_MAX_BYTES];
	uint32_t n;
};

static void put(struct pcapng_writer *w, const void *p, size_t n)
{
	(void)fwrite_unlocked(p, 1, n, w->f); /* ferror tells */
	w->bytes += n;
}

static void put_padding(struct pcapng_writer *w, uint32_t n)
{
	static const uint8_t zero[4];

	put(w, zero, pcapng_padded(n) - n);
}

static uint32_t option_bytes(uint32_t n)
{
	return n ? OPTION_HEAD_BYTES + pcapng_padded(n) : 0;
}

static uint32_t text_bytes(const char *text)
{
	size_t n = text ? strlen(text) : 0;

	return (uint32_t)(n < TEXT_MAX_BYTES ? n : TEXT_MAX_BYTES);
}

static void option_add(struct options *o, uint16_t code, const void *value, uint32_t n)
{
	uint16_t head[2] = {code, (uint16_t)n};

	if (!n || o->n + option_bytes(n) > sizeof(o->byte))
		return;
	memset(o->byte + o->n, 0, option_bytes(n));
	memcpy(o->byte + o->n, head, sizeof(head));
	memcpy(o->byte + o->n + OPTION_HEAD_BYTES, value, n);
	o->n += option_bytes(n);
}

static void option_text(struct options *o, uint16_t code, const char *text)
{
	option_add(o, code, text, text_bytes(text));
}

/* A block: its fixed part, the options of o and a comment. */
static void put_block(struct pcapng_writer *w, uint32_t type, const void *fixed,
        uint32_t fixed_bytes, const struct options *o, const char *comment)
{
	uint32_t comment_bytes = text_bytes(comment);
	uint32_t options = o->n + option_bytes(comment_bytes);
	uint32_t bytes = PCAPNG_BLOCK_BYTES + fixed_bytes + (options ? options + 4 : 0);
	uint32_t head[2] = {type, bytes}, end = OPT_END;
	uint16_t comment_head[2] = {OPT_COMMENT, (uint16_t)comment_bytes};

	put(w, head, sizeof(head));
	put(w, fixed, fixed_bytes);
	put(w, o->byte, o->n);
	if (comment_bytes) {
		put(w, comment_head, sizeof(comment_head));
		put(w, comment, comment_bytes);
		put_padding(w, comment_bytes);
	}
	if (options)
		put(w, &end, sizeof(end));
	put(w, &bytes, sizeof(bytes));
}

void pcapng_begin(struct pcapng_writer *w, FILE *f, const char *application,
        const char *hardware, const char *comment)
{
	struct {
		uint32_t magic;
		uint16_t major, minor;
		int64_t section_bytes; /* -1: not known */
	} fixed = {PCAPNG_BYTE_ORDER, 1, 0, -1};
	struct options o = {.n = 0};

	static_assert(sizeof(fixed) == 16, "no holes");
	*w = (struct pcapng_writer){.f = f};
	option_text(&o, OPT_SECTION_HARDWARE, hardware);
	option_text(&o, OPT_SECTION_APPLICATION, application);
	put_block(w, PCAPNG_SECTION, &fixed, sizeof(fixed), &o, comment);
}

/* The description and the clock's text share an option: analysers of others show both. */
static void add_description(struct options *o, const struct capture_interface *i)
{
	char clock[256] = "", text[sizeof(i->description) + sizeof(clock) + 2];

	if (i->clock.kind != CLOCK_UNKNOWN || i->clock.name[0])
		clock_describe(clock, sizeof(clock), &i->clock);
	(void)snprintf(text, sizeof(text), "%s%s%s", i->description,
	        i->description[0] && clock[0] ? "; " : "", clock);
	option_text(o, OPT_IF_DESCRIPTION, text);
}

uint32_t pcapng_interface(
        struct pcapng_writer *w, const struct capture_interface *i, const char *comment)
{
	struct {
		uint16_t link, reserved;
		uint32_t snap_bytes;
	} fixed = {(uint16_t)i->link, 0, i->snap_bytes};
	char filter[sizeof(i->filter) + 1];
	const uint8_t tsresol = TSRESOL_NS;
	struct options o = {.n = 0};

	option_text(&o, OPT_IF_NAME, i->name);
	add_description(&o, i);
	if (i->speed_bps)
		option_add(&o, OPT_IF_SPEED, &i->speed_bps, sizeof(i->speed_bps));
	option_add(&o, OPT_IF_TSRESOL, &tsresol, sizeof(tsresol));
	if (i->filter[0]) {
		filter[0] = FILTER_TEXT;
		memcpy(filter + 1, i->filter, sizeof(i->filter));
		option_add(&o, OPT_IF_FILTER, filter, 1 + text_bytes(i->filter));
	}
	option_text(&o, OPT_IF_HARDWARE, i->hardware);
	put_block(
	        w, PCAPNG_INTERFACE, &fixed, sizeof(fixed), &o, comment ? comment : i->comment);
	return w->n_interfaces++;
}

void pcapng_packet(struct pcapng_writer *w, const struct packet *p, const char *comment)
{
	struct {
		uint32_t type, bytes, interface, t_high, t_low, cap_bytes, wire_bytes;
	} head = {.type = PCAPNG_PACKET,
	        .interface = p->interface,
	        .cap_bytes = p->cap_bytes,
	        .wire_bytes = p->wire_bytes};
	uint64_t t = p->t_ns > 0 ? (uint64_t)p->t_ns : 0; /* the format begins at 1970 */
	uint32_t comment_bytes = text_bytes(comment), options = option_bytes(comment_bytes);
	struct {
		uint16_t code, n;
		uint32_t flags;
	} direction = {OPT_PACKET_FLAGS, 4,
	        p->direction == DIRECTION_IN ? PACKET_FLAG_IN : PACKET_FLAG_OUT};
	uint16_t comment_head[2] = {OPT_COMMENT, (uint16_t)comment_bytes};
	uint32_t end[2] = {OPT_END, 0};

	if (p->direction != DIRECTION_UNKNOWN)
		options += sizeof(direction);
	head.t_high = (uint32_t)(t >> 32);
	head.t_low = (uint32_t)t;
	head.bytes = (uint32_t)sizeof(head) + 4 + pcapng_padded(p->cap_bytes) +
	             (options ? options + 4 : 0);
	put(w, &head, sizeof(head));
	put(w, p->data, p->cap_bytes);
	put_padding(w, p->cap_bytes);
	if (p->direction != DIRECTION_UNKNOWN)
		put(w, &direction, sizeof(direction));
	if (comment_bytes) {
		put(w, comment_head, sizeof(comment_head));
		put(w, comment, comment_bytes);
		put_padding(w, comment_bytes);
	}
	end[1] = head.bytes;
	put(w, options ? end : end + 1, options ? 8 : 4);
}

void pcapng_statistics(struct pcapng_writer *w, uint32_t interface,
        const struct capture_interface *i, int64_t t_ns)
{
	const struct {
		uint16_t code;
		uint64_t v;
	} count[] = {{OPT_ISB_RECEIVED, i->received},
	        {OPT_ISB_IF_DROP, i->dropped_by_interface},
	        {OPT_ISB_FILTER_ACCEPT, i->filter_accepted},
	        {OPT_ISB_OS_DROP, i->dropped_by_os}, {OPT_ISB_DELIVERED, i->delivered}};
	uint64_t t = t_ns > 0 ? (uint64_t)t_ns : 0;
	uint32_t fixed[3] = {interface, (uint32_t)(t >> 32), (uint32_t)t};
	struct options o = {.n = 0};

	for (size_t k = 0; k < sizeof(count) / sizeof(count[0]); k++) {
		if (count[k].v != CAPTURE_NO_COUNT)
			option_add(&o, count[k].code, &count[k].v, sizeof(count[k].v));
	}
	put_block(w, PCAPNG_STATISTICS, fixed, sizeof(fixed), &o, NULL);
}
