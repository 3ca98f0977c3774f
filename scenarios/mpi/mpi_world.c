/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks go directly from each rank to each other one, since every rank has something to tell
 * every other in each window: its vote. The first message of a block has a fixed room and the
 * block's length, so that small blocks, which most are, need one message and no word about
 * their size before it. An error of MPI, or a rank that is lost, ends all ranks: that is what
 * MPI does by itself.
 */
#include "scenarios/mpi/mpi_world.h"

#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With its length a first message stays below what Open MPI sends between processes of one
 * machine without asking the receiver (btl_vader_eager_limit, 4096). */
#define FIRST_BYTES 3968
#define PIECE_BYTES (1 << 30) /* MPI counts in int */

enum tag { TAG_FIRST, TAG_REST };

struct first {
	uint64_t len;
	char data[FIRST_BYTES];
};

struct mpi_world {
	struct world w;
	MPI_Comm comm;
	struct first *to, *from; /* [n_ranks] */
	char **in;               /* [n_ranks] blocks longer than a first message */
	size_t *cap;
	MPI_Request *request; /* [2 * n_ranks] */
};

static struct mpi_world *self_of(struct world *w)
{
	return (struct mpi_world *)w;
}

static size_t first_of(size_t len)
{
	return len < FIRST_BYTES ? len : FIRST_BYTES;
}

/* Nobody can be told why. */
static void need(const void *p)
{
	if (!p)
		abort();
}

static void exchange_first(struct mpi_world *m, const struct world_block *out)
{
	const int me = (int)m->w.rank, n_ranks = (int)m->w.n_ranks;
	int n = 0;

	for (int r = 0; r < n_ranks; r++)
		if (r != me)
			MPI_Irecv(&m->from[r], sizeof(m->from[r]), MPI_BYTE, r, TAG_FIRST,
			        m->comm, &m->request[n++]);
	for (int r = 0; r < n_ranks; r++) {
		size_t len = first_of(out[r].len);

		if (r == me)
			continue;
		m->to[r].len = out[r].len;
		if (len)
			memcpy(m->to[r].data, out[r].data, len);
		MPI_Isend(&m->to[r], (int)(offsetof(struct first, data) + len), MPI_BYTE, r,
		        TAG_FIRST, m->comm, &m->request[n++]);
	}
	MPI_Waitall(n, m->request, MPI_STATUSES_IGNORE);
}

/* The part of a block of `len` bytes that piece k of it covers, after the first message. */
static size_t piece(size_t len, size_t k, size_t *at)
{
	*at = FIRST_BYTES + k * PIECE_BYTES;
	if (*at >= len)
		return 0;
	return len - *at < PIECE_BYTES ? len - *at : PIECE_BYTES;
}

static void reserve(struct mpi_world *m, uint32_t r, size_t len)
{
	if (len > m->cap[r]) {
		free(m->in[r]);
		m->in[r] = malloc(len);
		need(m->in[r]);
		m->cap[r] = len;
	}
	memcpy(m->in[r], m->from[r].data, FIRST_BYTES);
}

static void exchange_rest(struct mpi_world *m, const struct world_block *out)
{
	for (size_t k = 0;; k++) {
		size_t at, len;
		int n = 0;

		for (uint32_t r = 0; r < m->w.n_ranks; r++) {
			len = r == m->w.rank ? 0 : piece(m->from[r].len, k, &at);
			if (!len)
				continue;
			if (k == 0)
				reserve(m, r, m->from[r].len);
			MPI_Irecv(m->in[r] + at, (int)len, MPI_BYTE, (int)r, TAG_REST, m->comm,
			        &m->request[n++]);
		}
		for (uint32_t r = 0; r < m->w.n_ranks; r++) {
			len = r == m->w.rank ? 0 : piece(out[r].len, k, &at);
			if (len)
				MPI_Isend((const char *)out[r].data + at, (int)len, MPI_BYTE,
				        (int)r, TAG_REST, m->comm, &m->request[n++]);
		}
		if (!n)
			return;
		MPI_Waitall(n, m->request, MPI_STATUSES_IGNORE);
	}
}

static void exchange(struct world *w, const struct world_block *out, struct world_block *in)
{
	struct mpi_world *m = self_of(w);

	exchange_first(m, out);
	exchange_rest(m, out);
	for (uint32_t r = 0; r < w->n_ranks; r++) {
		in[r] = (struct world_block){NULL, 0};
		if (r != w->rank)
			in[r] = (struct world_block){
			        m->from[r].len > FIRST_BYTES ? m->in[r] : m->from[r].data,
			        m->from[r].len};
	}
}

static void release(struct mpi_world *m)
{
	for (uint32_t r = 0; m->in && r < m->w.n_ranks; r++)
		free(m->in[r]);
	free(m->to);
	free(m->from);
	free(m->in);
	free(m->cap);
	free(m->request);
	free(m);
}

static void close_world(struct world *w)
{
	struct mpi_world *m = self_of(w);

	MPI_Comm_free(&m->comm);
	release(m);
	MPI_Finalize();
}

static const struct world_ops ops = {.exchange = exchange, .close = close_world};

static struct mpi_world *make(uint32_t rank, uint32_t n_ranks)
{
	struct mpi_world *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->w = (struct world){.ops = &ops, .rank = rank, .n_ranks = n_ranks};
	m->to = calloc(n_ranks, sizeof(*m->to));
	m->from = calloc(n_ranks, sizeof(*m->from));
	m->in = calloc(n_ranks, sizeof(*m->in));
	m->cap = calloc(n_ranks, sizeof(*m->cap));
	m->request = calloc(2 * (size_t)n_ranks, sizeof(*m->request));
	if (m->to && m->from && m->in && m->cap && m->request)
		return m;
	release(m);
	return NULL;
}

/* Of each process the thread that opens speaks. */
static int open_world(struct world **out, char *why, size_t len)
{
	struct mpi_world *m;
	int level, rank, n_ranks;

	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) {
		(void)snprintf(why, len, "MPI_Init_thread failed"); /* fits */
		return -EIO;
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (n_ranks > WORLD_MAX_RANKS) {
		(void)snprintf(why, len, "%d processes, at most %d", n_ranks, WORLD_MAX_RANKS);
		MPI_Finalize();
		return -EINVAL;
	}
	m = make((uint32_t)rank, (uint32_t)n_ranks);
	need(m);
	MPI_Comm_dup(MPI_COMM_WORLD, &m->comm);
	*out = &m->w;
	return 0;
}

__attribute__((visibility("default"))) const struct mpi_world_module MPI_WORLD_SYMBOL = {
        .version = SQUALL_VERSION,
        .open = open_world,
};
