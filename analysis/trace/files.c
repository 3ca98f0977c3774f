/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files through the analysis. The calling thread reads batches and applies observations
 * in order of time; further threads make observations out of packets (parse, ICRC), which is
 * where the time goes. A slot is a batch and its observations; slots of a file form a ring that
 * is filled, parsed and consumed in order. When nothing is parsed yet the calling thread parses
 * too, so that one thread alone works as well, and the result never depends on who did it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/align.h"
#include "analysis/trace/trace_int.h"
#include "capture/reader.h"

enum { BATCH_PACKETS = 2048, BATCH_PACKETS_MANY = 256, SLOTS_MAX = 40, FILES_MANY = 8 };

enum slot_state { SLOT_FREE, SLOT_FILLED, SLOT_PARSING, SLOT_PARSED };

struct slot {
	struct packet_batch batch;
	struct obs *obs;
	uint32_t *link, n_links, max_links; /* of the interfaces, as of this batch */
	const struct clock_fix *fix;        /* of the file; NULL: none */
	enum slot_state state;              /* under the lock */
};

struct input {
	struct reader *reader;
	const char *path;
	struct slot slot[SLOTS_MAX];
	uint32_t n_slots, fill, use; /* fill, use: free running */
	uint32_t at;                 /* in slot[use] */
	uint32_t *interface, n_interfaces, max_interfaces;
	bool ended;
};

struct pipeline {
	struct trace *t;
	struct input *input;
	uint32_t n_inputs, n_slots, batch_packets;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct slot **queue; /* a ring of those to parse */
	uint32_t queue_size, queue_from, queue_to;
	bool stop;
	pthread_t thread[16];
	uint32_t n_threads;
	struct clock_fix *fix; /* NULL of one file alone */
};

static void parse(struct pipeline *p, struct slot *s)
{
	const struct packet_batch *b = &s->batch;

	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t link = b->packet[i].interface < s->n_links
		                        ? s->link[b->packet[i].interface]
		                        : UINT32_MAX;

		obs_of(&s->obs[i], &b->packet[i], link, b->first_number + i, &p->t->obs_opt);
		/* Stamps beyond 2116 are clamped when they are applied. */
		if (s->fix && s->obs[i].t_ns >= 0 && s->obs[i].t_ns < INT64_MAX / 2)
			s->obs[i].t_ns = clock_fixed(s->fix, s->obs[i].t_ns);
	}
}

/* The next slot to parse, or NULL; under the lock. */
static struct slot *take(struct pipeline *p)
{
	struct slot *s;

	if (p->queue_from == p->queue_to)
		return NULL;
	s = p->queue[p->queue_from++ % p->queue_size];
	s->state = SLOT_PARSING;
	return s;
}

static void parse_one(struct pipeline *p, struct slot *s)
{
	(void)pthread_mutex_unlock(&p->lock);
	parse(p, s);
	(void)pthread_mutex_lock(&p->lock);
	s->state = SLOT_PARSED;
	(void)pthread_cond_signal(&p->done);
}

