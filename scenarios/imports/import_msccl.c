/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MSCCL algorithms: each GPU has thread blocks, a thread block has a peer to send to and one to
 * receive from and a row of steps; a step may wait for a step of another thread block. The
 * steps are those of the MSCCL interpreter: s sends, r receives, cpy copies, re reduces, rcs,
 * rrs and rrcs receive (and reduce) and send on, rrc and rcs leave a copy as well, nop only
 * waits.
 */
#include "scenarios/imports/import_msccl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/sched_program.h"
#include "scenarios/imports/xml_read.h"

#define MAX_GPUS             LOAD_MAX_HOSTS
#define MAX_CHUNKS           (INT64_C(1) << 32)
#define NONE                 UINT32_MAX
#define DEFAULT_BUFFER_BYTES INT64_C(67108864)

struct step {
	const char *type;
	bool recv, send;
};

static const struct step steps[] = {
        {"s", false, true},
        {"r", true, false},
        {"rcs", true, true},
        {"rrs", true, true},
        {"rrcs", true, true},
        {"rrc", true, false},
        {"cpy", false, false},
        {"re", false, false},
        {"nop", false, false},
};

/* A step's operations. */
struct placed {
	uint32_t recv, send; /* NONE: it has none */
	uint32_t last;       /* the one that its end is; a calc where there is neither */
};

struct block {
	uint32_t first, n; /* in placed[] */
	int64_t id;
};

struct wait { /* a step that waits for another thread block's */
	uint32_t op;
	int64_t block, step;
	uint32_t line;
};

struct msccl {
	struct msccl_algorithm *out;
	struct import_draft *d;
	const char *path;
	int64_t buffer_bytes, chunks;
	int64_t gpu, n_gpus;
	int64_t send, recv, channel; /* of the thread block */
	struct placed *placed;
	uint32_t n_placed, room_placed;
	struct block *block; /* of the GPU */
	uint32_t n_blocks, room_blocks;
	struct wait *wait; /* of the GPU */
	uint32_t n_waits, room_waits;
	uint64_t n_unknown;
};

static void *grow(void *array, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room ? 2 * *room : 64;
	void *at;

	if (n < *room)
		return array;
	at = realloc(array, more * size);
	if (at)
		*room = more;
	return at;
}

static int no_memory(const struct msccl *m, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory for the algorithm", m->path);
}

static int start_algo(struct msccl *m, struct xml_file *x, const char **attr, struct err *e)
{
	static const int64_t none = 0;
	const char *name = xml_attr(attr, "name"), *coll = xml_attr(attr, "coll");
	int rc = xml_count(x, attr, "ngpus", 2, MAX_GPUS, NULL, &m->n_gpus, e);

	if (!rc)
		rc = xml_count(x, attr, "nchunksperloop", 1, MAX_CHUNKS, NULL, &m->chunks, e);
	if (!rc)
		rc = xml_count(x, attr, "minBytes", 0, INT64_MAX, &none, &m->out->min_bytes, e);
	if (!rc)
		rc = xml_count(x, attr, "maxBytes", 0, INT64_MAX, &none, &m->out->max_bytes, e);
	if (!rc)
		rc = sched_init(&m->d->sched, m->path, (uint32_t)m->n_gpus, e);
	(void)snprintf(m->out->name, sizeof(m->out->name), "%.60s", name ? name : "?");
	(void)snprintf(m->out->coll, sizeof(m->out->coll), "%.30s", coll ? coll : "?");
	(void)snprintf(m->out->proto, sizeof(m->out->proto), "%.20s",
	        xml_attr(attr, "proto") ? xml_attr(attr, "proto") : "?");
	m->out->n_gpus = (uint32_t)m->n_gpus;
	m->out->chunks = m->chunks;
	return rc;
}

static int start_gpu(struct msccl *m, struct xml_file *x, const char **attr, struct err *e)
{
	int rc = xml_count(x, attr, "id", 0, m->n_gpus - 1, NULL, &m->gpu, e);

	if (!rc && sched_rank(&m->d->sched, (uint32_t)m->gpu, e)) {
		struct err why = *e;

		rc = xml_err(x, e, "%s", why.msg);
	}
	m->n_placed = m->n_blocks = m->n_waits = 0;
	return rc;
}

