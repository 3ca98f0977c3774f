/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/copy.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "capture/filter.h"
#include "capture/pcapng_writer.h"
#include "capture/reader.h"

#define BATCH_PACKETS 1024

struct copy {
	const struct copy_config *c;
	struct reader *reader;
	struct pcapng_writer w;
	struct copy_interface {
		struct bpf_program program; /* for the link of each interface */
		uint64_t written;
	} * interface;
	uint32_t n_interfaces;
	struct copy_result *result;
	int64_t first_ns;
};

/* Interfaces appear while the file is read. */
static int add_interfaces(struct copy *k, struct err *e)
{
	uint32_t n = reader_n_interfaces(k->reader);
	struct copy_interface *grown;

	if (n == k->n_interfaces)
		return 0;
	grown = realloc(k->interface, n * sizeof(*grown));
	if (!grown)
		return err_set(e, -ENOMEM, "%s: out of memory", k->c->in);
	k->interface = grown;
	while (k->n_interfaces < n) {
		struct capture_interface i = *reader_interface(k->reader, k->n_interfaces);
		struct copy_interface *to = &grown[k->n_interfaces];
		int r = filter_compile(
		        &to->program, k->c->filter, i.link, k->c->snap_bytes, NULL, e);

		if (r)
			return r;
		to->written = 0;
		k->n_interfaces++;
		if (k->c->snap_bytes && (!i.snap_bytes || i.snap_bytes > k->c->snap_bytes))
			i.snap_bytes = k->c->snap_bytes;
		if (k->c->filter)
			(void)snprintf(i.filter, sizeof(i.filter), "%s", k->c->filter);
		(void)pcapng_interface(&k->w, &i, NULL);
	}
	return 0;
}

/* False: nothing more is wanted. */
static bool copy_packet(struct copy *k, struct packet p)
{
	struct copy_interface *i = &k->interface[p.interface];
	uint32_t keep;

	if (!k->first_ns)
		k->first_ns = p.t_ns;
	if (k->c->duration_ns && p.t_ns - k->first_ns >= k->c->duration_ns)
		return false;
	k->result->read++;
	keep = bpf_filter(i->program.bf_insns, p.data, p.wire_bytes, p.cap_bytes);
	if (!keep)
		return true;
	if (keep < p.cap_bytes)
		p.cap_bytes = keep;
	pcapng_packet(&k->w, &p, NULL);
	i->written++;
	k->result->written++;
	return k->result->written != k->c->max_packets;
}

static int copy_packets(struct copy *k, struct packet_batch *b, struct err *e)
{
	for (;;) {
		int n = reader_fill(k->reader, b, e), r = add_interfaces(k, e);

		if (r)
			return r;
		for (uint32_t i = 0; i < b->n; i++) {
			if (!copy_packet(k, b->packet[i]))
				return 0;
		}
		if (n <= 0) {
			k->result->stopped = !n && k->c->stop && atomic_load(k->c->stop);
			return n;
		}
		if (k->c->follow)
			(void)fflush(k->w.f); /* whoever reads it need not wait either */
		if (ferror(k->w.f))
			return 0; /* said by whoever closes it */
	}
}

static void copy_statistics(struct copy *k, int64_t t_ns)
{
	for (uint32_t i = 0; i < k->n_interfaces; i++) {
		struct capture_interface s = *reader_interface(k->reader, i);

		s.delivered = k->interface[i].written;
		pcapng_statistics(&k->w, i, &s, s.statistics_ns ? s.statistics_ns : t_ns);
	}
}

int copy_capture(
        const struct copy_config *c, FILE *out, struct copy_result *result, struct err *e)
{
	const struct reader_options options = {.follow = c->follow, .stop = c->stop};
	struct copy k = {.c = c, .result = result};
	struct packet_batch b = {0};
	int r;

	memset(result, 0, sizeof(*result));
	r = reader_open(&k.reader, c->in, &options, e);
	if (r)
		return r;
	r = packet_batch_init(&b, BATCH_PACKETS, e);
	if (!r) {
		pcapng_begin(&k.w, out, c->application, NULL, c->comment);
		r = copy_packets(&k, &b, e);
		copy_statistics(&k, k.first_ns);
		result->cut = reader_cut(k.reader);
		reader_position(k.reader, &result->at_bytes, &result->of_bytes);
	}
	for (uint32_t i = 0; i < k.n_interfaces; i++)
		pcap_freecode(&k.interface[i].program);
	free(k.interface);
	packet_batch_fini(&b);
	reader_close(k.reader);
	return r;
}
