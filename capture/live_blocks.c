/* SPDX-License-Identifier: Apache-2.0 */
/* What of the file is no packet: the section and its interfaces before, statistics behind. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/live_int.h"
#include "capture/pcapng_writer.h"

static int64_t wall_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t); /* cannot fail */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void describe_queue(const struct live *l, uint32_t queue, struct capture_interface *i)
{
	char text[sizeof(i->description)];

	if (l->n_queues == 1)
		return;
	(void)snprintf(text, sizeof(text), "queue %u of %u%s%s", queue, l->n_queues,
	        i->description[0] ? ", " : "", i->description);
	memcpy(i->description, text, sizeof(text));
}

int live_head_write(struct live *l, struct capture_interface *first, struct err *e)
{
	struct capture_interface of = {0};
	struct pcapng_writer w;
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&bytes, &n);
	uint32_t done;

	if (!f)
		return err_set(e, -ENOMEM, "capture: out of memory");
	if (!l->c->ops->describe(l->source, 0, first))
		memset(first, 0, sizeof(*first));
	pcapng_begin(&w, f, l->c->application, first->hardware, l->c->comment);
	for (uint32_t q = 0; q < l->n_queues; q++) {
		for (uint32_t i = 0; l->c->ops->describe(l->source, i, &of); i++) {
			describe_queue(l, q, &of);
			(void)pcapng_interface(&w, &of, NULL);
			l->n_interfaces = i + 1;
		}
	}
	if (fclose(f)) {
		free(bytes);
		return err_set(e, -ENOMEM, "capture: out of memory");
	}
	done = live_write(l, (const uint8_t *)bytes, (uint32_t)n, 0);
	free(bytes);
	if (done < n)
		return err_set(e, atomic_load(&l->write_code), "cannot write: %s",
		        strerror(-atomic_load(&l->write_code)));
	return 0;
}

static char *statistics(const struct live *l, const struct live_queue_counts *counts, size_t *n)
{
	struct pcapng_writer w = {0};
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, n);

	if (!f)
		return NULL;
	w.f = f;
	for (uint32_t q = 0; q < l->n_queues; q++) {
		const struct live_queue_counts *c = &counts[q];
		struct capture_interface i = {.filter_accepted = c->received + c->lost_source,
		        .received = CAPTURE_NO_COUNT,
		        .dropped_by_interface = c->lost_interface,
		        .dropped_by_os = c->lost_source + c->lost_buffers + c->lost_write,
		        .delivered = c->packets};

		if (!l->c->source.filter || !*l->c->source.filter)
			i.received = i.filter_accepted;
		pcapng_statistics(&w, q * l->n_interfaces, &i, wall_ns());
	}
	if (fclose(f)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

uint32_t live_statistics_bytes(const struct live *l)
{
	static const struct live_queue_counts none[LIVE_MAX_QUEUES]; /* all counts known */
	size_t n = 0;
	char *bytes = statistics(l, none, &n);

	free(bytes);
	return (uint32_t)n;
}

void live_statistics_write(struct live *l, const struct live_queue_counts *counts)
{
	size_t n = 0;
	char *bytes;

	if (atomic_load(&l->write_code) && !l->regular)
		return; /* a pipe whose reader has gone, or a file that cannot be cut */
	bytes = statistics(l, counts, &n);
	if (bytes)
		(void)live_write(l, (const uint8_t *)bytes, (uint32_t)n, 0);
	free(bytes);
}