static int start_block(struct msccl *m, struct xml_file *x, const char **attr, struct err *e)
{
	static const int64_t none = 0;
	void *at = grow(m->block, m->n_blocks, &m->room_blocks, sizeof(*m->block));
	int64_t id = 0;
	int rc;

	if (!at)
		return no_memory(m, e);
	m->block = at;
	rc = xml_count(x, attr, "id", 0, INT32_MAX, NULL, &id, e);
	if (!rc)
		rc = xml_count(x, attr, "send", -1, m->n_gpus - 1, NULL, &m->send, e);
	if (!rc)
		rc = xml_count(x, attr, "recv", -1, m->n_gpus - 1, NULL, &m->recv, e);
	if (!rc)
		rc = xml_count(x, attr, "chan", 0, UINT16_MAX, &none, &m->channel, e);
	for (uint32_t i = 0; i < m->n_blocks && !rc; i++)
		if (m->block[i].id == id)
			rc = xml_err(x, e, "thread block %" PRId64 " is there twice", id);
	if (rc)
		return rc;
	m->block[m->n_blocks++] = (struct block){m->n_placed, 0, id};
	return 0;
}

static int add(
        struct msccl *m, struct xml_file *x, struct sched_op o, uint32_t *index, struct err *e)
{
	struct err why = {0};
	int rc;

	o.line = xml_line(x);
	rc = sched_add(&m->d->sched, &o, index, &why);
	return rc == -EINVAL ? xml_err(x, e, "%s", why.msg)
	       : rc          ? err_set(e, rc, "%s", why.msg)
	                     : 0;
}

/* Steps of a thread block follow each other; one that only sends is done once it has handed its
 * chunk over, so what follows waits for its start alone. */
static int follow(struct msccl *m, uint32_t op, uint32_t before, struct err *e)
{
	if (before == NONE)
		return 0;
	return sched_wait(
	        &m->d->sched, op, before, m->d->sched.op[before].kind == SCHED_SEND, e);
}

static int add_ops(struct msccl *m, struct xml_file *x, const struct step *st, int64_t count,
        struct placed *p, struct err *e)
{
	/* the cut between chunks of a buffer that they do not divide */
	const int64_t bytes = (int64_t)((__int128)m->buffer_bytes * count / m->chunks);
	int rc = 0;

	*p = (struct placed){NONE, NONE, NONE};
	if (st->recv && m->recv < 0)
		return xml_err(x, e, "a step that receives in a thread block with recv=\"-1\"");
	if (st->send && m->send < 0)
		return xml_err(x, e, "a step that sends in a thread block with send=\"-1\"");
	if (st->recv)
		rc = add(m, x,
		        (struct sched_op){.kind = SCHED_RECV,
		                .value = bytes,
		                .peer = (uint32_t)m->recv,
		                .tag = (uint32_t)m->channel},
		        &p->recv, e);
	if (!rc && st->send)
		rc = add(m, x,
		        (struct sched_op){.kind = SCHED_SEND,
		                .value = bytes,
		                .peer = (uint32_t)m->send,
		                .tag = (uint32_t)m->channel},
		        &p->send, e);
	if (!rc && !st->recv && !st->send)
		rc = add(m, x, (struct sched_op){.kind = SCHED_CALC}, &p->last, e);
	if (!rc && st->recv && st->send)
		rc = sched_wait(&m->d->sched, p->send, p->recv, false, e);
	if (st->send)
		p->last = p->send;
	else if (st->recv)
		p->last = p->recv;
	if (st->send) {
		m->out->sends++;
		m->out->chunks_sent += (uint64_t)count;
	}
	return rc;
}

static int take_wait(
        struct msccl *m, struct xml_file *x, const char **attr, uint32_t op, struct err *e)
{
	static const int64_t none = -1;
	int64_t block, step;
	void *at;
	int rc = xml_count(x, attr, "depid", -1, INT32_MAX, &none, &block, e);

