/* SPDX-License-Identifier: Apache-2.0 */
/* The thread of a queue: packets become records of a buffer; a buffer goes on when it is full
 * or old. */
#include <errno.h>
#include <time.h>

#include "capture/live_int.h"
#include "capture/pcapng_record.h"

#define NS_PER_MS      INT64_C(1000000)
#define POLL_MS        100
#define OLD_NS         (200 * NS_PER_MS) /* so that the file shows what happens */
#define BATCH          256
#define GIVE_UP_NS     (2000 * NS_PER_MS) /* at the end, on a source that does not run dry */
#define BACK_MAX_NS    NS_PER_MS /* two CPUs stamp out of order by less; a clock steps by more */
#define BACK_MAX_STEPS 64

int64_t live_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t); /* cannot fail */
	return t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

static void hand_over(struct live_queue *q)
{
	if (!q->now)
		return;
	q->now = NULL;
	q->filled++;
	(void)atomic_fetch_add_explicit(&q->full, 1, memory_order_release);
	(void)sem_post(&q->live->work); /* fails beyond INT_MAX buffers alone */
}

/* A free buffer. Where packets can wait in the source, and are counted there, so do we. */
static bool take_buffer(struct live_queue *q)
{
	struct live *l = q->live;
	int64_t from = 0;

	while (sem_trywait(&q->free)) {
		struct timespec until;

		if (!l->c->ops->counts_losses)
			return false;
		if (!from)
			from = live_now_ns();
		if (atomic_load(&l->stopping) && live_now_ns() - from > GIVE_UP_NS)
			return false;
		(void)clock_gettime(CLOCK_REALTIME, &until); /* cannot fail */
		until.tv_nsec += 20 * NS_PER_MS;
		until.tv_sec += until.tv_nsec / (1000 * NS_PER_MS);
		until.tv_nsec %= 1000 * NS_PER_MS;
		if (!sem_timedwait(&q->free, &until))
			break;
	}
	q->now = &q->buffer[q->filled % l->n_buffers];
	q->now->used = q->now->packets = 0;
	q->now->wire_bytes = 0;
	q->since_ns = live_now_ns();
	return true;
}

static int64_t stamp_of(const uint8_t *record)
{
	uint32_t t[2];

	memcpy(t, record + 12, sizeof(t));
	return (int64_t)((uint64_t)t[0] << 32 | t[1]);
}

/* Room before the records of the same interface that were stamped later: two CPUs can put
 * packets into a ring in another order than they stamped them. */
static NOINLINE uint8_t *room_in_order(
        struct live_queue *q, const struct packet *p, uint32_t bytes)
{
	uint8_t *base = q->now->bytes, *at = base + q->now->used, *end = at;

	for (int i = 0; i < BACK_MAX_STEPS && at > base; i++) {
		uint32_t before, interface;
		uint8_t *record;

		memcpy(&before, at - 4, sizeof(before));
		record = at - before;
		memcpy(&interface, record + 8, sizeof(interface));
		if (interface == p->interface && stamp_of(record) <= p->t_ns)
			break;
		at = record;
	}
	memmove(at + bytes, at, (size_t)(end - at));
	return at;
}

static inline uint8_t *room(
        struct live_queue *q, const struct packet *p, uint32_t clock, uint32_t bytes)
{
	int64_t before = q->before_ns[clock];

	if (LIKELY(p->t_ns >= before)) {
		q->before_ns[clock] = p->t_ns;
		return q->now->bytes + q->now->used;
	}
	if (before - p->t_ns <= BACK_MAX_NS)
		return room_in_order(q, p, bytes);
	q->before_ns[clock] = p->t_ns;
	(void)atomic_fetch_add_explicit(&q->stamps_back, 1, memory_order_relaxed);
	return q->now->bytes + q->now->used;
}

static inline void put(struct live_queue *q, struct packet *p)
{
	struct live *l = q->live;
	uint32_t bytes = pcapng_record_bytes(p), clock = p->interface;

	if (q->now && q->now->used + bytes > l->buffer_bytes)
		hand_over(q);
	if (UNLIKELY(!q->now) && !take_buffer(q)) {
		(void)atomic_fetch_add_explicit(&q->lost_buffers, 1, memory_order_relaxed);
		return;
	}
	p->interface += q->index * l->n_interfaces;
	(void)pcapng_record_put(room(q, p, clock, bytes), p);
	q->now->used += bytes;
	q->now->packets++;
	q->now->wire_bytes += p->wire_bytes;
	if (UNLIKELY(!q->first_ns) || p->t_ns < q->first_ns)
		q->first_ns = p->t_ns;
	if (p->t_ns > q->latest_ns)
		q->latest_ns = p->t_ns;
}

/* How many of n are wanted. */
static uint32_t wanted(struct live_queue *q, uint32_t n)
{
	struct live *l = q->live;
	uint64_t before, max = l->c->max_packets;

	if (LIKELY(!max))
		return n;
	before = atomic_fetch_add(&l->taken, n);
	if (before + n >= max)
		atomic_store(&l->count_reached, true);
	return before >= max ? 0 : max - before < n ? (uint32_t)(max - before) : n;
}

static void take(struct live_queue *q, uint32_t n)
{
	uint32_t want = wanted(q, n);

	for (uint32_t i = 0; i < want; i++)
		put(q, &q->batch[i]);
	if (UNLIKELY(want < n))
		(void)atomic_fetch_add_explicit(&q->beyond, n - want, memory_order_relaxed);
}

void *live_queue_run(void *queue)
{
	struct live_queue *q = queue;
	struct live *l = q->live;
	const struct source_ops *ops = l->c->ops;
	int64_t stopped_ns = 0;

	for (;;) {
		bool stopping = atomic_load_explicit(&l->stopping, memory_order_relaxed);
		int n = ops->poll(l->source, q->index, q->batch, BATCH, POLL_MS, &q->gone);

		if (UNLIKELY(n < 0)) {
			atomic_store(&l->source_gone, true);
			break;
		}
		if (n) {
			take(q, (uint32_t)n);
			ops->release(l->source, q->index);
		}
		if (q->now && live_now_ns() - q->since_ns > OLD_NS)
			hand_over(q);
		if (LIKELY(!stopping))
			continue;
		if (!stopped_ns)
			stopped_ns = live_now_ns();
		/* What the source still held has come when it has nothing for POLL_MS. */
		if (!n || live_now_ns() - stopped_ns > GIVE_UP_NS)
			break;
	}
	hand_over(q);
	return NULL;
}
