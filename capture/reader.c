/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/foreign_int.h"
#include "capture/reader_int.h"

#define DEFAULT_MAX_PACKET (256 * 1024 + 1024)
#define FIRST_RECORD_BYTES 128 /* the mean before there is one */
#define SHORTEST_BYTES     24  /* the header of a pcap file */
#define READ_SLACK_BYTES   4096
#define READ_MAX_BYTES     (4 * 1024 * 1024)

static const struct file_format *const formats[] = {&file_pcapng, &file_pcap, &file_erf};

int reader_error(const struct reader *r, uint64_t at, struct err *e, const char *fmt, ...)
{
	char what[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(e, -EINVAL, "%s: byte %" PRIu64 "%s: %s", r->in.name, at,
	        r->in.coding == INPUT_PLAIN ? "" : " (expanded)", what);
}

int reader_add_interface(
        struct reader *r, uint64_t at, struct reader_interface **out, struct err *e)
{
	struct reader_interface *i;

	if (r->n_interfaces == READER_MAX_INTERFACES)
		return reader_error(r, at, e, "more than %d interfaces", READER_MAX_INTERFACES);
	i = calloc(1, sizeof(*i));
	if (!i)
		return err_set(e, -ENOMEM, "%s: out of memory", r->in.name);
	i->shown.received = i->shown.dropped_by_interface = i->shown.dropped_by_os =
	        CAPTURE_NO_COUNT;
	i->shown.filter_accepted = i->shown.delivered = CAPTURE_NO_COUNT;
	/* pcap and pcapng count from 1970 UTC unless the file says otherwise. */
	i->shown.clock = (struct capture_clock){.timescale = TIMESCALE_UTC, .residual_ns = -1};
	r->interface[r->n_interfaces++] = *out = i;
	return 0;
}

/* The next read: enough for the batch, as records have been so far. */
static size_t wanted_bytes(const struct reader *r, const struct packet_batch *b)
{
	uint64_t mean = r->records ? r->record_bytes / r->records + 1 : FIRST_RECORD_BYTES;
	uint64_t n = mean * b->max + READ_SLACK_BYTES;

	if (n > READ_MAX_BYTES)
		n = READ_MAX_BYTES;
	return r->need > n ? r->need : (size_t)n;
}

static int reserve(const struct reader *r, struct packet_batch *b, size_t n, struct err *e)
{
	uint8_t *grown;

	if (b->bytes_max >= n)
		return 0;
	grown = realloc(b->bytes, n);
	if (!grown)
		return err_set(e, -ENOMEM, "%s: out of memory for %zu bytes", r->in.name, n);
	b->bytes = grown;
	b->bytes_max = n;
	return 0;
}

/* Reads on until there are `want` bytes, the end, or the bytes have to be waited for. */
static int bring(struct reader *r, struct packet_batch *b, size_t want, struct err *e)
{
	size_t before = b->bytes_used;

	do {
		bool first = b->bytes_used == before;
		ssize_t got = input_read(&r->in, b->bytes + b->bytes_used, want - b->bytes_used,
		        first ? e : NULL);

		if (got < 0 && first)
			return (int)got;
		if (got <= 0)
			break; /* what was read comes first; reading on fails again */
		b->bytes_used += (uint64_t)got;
	} while (b->bytes_used < want && r->in.regular && !r->in.follow);
	return b->bytes_used > before;
}

/* No packet points into the buffer here, so that it may move. 1: there is more; 0: the end. */
static int more(struct reader *r, struct packet_batch *b, struct span *s, struct err *e)
{
	size_t want;
	int rc;

	b->bytes_used -= s->at;
	if (b->bytes_used && s->at)
		memmove(b->bytes, b->bytes + s->at, b->bytes_used);
	r->base += s->at;
	s->at = 0;
	if (r->skip) {
		rc = input_skip(&r->in, r->skip, e);
		if (rc) {
			r->cut = r->cut || (rc > 0 && !input_stopped(&r->in));
			return rc < 0 ? rc : 0;
		}
		r->base += r->skip;
		r->skip = 0;
	}
	want = wanted_bytes(r, b);
	if (want <= b->bytes_used)
		want = b->bytes_used + READ_SLACK_BYTES;
	rc = reserve(r, b, want, e);
	return rc ? rc : bring(r, b, want, e);
}

static int fill(struct reader *r, struct packet_batch *b, struct err *e)
{
	struct span s = {0};
	int rc;

	b->n = 0;
	b->bytes_used = 0;
	b->first_number = r->packets + 1;
	for (;;) {
		rc = more(r, b, &s, e);
		if (rc <= 0) {
			if (!rc && !input_stopped(&r->in))
				r->cut = r->cut || b->bytes_used || r->in.cut;
			return rc;
		}
		s = (struct span){b->bytes, b->bytes_used, 0};
		r->need = 0;
		rc = r->format->parse(r, b, &s, e);
		r->packets += b->n;
		if (rc)
			return rc;
		if (b->n)
			break;
	}
	r->record_bytes += s.at;
	r->records += b->n;
	if (s.at < s.n && (rc = input_unread(&r->in, s.p + s.at, s.n - s.at, e)))
		return rc;
	r->base += s.at;
	b->bytes_used = s.at;
	return (int)b->n;
}

int reader_fill(struct reader *r, struct packet_batch *b, struct err *e)
{
	int rc;

	if (r->failed.code) {
		b->n = 0;
		return err_set(e, r->failed.code, "%s", r->failed.msg);
	}
	rc = fill(r, b, &r->failed);
	return rc < 0 ? err_set(e, rc, "%s", r->failed.msg) : rc;
}

static int not_a_capture(const struct reader *r, const uint8_t *p, size_t n, struct err *e)
{
	const char *advice = n ? foreign_format(p, n) : NULL;

	if (input_stopped(&r->in))
		return err_set(e, -EINTR, "%s: stopped before a capture began", r->in.name);
	if (!n)
		return err_set(e, -EINVAL,
		        "%s: empty; expected a capture (pcap, pcapng or ERF, plain or gzip or "
		        "zstd)",
		        r->in.name);
	if (n < SHORTEST_BYTES && !advice)
		return reader_error(r, n, e, "the file ends within the header of a capture");
	return reader_error(r, 0, e,
	        "no capture: expected pcap, pcapng or ERF, plain or gzip "
	        "or zstd%s%s",
	        advice ? "; this is " : "", advice ? advice : "");
}

/* Looks at the first bytes; they are read again with the records. */
static int recognise(struct reader *r, struct err *e)
{
	uint8_t *head = malloc(READER_HEAD_BYTES);
	struct span s = {.p = head};
	int rc = 0;

	if (!head)
		return err_set(e, -ENOMEM, "%s: out of memory", r->in.name);
	while (!r->format && s.n < READER_HEAD_BYTES) {
		ssize_t got = input_read(&r->in, head + s.n, READER_HEAD_BYTES - s.n, e);

		if (got < 0) {
			rc = (int)got;
			goto out_free;
		}
		s.n += (size_t)got;
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]) && !r->format;
		        i++) {
			if (formats[i]->is(s.p, s.n))
				r->format = formats[i];
		}
		if (!got)
			break;
	}
	rc = r->format ? r->format->start(r, &s, e) : not_a_capture(r, s.p, s.n, e);
	if (!rc) {
		if (r->in.coding != INPUT_PLAIN)
			(void)strncat(r->name, r->in.coding == INPUT_GZIP ? "+gzip" : "+zstd",
			        sizeof(r->name) - strlen(r->name) - 1);
		r->base = s.at;
		rc = input_unread(&r->in, s.p + s.at, s.n - s.at, e);
	}