	if (!rc)
		rc = xml_count(x, attr, "deps", -1, INT32_MAX, &none, &step, e);
	if (rc || block < 0 || step < 0)
		return rc;
	at = grow(m->wait, m->n_waits, &m->room_waits, sizeof(*m->wait));
	if (!at)
		return no_memory(m, e);
	m->wait = at;
	m->wait[m->n_waits++] = (struct wait){op, block, step, xml_line(x)};
	return 0;
}

static int start_step(struct msccl *m, struct xml_file *x, const char **attr, struct err *e)
{
	const char *type = xml_attr(attr, "type");
	struct block *b = &m->block[m->n_blocks - 1];
	const struct step *st = NULL;
	struct placed p;
	int64_t s, count = 1, one = 1;
	uint32_t first;
	void *at;
	int rc = xml_count(x, attr, "s", 0, INT32_MAX, NULL, &s, e);

	for (size_t i = 0; type && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!strcmp(steps[i].type, type))
			st = &steps[i];
	if (rc)
		return rc;
	if (!st)
		return xml_err(x, e,
		        "a step of type \"%.20s\", expected s, r, rcs, rrs, rrcs, rrc, cpy, re "
		        "or nop",
		        type ? type : "");
	if (s != b->n)
		return xml_err(x, e, "step %" PRId64 " where step %u was expected", s, b->n);
	rc = xml_count(x, attr, "cnt", 0, m->chunks, &one, &count, e);
	at = grow(m->placed, m->n_placed, &m->room_placed, sizeof(*m->placed));
	if (!rc && !at)
		return no_memory(m, e);
	if (at)
		m->placed = at;
	if (!rc)
		rc = add_ops(m, x, st, count, &p, e);
	if (rc)
		return rc;
	first = p.recv != NONE ? p.recv : p.last;
	if (b->n)
		rc = follow(m, first, m->placed[m->n_placed - 1].last, e);
	m->placed[m->n_placed++] = p;
	b->n++;
	return rc ? rc : take_wait(m, x, attr, first, e);
}

/* All thread blocks of a GPU are known: now their waits for each other. */
static int end_gpu(struct msccl *m, struct xml_file *x, struct err *e)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->n_waits && !rc; i++) {
		const struct wait *w = &m->wait[i];
		const struct block *b = NULL;

		for (uint32_t k = 0; k < m->n_blocks; k++)
			if (m->block[k].id == w->block)
				b = &m->block[k];
		if (!b || w->step >= b->n)
			return xml_err(x, e,
			        "line %u waits for step %" PRId64 " of thread block %" PRId64
			        ", which is not there",
			        w->line, w->step, w->block);
		rc = follow(m, w->op, m->placed[b->first + w->step].last, e);
	}
	return rc;
}

static int on_start(
        void *arg, struct xml_file *x, const char *name, const char **attr, struct err *e)
{
	static const char *const level[] = {"algo", "gpu", "tb", "step"};
	struct msccl *m = arg;
	uint32_t depth = xml_depth(x);

	if (depth >= 4 || strcmp(name, level[depth]) != 0) {
		if (depth == 0)
			return xml_err(x, e, "<%.40s> where <algo> was expected", name);
		if (depth < 4)
			return xml_err(
			        x, e, "<%.40s> where <%s> was expected", name, level[depth]);
		return 0;
	}
	switch (depth) {
	case 0:
		return start_algo(m, x, attr, e);
	case 1:
		return start_gpu(m, x, attr, e);
	case 2:
		return start_block(m, x, attr, e);
	default:
		return start_step(m, x, attr, e);
	}
}

static int on_end(void *arg, struct xml_file *x, const char *name, struct err *e)
{
	(void)name;
	return xml_depth(x) == 1 ? end_gpu(arg, x, e) : 0;
}

static int finish(struct msccl *m, int rc, struct err *e)
{
	free(m->placed);
	free(m->block);
	free(m->wait);
	return rc ? rc : sched_finish(&m->d->sched, e);
}

