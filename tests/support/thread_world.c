/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/thread_world.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

struct hub {
	pthread_barrier_t barrier;
	const struct world_block *out[THREAD_WORLD_MAX];
};

struct end {
	struct world w;
	struct hub *hub;
	void *copy[THREAD_WORLD_MAX]; /* what came in last */
	pthread_t thread;
	void (*body)(void *arg, struct world *w);
	void *arg;
};

static void exchange(struct world *w, const struct world_block *out, struct world_block *in)
{
	struct end *e = (struct end *)w;

	e->hub->out[w->rank] = out;
	pthread_barrier_wait(&e->hub->barrier);
	for (uint32_t r = 0; r < w->n_ranks; r++) {
		const struct world_block *b = &e->hub->out[r][w->rank];

		in[r] = (struct world_block){NULL, 0};
		if (r == w->rank)
			continue;
		free(e->copy[r]);
		e->copy[r] = malloc(b->len + 1);
		CHECK(e->copy[r]);
		if (b->len)
			memcpy(e->copy[r], b->data, b->len);
		in[r] = (struct world_block){e->copy[r], b->len};
	}
	pthread_barrier_wait(&e->hub->barrier); /* all have read what is the sender's again */
}

static const struct world_ops ops = {.exchange = exchange};

static void *thread_main(void *arg)
{
	struct end *e = arg;

	e->body(e->arg, &e->w);
	return NULL;
}

void thread_world_run(uint32_t n_ranks, void (*body)(void *arg, struct world *w), void *arg)
{
	struct end end[THREAD_WORLD_MAX] = {0};
	struct hub hub = {0};

	CHECK(n_ranks <= THREAD_WORLD_MAX);
	CHECK(!pthread_barrier_init(&hub.barrier, NULL, n_ranks));
	for (uint32_t r = 0; r < n_ranks; r++) {
		end[r] = (struct end){.w = {.ops = &ops, .rank = r, .n_ranks = n_ranks},
		        .hub = &hub,
		        .body = body,
		        .arg = arg};
		CHECK(!pthread_create(&end[r].thread, NULL, thread_main, &end[r]));
	}
	for (uint32_t r = 0; r < n_ranks; r++) {
		CHECK(!pthread_join(end[r].thread, NULL));
		for (uint32_t k = 0; k < n_ranks; k++)
			free(end[r].copy[k]);
	}
	CHECK(!pthread_barrier_destroy(&hub.barrier));
}
