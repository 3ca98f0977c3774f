/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A live capture: one thread per queue of the source lays packets as pcapng records into
 * buffers that were made before, one thread writes full buffers, the caller's thread watches
 * the clock. Nothing is allocated between the first packet and the last. Each queue is an
 * interface of the file (two where some packets have no hardware stamp), and each packet that
 * was lost is counted with its queue and the place where it was lost.
 */
#ifndef CAPTURE_LIVE_H
#define CAPTURE_LIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"

#define LIVE_MAX_QUEUES 64

struct live_queue_counts {
	uint64_t packets, bytes; /* in the file; bytes as on the wire */
	uint64_t received;       /* accepted by the filter and delivered by the source */
	uint64_t lost_source;    /* the source's ring was full */
	uint64_t lost_interface; /* the device said so; CAPTURE_NO_COUNT: it does not say */
	uint64_t lost_buffers;   /* no buffer was free: the writer was behind */
	uint64_t lost_write;     /* could not be written */
	uint64_t beyond;         /* came after the last that was wanted */
	uint64_t stamps_back;    /* stamped before their predecessor, and left so */
};

struct live_progress {
	int64_t elapsed_ns;
	uint32_t n_queues;
	const struct live_queue_counts *queue;
	uint64_t file_bytes;
};

struct live_config {
	const struct source_ops *ops;
	struct source_config source;
	int fd;                           /* a regular file at its beginning, or a pipe */
	const char *application;          /* "squall 0.1.0" */
	const char *comment;              /* of the file; may be NULL */
	uint32_t n_buffers, buffer_bytes; /* per queue; 0: 8 of 1 MiB */
	int64_t duration_ns;              /* 0: until stopped */
	uint64_t max_packets;             /* 0: any number */
	const atomic_bool *stop;          /* may be NULL */
	/* Once a second, from the caller's thread; may be NULL. */
	void (*show)(void *arg, const struct live_progress *p);
	/* When packets begin to be taken in; may be NULL. */
	void (*begun)(void *arg, const struct capture_interface *i, uint32_t n_queues);
	void *arg;
};

enum live_end { LIVE_STOPPED, LIVE_DURATION, LIVE_COUNT, LIVE_SOURCE_GONE, LIVE_WRITE_FAILED };

struct live_result {
	enum live_end end;
	uint32_t n_queues;
	struct live_queue_counts queue[LIVE_MAX_QUEUES];
	struct capture_interface interface; /* the first */
	int64_t first_ns, last_ns;          /* stamps in the file; 0 without packets */
	int64_t elapsed_ns;
	uint64_t file_bytes;
	struct err why; /* of SOURCE_GONE and WRITE_FAILED */
};

/*
 * 0 with a whole file, also where it ended early (end says why); a negative errno where nothing
 * was begun. After a full disk the file holds what fitted, cut at a record, and its statistics.
 */
NODISCARD int live_capture(const struct live_config *c, struct live_result *out, struct err *e);

static inline uint64_t live_lost(const struct live_queue_counts *q)
{
	return q->lost_source + q->lost_buffers + q->lost_write +
	       (q->lost_interface == CAPTURE_NO_COUNT ? 0 : q->lost_interface);
}

#endif
