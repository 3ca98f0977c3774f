/* SPDX-License-Identifier: Apache-2.0 */
/* A live capture in its parts: the threads that fill buffers, and the one that writes them. */
#ifndef CAPTURE_LIVE_INT_H
#define CAPTURE_LIVE_INT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "capture/live.h"

struct live;

struct live_buffer {
	uint8_t *bytes;
	uint32_t used, packets;
	uint64_t wire_bytes;
};

/*
 * Buffers go round in order: the filling thread takes the next when `free` says that there is
 * one, the writer the next that `full` says. The semaphores order the memory between them.
 */
struct live_queue {
	struct live *live;
	uint32_t index;
	pthread_t thread;
	bool running;

	struct live_buffer *buffer; /* [n_buffers] */
	sem_t free;
	struct live_buffer *now; /* being filled; NULL: none */
	uint64_t filled;         /* buffers handed over */
	int64_t since_ns;        /* first packet in `now` */
	int64_t before_ns[2];    /* stamps of the packet before, by interface */
	int64_t first_ns, latest_ns;
	struct packet *batch;

	/* One writer each; read by the watching thread. */
	_Atomic uint64_t lost_buffers, beyond, stamps_back;
	struct err gone;

	/* The writer's. */
	_Alignas(64) uint64_t emptied;
	atomic_uint full;
	_Atomic uint64_t packets, bytes, lost_write;
};

struct live {
	const struct live_config *c;
	int fd_out;
	struct source *source;
	uint32_t n_queues, n_interfaces; /* interfaces per queue */
	uint32_t n_buffers, buffer_bytes;
	struct live_queue *queue;
	atomic_bool stopping;   /* the queues empty the source and end */
	_Atomic uint64_t taken; /* packets, where their number is limited */
	atomic_bool count_reached, source_gone;

	pthread_t writer;
	bool writer_running;
	sem_t work;
	atomic_bool last;            /* no queue fills any more */
	atomic_int write_code;       /* negative errno of the first write that failed */
	_Atomic uint64_t file_bytes; /* whole records only */
	bool regular;                /* can be cut and has an offset */
	uint32_t statistics_bytes;   /* what the end of the file needs */
};

int64_t live_now_ns(void); /* monotonic, coarse: a few ms */

void *live_queue_run(void *queue);
void *live_writer_run(void *live);

/* Writes all of it; on failure the file ends with the last whole record that leaves room for
 * `reserve` bytes more. Returns how many bytes stand. */
uint32_t live_write(struct live *l, const uint8_t *bytes, uint32_t n, uint32_t reserve);

/* Section and interfaces; statistics. */
NODISCARD int live_head_write(struct live *l, struct capture_interface *first, struct err *e);
void live_statistics_write(struct live *l, const struct live_queue_counts *counts);
uint32_t live_statistics_bytes(const struct live *l);

#endif
