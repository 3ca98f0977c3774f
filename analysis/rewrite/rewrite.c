/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rewrite/rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/rewrite/rewrite_int.h"
#include "capture/pcapng_writer.h"
#include "capture/reader.h"

#define BATCH_PACKETS 1024
#define PACKET_MAX    (262144u + 1024)

struct rewriting {
	struct rewriter w;
	struct reader *reader;
	struct pcapng_writer out;
	struct packet_batch batch;
	uint8_t *bytes; /* of the packet in work */
	uint32_t n_interfaces;
	bool begun;
	int64_t move_ns, last_ns;
};

static void interface_name(struct capture_interface *i, uint32_t n)
{
	(void)snprintf(i->name, sizeof(i->name), "if%u", n);
	i->description[0] = i->filter[0] = i->hardware[0] = i->comment[0] = 0;
	i->clock.name[0] = 0;
}

/* Interfaces appear while the file is read. */
static int interfaces(struct rewriting *r, struct err *e)
{
	const struct rewrite_options *o = r->w.o;

	for (; r->n_interfaces < reader_n_interfaces(r->reader); r->n_interfaces++) {
		struct capture_interface i = *reader_interface(r->reader, r->n_interfaces);

		if (i.link > UINT16_MAX)
			return err_set(e, -EINVAL, "link type %u is none that pcapng can hold",
			        i.link);
		if (hides(&r->w, REWRITE_KEEP_NAMES))
			interface_name(&i, r->n_interfaces);
		i.comment[0] = 0;
		if (o->snap_bytes && (!i.snap_bytes || i.snap_bytes > o->snap_bytes))
			i.snap_bytes = o->snap_bytes;
		(void)pcapng_interface(&r->out, &i, NULL);
	}
	return 0;
}

static int64_t moved(const struct rewriting *r, int64_t t_ns)
{
	int64_t out;

	if (__builtin_add_overflow(t_ns, r->move_ns, &out))
		return r->move_ns > 0 ? INT64_MAX : INT64_MIN;
	return out;
}

static void packet(struct rewriting *r, const struct packet *in)
{
	const struct rewrite_options *o = r->w.o;
	uint32_t link = reader_interface(r->reader, in->interface)->link;
	struct packet p = *in;

	if (!r->begun && o->has_start &&
	        __builtin_sub_overflow(o->start_ns, in->t_ns, &r->move_ns))
		r->move_ns = 0;
	r->begun = true;
	r->w.result->read++;
	if (p.cap_bytes > PACKET_MAX)
		p.cap_bytes = PACKET_MAX;
	memcpy(r->bytes, p.data, p.cap_bytes);
	if (!rewrite_frame(&r->w, link, r->bytes, p.cap_bytes, p.wire_bytes))
		return;
	p.data = r->bytes;
	p.t_ns = r->last_ns = moved(r, p.t_ns);
	if (o->snap_bytes && p.cap_bytes > o->snap_bytes)
		p.cap_bytes = o->snap_bytes;
	pcapng_packet(&r->out, &p, NULL);
	r->w.result->written++;
}

/* What an unfinished reading shows is neither the whole traffic nor who answers whom. */
int rewrite_stopped(const struct rewriter *w, struct err *e)
{
	if (!w->o->stop || !atomic_load(w->o->stop))
		return 0;
	return err_set(e, -EINTR, "interrupted before the end: no whole capture was written");
}

static int packets(struct rewriting *r, struct err *e)
{
	struct err why = {0};
	int n, rc;

	do {
		n = reader_fill(r->reader, &r->batch, &why);
		if (n == -ENOMEM)
			return err_set(e, n, "%s", why.msg);
		rc = interfaces(r, e);
		if (rc)
			return rc;
		for (uint32_t i = 0; i < r->batch.n; i++)
			packet(r, &r->batch.packet[i]);
		if (n < 0)
			(void)snprintf(r->w.result->damage, sizeof(r->w.result->damage), "%s",
			        why.msg);
	} while (n > 0 && !ferror(r->out.f));
	if (n < 0 && !r->w.result->read)
		return err_set(e, n, "%s", why.msg);
	return rewrite_stopped(&r->w, e);
}

static void statistics(struct rewriting *r)
{
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct capture_interface *s = reader_interface(r->reader, i);

		pcapng_statistics(&r->out, i, s,
		        s->statistics_ns ? moved(r, s->statistics_ns) : r->last_ns);
	}
}

static int run(struct rewriting *r, const char *in, FILE *out, struct err *e)
{
	const struct reader_options options = {
	        .stop = r->w.o->stop, .max_packet_bytes = PACKET_MAX};
	int rc = reader_open(&r->reader, in, &options, e);

	if (!rc)
		rc = packet_batch_init(&r->batch, BATCH_PACKETS, e);
	if (!rc) {
		r->bytes = malloc(PACKET_MAX);
		rc = r->bytes ? 0 : err_set(e, -ENOMEM, "out of memory");
	}
	if (rc)
		return rc;
	pcapng_begin(&r->out, out, r->w.o->application, NULL, NULL);
	rc = packets(r, e);
	statistics(r);
	r->w.result->cut = reader_cut(r->reader);
	return rc;
}

static bool moves_psns(const struct rewrite_options *o)
{
	return o->has_psn_base || (o->anonymize && !(o->keep & REWRITE_KEEP_PSNS));
}

int rewrite_capture(const struct rewrite_options *o, const char *in, FILE *out,
        struct rewrite_result *result, struct err *e)
{
	struct rewriting r = {.w = {.o = o, .result = result}};
	struct stat st;
	int rc = 0;

	memset(result, 0, sizeof(*result));
	if (moves_psns(o) && !strcmp(in, "-"))
		return err_set(e, -EINVAL,
		        "standard input cannot be read twice, which new PSNs take: name a "
		        "file, or keep the PSNs");
	if (moves_psns(o) && !stat(in, &st) && !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
		        "%s: no regular file: it cannot be read twice, which new PSNs take: "
		        "copy it into a file, or keep the PSNs",
		        in);
	if (o->anonymize)
		rc = pseudonyms_open(&r.w.names, o->seed, e);
	if (!rc && moves_psns(o))
		rc = psn_shifts_open(&r.w.shifts, &r.w, in, e);
	if (!rc)
		rc = run(&r, in, out, e);
	packet_batch_fini(&r.batch);
	reader_close(r.reader);
	free(r.bytes);
	psn_shifts_close(r.w.shifts);
	pseudonyms_close(r.w.names);
	return rc;
}