int msccl_read_text(struct import_draft *d, struct msccl_algorithm *out, const char *name,
        const char *text, size_t len, int64_t buffer_bytes, struct err *e)
{
	struct msccl m = {.out = out, .d = d, .path = name, .buffer_bytes = buffer_bytes};

	*out = (struct msccl_algorithm){0};
	return finish(&m, xml_read_text(name, text, len, on_start, on_end, &m, e), e);
}

static int describe(struct import_draft *d, const struct msccl_algorithm *a,
        const struct import_job *job, int64_t buffer, struct err *e)
{
	struct sched_program p;
	int rc = sched_compile(&p, &d->sched, e);

	if (rc)
		return rc;
	sched_program_fini(&p);
	import_say(d, IMPORT_FOUND,
	        "%s \"%s\" (%s) on %u GPUs: %" PRIu64 " messages of %" PRIu64
	        " chunks in all, a chunk is 1/%" PRId64 " of the buffer",
	        a->coll, a->name, a->proto, a->n_gpus, a->sends, a->chunks_sent, a->chunks);
	if (a->max_bytes)
		import_say(d, IMPORT_FOUND,
		        "made for buffers of %" PRId64 " to %" PRId64 " bytes", a->min_bytes,
		        a->max_bytes);
	if (a->max_bytes && (buffer < a->min_bytes || buffer > a->max_bytes))
		import_say(d, IMPORT_ASSUMED,
		        "a buffer of %" PRId64
		        " bytes, for which the algorithm was not made: it would not run there",
		        buffer);
	import_say(d, IMPORT_UNKNOWN,
	        "which GPUs share a machine: traffic that would stay on NVLink goes over the "
	        "fabric here");
	import_say(d, IMPORT_UNKNOWN, "how long copies and reductions take; they take no time");
	if (!job->buffer_bytes)
		import_say(d, IMPORT_ASSUMED,
		        "a buffer of %" PRId64 " bytes (--buffer says another size)", buffer);
	import_say(d, IMPORT_ASSUMED, "GPU r is host r, with a NIC of its own, on one switch");
	import_say(d, IMPORT_ASSUMED,
	        "one pass over the buffer: MSCCL cuts a large one into several loops");
	return 0;
}

static bool is_it(const char *head, size_t len)
{
	(void)len;
	return strstr(head, "<algo ") != NULL;
}

/* Within what the algorithm says it is for, if it says so. */
static int64_t buffer_of(const struct import_job *job)
{
	return job->buffer_bytes ? job->buffer_bytes : DEFAULT_BUFFER_BYTES;
}

/* The key's word for the algorithm's coll; NULL: another one. */
static const char *word_of(const char *coll)
{
	static const char *const words[][2] = {
	        {"allreduce", "all-reduce"},
	        {"allgather", "all-gather"},
	        {"reduce_scatter", "reduce-scatter"},
	        {"reducescatter", "reduce-scatter"},
	        {"broadcast", "broadcast"},
	        {"reduce", "reduce"},
	        {"alltoall", "all-to-all"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i][0], coll))
			return words[i][1];
	return NULL;
}

static int read_msccl(struct import_draft *d, const struct import_job *job, struct err *e)
{
	struct msccl_algorithm a = {0};
	struct msccl m = {
	        .out = &a, .d = d, .path = job->path[0], .buffer_bytes = buffer_of(job)};
	int rc;

	if (job->n_paths != 1)
		return err_set(e, -EINVAL, "%s: an MSCCL algorithm is one file", job->path[1]);
	rc = finish(&m, xml_read(job->path[0], on_start, on_end, &m, e), e);
	if (!rc && !a.n_gpus)
		rc = err_set(e, -EINVAL, "%s: no <algo> in it", job->path[0]);
	if (!rc)
		rc = describe(d, &a, job, m.buffer_bytes, e);
	d->n_hosts = a.n_gpus;
	d->collective = word_of(a.coll);
	d->collective_bytes = m.buffer_bytes;
	return rc;
}

const struct import_source import_msccl = {
        .name = "msccl",
        .doc = "an MSCCL algorithm",
        .is_it = is_it,
        .read = read_msccl,
};