out_free:
	free(head);
	return rc;
}

int reader_open(
        struct reader **out, const char *path, const struct reader_options *o, struct err *e)
{
	struct reader *r = calloc(1, sizeof(*r));
	int rc;

	*out = NULL;
	if (!r)
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	r->in.fd = -1;
	r->max_packet_bytes =
	        o && o->max_packet_bytes ? o->max_packet_bytes : DEFAULT_MAX_PACKET;
	/* Never moved, so that other threads may look at the interfaces of their packets. */
	r->interface = calloc(READER_MAX_INTERFACES, sizeof(struct reader_interface *));
	r->path = strdup(path);
	if (!r->interface || !r->path) {
		rc = err_set(e, -ENOMEM, "%s: out of memory", path);
		goto out_close;
	}
	rc = input_open(&r->in, r->path, o && o->follow, o ? o->stop : NULL, e);
	if (!rc)
		rc = recognise(r, e);
	if (!rc) {
		*out = r;
		return 0;
	}
out_close:
	reader_close(r);
	return rc;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	input_close(&r->in);
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		free(r->interface[i]);
	free(r->interface);
	free(r->path);
	free(r);
}

int packet_batch_init(struct packet_batch *b, uint32_t max_packets, struct err *e)
{
	*b = (struct packet_batch){.max = max_packets ? max_packets : 1};
	b->packet = malloc((size_t)b->max * sizeof(*b->packet));
	return b->packet ? 0 : err_set(e, -ENOMEM, "out of memory for %u packets", b->max);
}

void packet_batch_fini(struct packet_batch *b)
{
	free(b->packet);
	free(b->bytes);
	*b = (struct packet_batch){0};
}

uint32_t reader_n_interfaces(const struct reader *r)
{
	return r->n_interfaces;
}

const struct capture_interface *reader_interface(const struct reader *r, uint32_t i)
{
	return &r->interface[i]->shown;
}

const struct capture_section *reader_section(const struct reader *r)
{
	return &r->section;
}

bool reader_cut(const struct reader *r)
{
	return r->cut;
}

const char *reader_format(const struct reader *r)
{
	return r->name;
}

void reader_position(const struct reader *r, uint64_t *at, uint64_t *size)
{
	*at = r->in.coding == INPUT_PLAIN ? r->base : r->in.raw_at;
	*size = input_size(&r->in);
}
