/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture files: any bytes are packets and then the end or one error. A file and a pipe, one
 * packet at a time and many, give the same; what is written again is read back equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/pcapng_writer.h"
#include "capture/reader.h"
#include "dataplane/base/check.h"

#define PIPE_BYTES   60000 /* fit into a pipe that nobody reads yet */
#define COPY_PACKETS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	int rc;
	uint64_t n, sum;
	uint32_t n_interfaces;
	bool cut;
};

static void look_at(struct seen *s, struct reader *r, const struct packet *p)
{
	const struct capture_interface *i;

	CHECK(p->interface < reader_n_interfaces(r));
	CHECK(p->cap_bytes <= p->wire_bytes);
	i = reader_interface(r, p->interface);
	CHECK(strnlen(i->name, sizeof(i->name)) < sizeof(i->name));
	CHECK(strnlen(i->description, sizeof(i->description)) < sizeof(i->description));
	s->n++;
	s->sum = s->sum * 31 + (uint64_t)p->t_ns + p->wire_bytes + p->direction;
	for (uint32_t k = 0; k < p->cap_bytes; k++)
		s->sum = s->sum * 31 + p->data[k];
}

/* Up to COPY_PACKETS packets go to w where it is not NULL. */
static struct seen read_fd(int fd, uint32_t batch, struct pcapng_writer *w)
{
	struct seen s = {0};
	struct packet_batch b;
	struct reader *r = NULL;
	struct err e = {0};
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	s.rc = reader_open(&r, path, NULL, &e);
	if (s.rc) {
		CHECK(!r && e.msg[0]);
		return s;
	}
	CHECK(packet_batch_init(&b, batch, &e) == 0);
	do {
		s.rc = reader_fill(r, &b, &e);
		CHECK(s.rc >= 0 || e.msg[0]);
		CHECK(b.n <= b.max && (s.rc < 0 || (uint32_t)s.rc == b.n));
		for (uint32_t i = 0; i < b.n; i++) {
			while (w && w->n_interfaces <= b.packet[i].interface)
				(void)pcapng_interface(
				        w, reader_interface(r, w->n_interfaces), NULL);
			look_at(&s, r, &b.packet[i]);
			if (w && s.n <= COPY_PACKETS)
				pcapng_packet(w, &b.packet[i], NULL);
		}
	} while (s.rc > 0);
	s.n_interfaces = reader_n_interfaces(r);
	s.cut = reader_cut(r);
	packet_batch_fini(&b);
	reader_close(r);
	return s;
}

static int memory_file(const void *data, size_t size)
{
	int fd = memfd_create("capture", 0);

	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	return fd;
}

static void same(const struct seen *a, const struct seen *b)
{
	CHECK(a->rc == b->rc && a->n == b->n && a->sum == b->sum);
	CHECK(a->n_interfaces == b->n_interfaces && a->cut == b->cut);
}

static void through_a_pipe(const uint8_t *data, size_t size, const struct seen *want)
{
	struct seen s;
	int ends[2];

	CHECK(pipe(ends) == 0);
	CHECK(write(ends[1], data, size) == (ssize_t)size);
	CHECK(close(ends[1]) == 0);
	s = read_fd(ends[0], 3, NULL);
	CHECK(close(ends[0]) == 0);
	same(&s, want);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pcapng_writer w;
	struct seen s, copy;
	size_t copy_bytes;
	char *bytes = NULL;
	FILE *f = open_memstream(&bytes, &copy_bytes);
	int fd = memory_file(data, size);

	CHECK(f);
	pcapng_begin(&w, f, "fuzz", NULL, NULL);
	s = read_fd(fd, 100, &w);
	CHECK(fclose(f) == 0 && w.bytes == copy_bytes);
	copy = read_fd(fd, 1, NULL);
	same(&copy, &s);
	CHECK(close(fd) == 0);
	if (size <= PIPE_BYTES)
		through_a_pipe(data, size, &s);

	fd = memory_file(bytes, copy_bytes);
	copy = read_fd(fd, 7, NULL);
	CHECK(close(fd) == 0);
	CHECK(copy.rc == 0 && !copy.cut);
	CHECK(copy.n == (s.n < COPY_PACKETS ? s.n : COPY_PACKETS));
	free(bytes);
	return 0;
}
