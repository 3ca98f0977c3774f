/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/live.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "capture/live_int.h"

#define NS_PER_MS       INT64_C(1000000)
#define NS_PER_S        INT64_C(1000000000)
#define WATCH_NS        (20 * NS_PER_MS)
#define DEFAULT_BUFFERS 8
#define DEFAULT_BYTES   (1u << 20)
#define MIN_BYTES       (1u << 19) /* the largest packet, and more */
#define BATCH_PACKETS   256

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "capture: out of memory; fewer or smaller buffers?");
}

/* Every page is touched now, and none when packets come. */
static int open_queue(struct live *l, struct live_queue *q, uint32_t index, struct err *e)
{
	q->live = l;
	q->index = index;
	if (sem_init(&q->free, 0, l->n_buffers))
		return err_set(e, -errno, "capture: %s", strerror(errno));
	q->batch = calloc(BATCH_PACKETS, sizeof(*q->batch));
	q->buffer = calloc(l->n_buffers, sizeof(*q->buffer));
	if (!q->batch || !q->buffer)
		return no_memory(e);
	for (uint32_t i = 0; i < l->n_buffers; i++) {
		q->buffer[i].bytes = malloc(l->buffer_bytes);
		if (!q->buffer[i].bytes)
			return no_memory(e);
		memset(q->buffer[i].bytes, 0, l->buffer_bytes);
	}
	return 0;
}

static void close_queue(struct live *l, struct live_queue *q)
{
	for (uint32_t i = 0; q->buffer && i < l->n_buffers; i++)
		free(q->buffer[i].bytes);
	free(q->buffer);
	free(q->batch);
	if (q->live)
		(void)sem_destroy(&q->free); /* nobody waits */
}

static int open_all(struct live *l, struct live_result *out, struct err *e)
{
	struct stat st;
	int r;

	l->regular = !fstat(l->fd_out, &st) && S_ISREG(st.st_mode);
	l->queue = aligned_alloc(64, l->n_queues * sizeof(*l->queue));
	if (!l->queue)
		return no_memory(e);
	memset(l->queue, 0, l->n_queues * sizeof(*l->queue));
	if (sem_init(&l->work, 0, 0))
		return err_set(e, -errno, "capture: %s", strerror(errno));
	for (uint32_t i = 0; i < l->n_queues; i++) {
		r = open_queue(l, &l->queue[i], i, e);
		if (r)
			return r;
	}
	r = l->c->ops->open(&l->source, &l->c->source, e);
	if (!r)
		r = live_head_write(l, &out->interface, e);
	if (!r)
		l->statistics_bytes = live_statistics_bytes(l);
	return r;
}

static void close_all(struct live *l)
{
	if (l->source)
		l->c->ops->close(l->source);
	for (uint32_t i = 0; l->queue && i < l->n_queues; i++)
		close_queue(l, &l->queue[i]);
	free(l->queue);
	(void)sem_destroy(&l->work); /* nobody waits */
}

static void gather(struct live *l, struct live_queue_counts *out)
{
	for (uint32_t i = 0; i < l->n_queues; i++) {
		struct live_queue *q = &l->queue[i];
		struct source_stats s = {.dropped_by_interface = CAPTURE_NO_COUNT};

		l->c->ops->stats(l->source, i, &s);
		out[i] = (struct live_queue_counts){
		        .packets = atomic_load_explicit(&q->packets, memory_order_relaxed),
		        .bytes = atomic_load_explicit(&q->bytes, memory_order_relaxed),
		        .received = s.received - s.skipped,
		        .lost_source = s.dropped,
		        .lost_interface = s.dropped_by_interface,
		        .lost_buffers =
		                atomic_load_explicit(&q->lost_buffers, memory_order_relaxed),
		        .lost_write =
		                atomic_load_explicit(&q->lost_write, memory_order_relaxed),
		        .beyond = atomic_load_explicit(&q->beyond, memory_order_relaxed),
		        .stamps_back =
		                atomic_load_explicit(&q->stamps_back, memory_order_relaxed),
		};
	}
}

static bool ended(struct live *l, int64_t elapsed_ns, enum live_end *why)
{
	if (atomic_load(&l->write_code))
		*why = LIVE_WRITE_FAILED;
	else if (atomic_load(&l->source_gone))
		*why = LIVE_SOURCE_GONE;
	else if (atomic_load(&l->count_reached))
		*why = LIVE_COUNT;
	else if (l->c->duration_ns && elapsed_ns >= l->c->duration_ns)
		*why = LIVE_DURATION;
	else if (l->c->stop && atomic_load(l->c->stop))
		*why = LIVE_STOPPED;
	else
		return false;
	return true;
}