static void *work(void *arg)
{
	struct pipeline *p = arg;
	struct slot *s;

	(void)pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		s = take(p);
		if (s)
			parse_one(p, s);
		else
			(void)pthread_cond_wait(&p->work, &p->lock);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void wait_parsed(struct pipeline *p, struct slot *s)
{
	(void)pthread_mutex_lock(&p->lock);
	while (s->state != SLOT_PARSED) {
		struct slot *other = take(p);

		if (other)
			parse_one(p, other);
		else
			(void)pthread_cond_wait(&p->done, &p->lock);
	}
	(void)pthread_mutex_unlock(&p->lock);
}

static void place(struct pipeline *p, uint32_t index, uint32_t file)
{
	struct trace_interface *f = &p->t->iface[index]->pub;

	f->file = file;
	if (!p->fix || !p->fix[file].estimated)
		return;
	f->offset_ns = p->fix[file].offset_ns;
	f->drift_ppb = clock_fix_ppb(&p->fix[file]);
	f->residual_ns = p->fix[file].residual_ns;
	f->reference_ns = p->fix[file].reference_ns;
}

/* Interfaces of the file that are new become interfaces of the analysis. */
static int interfaces(struct pipeline *p, struct input *in, struct slot *s, struct err *e)
{
	uint32_t n = reader_n_interfaces(in->reader), *more, max = n < 4 ? 4 : 2 * n;
	int r;

	if (n > in->max_interfaces) {
		more = realloc(in->interface, max * sizeof(*more));
		if (!more)
			return err_set(e, -ENOMEM, "out of memory");
		in->interface = more;
		in->max_interfaces = max;
	}
	for (; in->n_interfaces < n; in->n_interfaces++) {
		uint32_t *index = &in->interface[in->n_interfaces];

		r = trace_interface_add(
		        p->t, reader_interface(in->reader, in->n_interfaces), index, e);
		if (r)
			return r;
		place(p, *index, (uint32_t)(in - p->input));
	}
	if (n > s->max_links) {
		more = realloc(s->link, max * sizeof(*more));
		if (!more)
			return err_set(e, -ENOMEM, "out of memory");
		s->link = more;
		s->max_links = max;
	}
	for (; s->n_links < n; s->n_links++)
		s->link[s->n_links] = reader_interface(in->reader, s->n_links)->link;
	return 0;
}

/* What can be read of a file that is broken in the middle counts. */
static void broken(struct trace_file *f, const struct err *e)
{
	(void)snprintf(f->error, sizeof(f->error), "%s", e->msg);
}

static int fill(struct pipeline *p, struct input *in, struct err *e)
{
	struct slot *s = &in->slot[in->fill % in->n_slots];
	struct trace_file *f = &p->t->r.file[in - p->input];
	struct err why = {0};
	int n = reader_fill(in->reader, &s->batch, &why), r;

	if (n < 0) {
		if (n == -ENOMEM)
			return err_set(e, n, "%s", why.msg);
		broken(f, &why);
	}
	if (n <= 0) {
		in->ended = true;
		f->cut = reader_cut(in->reader);
	}
	if (!s->batch.n)
		return 0;
	f->frames += s->batch.n;
	r = interfaces(p, in, s, e);
	if (r)
		return r;
	in->fill++;
	(void)pthread_mutex_lock(&p->lock);
	s->state = SLOT_FILLED;
	p->queue[p->queue_to++ % p->queue_size] = s;
	(void)pthread_cond_signal(&p->work);
	(void)pthread_mutex_unlock(&p->lock);
	return 0;
}

/* As many batches ahead as there are slots; one at a time of each file. */
static int fill_all(struct pipeline *p, struct err *e)
{
	bool any;
	int r;

	do {
		any = false;
		for (uint32_t i = 0; i < p->n_inputs; i++) {
			struct input *in = &p->input[i];

			if (in->ended || in->fill - in->use == in->n_slots)
				continue;
			r = fill(p, in, e);
			if (r)
				return r;
			any = true;
		}
	} while (any && p->n_threads);
	return 0;
}

static struct slot *current(struct pipeline *p, struct input *in)
{
	struct slot *s;

	if (in->use == in->fill)
		return NULL;
	s = &in->slot[in->use % in->n_slots];
	if (!in->at)
		wait_parsed(p, s);
	return s;
}

static void apply(struct pipeline *p, struct input *in, struct obs *o)
{
	if (o->interface >= in->n_interfaces)
		return;
	o->interface = in->interface[o->interface];
	trace_apply(p->t, o);
}

/* Applies the slot's observations that are not later than `until_ns`. */
static void consume(struct pipeline *p, struct input *in, struct slot *s, int64_t until_ns)
{
	while (in->at < s->batch.n && s->obs[in->at].t_ns <= until_ns)
		apply(p, in, &s->obs[in->at++]);
	if (in->at < s->batch.n)
		return;
	in->at = 0;
	in->use++;
	s->state = SLOT_FREE;
}

static void report(struct pipeline *p)
{
	uint64_t at = 0, size = 0;
	bool known = true;

	if (!p->t->opt.progress)
		return;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		uint64_t a, b;

		reader_position(p->input[i].reader, &a, &b);
		at += a;
		size += b;
		known = known && b;
	}
	p->t->opt.progress(p->t->opt.progress_arg, at, known ? size : 0, p->t->r.frames);
}

/* The file whose next packet is the earliest, and up to when it stays so. */
static struct input *earliest(struct pipeline *p, struct slot **slot, int64_t *until_ns)
{
	struct input *best = NULL;
	int64_t best_ns = INT64_MAX;

	*until_ns = INT64_MAX;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct input *in = &p->input[i];
		struct slot *s = current(p, in);
		int64_t t_ns;

		if (!s)
			continue;
		t_ns = s->obs[in->at].t_ns;
		if (!best || t_ns < best_ns) {
			*until_ns = best ? best_ns : INT64_MAX;
			best = in;
			best_ns = t_ns;
			*slot = s;
		} else if (t_ns < *until_ns) {
			*until_ns = t_ns;
		}
	}
	/* Equal times: the file that was named first goes first, each packet by itself. */
	if (best && *until_ns < best_ns)
		*until_ns = best_ns;
	return best;
}

static int run(struct pipeline *p, struct err *e)
{
	struct slot *s = NULL;
	struct input *in;
	int64_t until_ns;
	int r;

	for (;;) {
		r = fill_all(p, e);
		if (r)
			return r;
		/* The readers end by themselves then; what they have read counts. */
		if (p->t->opt.stop && atomic_load(p->t->opt.stop))
			p->t->r.stopped = true;
		in = earliest(p, &s, &until_ns);
		if (!in)
			return 0;
		consume(p, in, s, until_ns);
		if (!in->at)
			report(p);
		if (p->t->failed)
			return err_set(e, p->t->failed, "the analysis ran out of memory");
	}
}

