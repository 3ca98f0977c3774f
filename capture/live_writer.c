/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that writes full buffers. When the disk is full, or the reader of a pipe has gone,
 * it goes on emptying buffers and counts what was in them, so that no queue waits for it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/live_int.h"

/* Of the first `written` bytes of whole records, how many are whole and leave room. */
static uint32_t whole_bytes(const uint8_t *bytes, uint32_t written, uint32_t reserve)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t len;

		if (written < at + 8)
			return at;
		memcpy(&len, bytes + at + 4, sizeof(len));
		if (len < 12 || (uint64_t)at + len + reserve > written)
			return at;
		at += len;
	}
}

uint32_t live_write(struct live *l, const uint8_t *bytes, uint32_t n, uint32_t reserve)
{
	uint64_t begin = atomic_load_explicit(&l->file_bytes, memory_order_relaxed);
	uint32_t done = 0;

	while (done < n) {
		ssize_t w = write(l->fd_out, bytes + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			atomic_store(&l->write_code, w ? -errno : -EIO);
			done = whole_bytes(bytes, done, reserve);
			if (l->regular &&
			        (ftruncate(l->fd_out, (off_t)(begin + done)) ||
			                lseek(l->fd_out, (off_t)(begin + done), SEEK_SET) < 0))
				l->regular = false; /* nothing more can be written */
			break;
		}
		done += (uint32_t)w;
	}
	atomic_store_explicit(&l->file_bytes, begin + done, memory_order_relaxed);
	return done;
}

static uint32_t count_records(const uint8_t *bytes, uint32_t n, uint64_t *wire_bytes)
{
	uint32_t records = 0;

	for (uint32_t at = 0, len; at < n; at += len, records++) {
		uint32_t wire;

		memcpy(&len, bytes + at + 4, sizeof(len));
		memcpy(&wire, bytes + at + 24, sizeof(wire));
		*wire_bytes += wire;
	}
	return records;
}

static void empty(struct live *l, struct live_queue *q)
{
	struct live_buffer *b = &q->buffer[q->emptied++ % l->n_buffers];
	uint32_t packets = 0, done = 0;
	uint64_t wire_bytes = 0;

	if (!atomic_load_explicit(&l->write_code, memory_order_relaxed))
		done = live_write(l, b->bytes, b->used, l->statistics_bytes);
	if (done == b->used) {
		packets = b->packets;
		wire_bytes = b->wire_bytes;
	} else {
		packets = count_records(b->bytes, done, &wire_bytes);
	}
	(void)atomic_fetch_add_explicit(&q->packets, packets, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(&q->bytes, wire_bytes, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(
	        &q->lost_write, b->packets - packets, memory_order_relaxed);
	(void)sem_post(&q->free); /* cannot pass n_buffers */
}

void *live_writer_run(void *live)
{
	struct live *l = live;

	for (;;) {
		bool last = atomic_load(&l->last), any = false;

		for (uint32_t i = 0; i < l->n_queues; i++) {
			struct live_queue *q = &l->queue[i];

			while (atomic_load_explicit(&q->full, memory_order_acquire)) {
				(void)atomic_fetch_sub_explicit(
				        &q->full, 1, memory_order_relaxed);
				empty(l, q);
				any = true;
			}
		}
		if (any)
			continue;
		if (last)
			return NULL;
		while (sem_wait(&l->work) && errno == EINTR)
			;
	}
}