static int64_t monotonic_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Until it ends. */
static void watch(struct live *l, struct live_result *out)
{
	int64_t begin = monotonic_ns(), shown = 0, elapsed = 0;

	while (!ended(l, elapsed, &out->end)) {
		int64_t nap = WATCH_NS;
		struct timespec t;

		if (l->c->duration_ns && l->c->duration_ns - elapsed < nap)
			nap = l->c->duration_ns - elapsed;
		t = (struct timespec){.tv_nsec = nap};
		(void)nanosleep(&t, NULL); /* a signal: the sooner it is looked at */
		elapsed = monotonic_ns() - begin;
		if (l->c->show && elapsed - shown >= NS_PER_S) {
			struct live_progress p = {elapsed, l->n_queues, out->queue,
			        atomic_load_explicit(&l->file_bytes, memory_order_relaxed)};

			gather(l, out->queue);
			l->c->show(l->c->arg, &p);
			shown = elapsed - elapsed % NS_PER_S;
		}
	}
	out->elapsed_ns = elapsed;
}

static int start(struct live *l, struct err *e)
{
	int r = pthread_create(&l->writer, NULL, live_writer_run, l);

	l->writer_running = !r;
	for (uint32_t i = 0; !r && i < l->n_queues; i++) {
		r = pthread_create(&l->queue[i].thread, NULL, live_queue_run, &l->queue[i]);
		l->queue[i].running = !r;
	}
	return r ? err_set(e, -r, "capture: cannot start a thread: %s", strerror(r)) : 0;
}

/* The queues empty the source, then the writer the queues. */
static void finish(struct live *l)
{
	l->c->ops->halt(l->source);
	atomic_store(&l->stopping, true);
	for (uint32_t i = 0; i < l->n_queues; i++) {
		if (l->queue[i].running)
			(void)pthread_join(l->queue[i].thread, NULL); /* it is one */
	}
	atomic_store(&l->last, true);
	(void)sem_post(&l->work); /* far from its maximum */
	if (l->writer_running)
		(void)pthread_join(l->writer, NULL); /* it is one */
}

static void conclude(struct live *l, struct live_result *out)
{
	int code = atomic_load(&l->write_code);

	gather(l, out->queue);
	live_statistics_write(l, out->queue);
	for (uint32_t i = 0; i < l->n_queues; i++) {
		const struct live_queue *q = &l->queue[i];

		if (q->first_ns && (!out->first_ns || q->first_ns < out->first_ns))
			out->first_ns = q->first_ns;
		if (q->latest_ns > out->last_ns)
			out->last_ns = q->latest_ns;
		if (q->gone.code && !out->why.code)
			out->why = q->gone;
	}
	out->file_bytes = atomic_load(&l->file_bytes);
	if (!code)
		code = atomic_load(&l->write_code);
	if (code) {
		out->end = LIVE_WRITE_FAILED;
		(void)err_set(&out->why, code, "%s%s", strerror(-code),
		        code == -ENOSPC || code == -EDQUOT
		                ? "; the file holds what was captured until then: free space, "
		                  "or capture less with --snap or --filter"
		                : "");
	}
}

/* A pipe whose reader has gone is an error like any other. */
static void hold_pipe_signal(sigset_t *before)
{
	sigset_t pipe;

	(void)sigemptyset(&pipe); /* none of these can fail */
	(void)sigaddset(&pipe, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &pipe, before);
}

static void release_pipe_signal(const sigset_t *before)
{
	const struct timespec now = {0};
	sigset_t pipe;

	(void)sigemptyset(&pipe);
	(void)sigaddset(&pipe, SIGPIPE);
	if (!sigismember(before, SIGPIPE))
		(void)sigtimedwait(&pipe, NULL, &now); /* one that was ours */
	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

int live_capture(const struct live_config *c, struct live_result *out, struct err *e)
{
	struct live l = {.c = c,
	        .fd_out = c->fd,
	        .n_queues = c->source.n_queues ? c->source.n_queues : 1,
	        .n_buffers = c->n_buffers ? c->n_buffers : DEFAULT_BUFFERS,
	        .buffer_bytes = c->buffer_bytes ? c->buffer_bytes : DEFAULT_BYTES};
	sigset_t before;
	int r;

	memset(out, 0, sizeof(*out));
	if (l.n_queues > LIVE_MAX_QUEUES)
		return err_set(e, -EINVAL, "%u queues: expected at most %d", l.n_queues,
		        LIVE_MAX_QUEUES);
	if (l.buffer_bytes < MIN_BYTES)
		l.buffer_bytes = MIN_BYTES;
	out->n_queues = l.n_queues;
	hold_pipe_signal(&before);
	r = open_all(&l, out, e);
	if (!r) {
		if (c->begun)
			c->begun(c->arg, &out->interface, l.n_queues);
		r = start(&l, e);
		if (!r)
			watch(&l, out);
		finish(&l);
	}
	if (!r)
		conclude(&l, out);
	close_all(&l);
	release_pipe_signal(&before);
	return r;
}