static int start(struct pipeline *p, struct err *e)
{
	uint32_t want = p->t->opt.threads - 1;

	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct input *in = &p->input[i];

		in->n_slots = p->n_slots;
		for (uint32_t k = 0; k < in->n_slots; k++) {
			int r = packet_batch_init(&in->slot[k].batch, p->batch_packets, e);

			if (r)
				return r;
			in->slot[k].fix = p->fix && (p->fix[i].offset_ns || p->fix[i].drift_ppt)
			                          ? &p->fix[i]
			                          : NULL;
			in->slot[k].obs = malloc(p->batch_packets * sizeof(struct obs));
			if (!in->slot[k].obs)
				return err_set(e, -ENOMEM, "out of memory");
		}
	}
	p->queue_size = p->n_inputs * p->n_slots;
	p->queue = calloc(p->queue_size, sizeof(struct slot *));
	if (!p->queue)
		return err_set(e, -ENOMEM, "out of memory");
	/* Fewer threads than wished for are no error: the result is the same. */
	while (p->n_threads < want && !pthread_create(&p->thread[p->n_threads], NULL, work, p))
		p->n_threads++;
	return 0;
}

static void counts(struct pipeline *p, const struct input *in, uint32_t k)
{
	struct capture_interface *c = &p->t->iface[in->interface[k]]->pub.capture;
	const struct clock_fix *fix = p->fix ? &p->fix[in - p->input] : NULL;

	*c = *reader_interface(in->reader, k);
	if (c->statistics_ns < 0 || c->statistics_ns > INT64_MAX / 2)
		c->statistics_ns = 0;
	else if (fix && c->statistics_ns && (fix->offset_ns || fix->drift_ppt))
		c->statistics_ns = clock_fixed(fix, c->statistics_ns);
}

static void finish(struct pipeline *p)
{
	(void)pthread_mutex_lock(&p->lock);
	p->stop = true;
	(void)pthread_cond_broadcast(&p->work);
	(void)pthread_mutex_unlock(&p->lock);
	for (uint32_t i = 0; i < p->n_threads; i++)
		(void)pthread_join(p->thread[i], NULL);
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct input *in = &p->input[i];

		for (uint32_t k = 0; k < in->n_slots; k++) {
			packet_batch_fini(&in->slot[k].batch);
			free(in->slot[k].obs);
			free(in->slot[k].link);
		}
		/* Counts of packets and losses stand at the end of a file. */
		for (uint32_t k = 0; k < in->n_interfaces; k++)
			counts(p, in, k);
		if (in->reader)
			(void)snprintf(p->t->r.file[i].format, sizeof(p->t->r.file[i].format),
			        "%s", reader_format(in->reader));
		free(in->interface);
		reader_close(in->reader);
	}
	free(p->queue);
	free(p->fix);
	free(p->input);
	(void)pthread_mutex_destroy(&p->lock);
	(void)pthread_cond_destroy(&p->work);
	(void)pthread_cond_destroy(&p->done);
}

static int open_all(struct pipeline *p, const char *const path[], struct err *e)
{
	struct reader_options o = {.follow = p->t->opt.follow, .stop = p->t->opt.stop};

	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct input *in = &p->input[i];
		int r = reader_open(&in->reader, path[i], &o, e);

		if (r)
			return r;
		in->path = path[i];
		p->t->r.file[i].path = path[i];
	}
	return 0;
}

int trace_files(struct trace *t, const char *const path[], uint32_t n_paths, struct err *e)
{
	struct pipeline p = {.t = t, .n_inputs = n_paths, .lock = PTHREAD_MUTEX_INITIALIZER};
	int r;

	(void)pthread_cond_init(&p.work, NULL);
	(void)pthread_cond_init(&p.done, NULL);
	p.batch_packets = n_paths > FILES_MANY ? BATCH_PACKETS_MANY : BATCH_PACKETS;
	p.n_slots = t->opt.threads > 1 ? 2 * t->opt.threads + 2 : 1;
	if (n_paths > FILES_MANY && p.n_slots > 4)
		p.n_slots = 4;
	if (t->opt.follow) /* reading ahead would wait while packets are there */
		p.n_slots = 1;
	p.input = calloc(n_paths ? n_paths : 1, sizeof(*p.input));
	t->r.file = calloc(n_paths ? n_paths : 1, sizeof(*t->r.file));
	t->r.n_files = n_paths;
	if (!p.input || !t->r.file) {
		p.n_inputs = 0;
		r = err_set(e, -ENOMEM, "out of memory");
	} else {
		r = open_all(&p, path, e);
	}
	if (!r && n_paths > 1) {
		p.fix = calloc(n_paths, sizeof(*p.fix));
		r = p.fix ? align_files(p.fix, path, n_paths, e)
		          : err_set(e, -ENOMEM, "out of memory");
	}
	if (!r)
		r = start(&p, e);
	if (!r)
		r = run(&p, e);
	if (!r && !t->r.frames)
		for (uint32_t i = 0; i < n_paths && !r; i++)
			if (t->r.file[i].error[0])
				r = err_set(e, -EINVAL, "%s", t->r.file[i].error);
	finish(&p);
	return r;
}
