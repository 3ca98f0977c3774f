/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that two files show, found by samples: of each file those packets whose key is a
 * multiple of a power of two, that grows until they fit into bounded memory. The same packet
 * has the same key in both files, so the samples meet.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/trace/align.h"
#include "analysis/trace/obs.h"
#include "analysis/trace/trace_result.h"
#include "capture/reader.h"

enum { SAMPLES_MAX = 1 << 16, BATCH_PACKETS = 1024, TURNS_MAX = 4 };
/* Longer than what is sent again takes to be. */
#define APART_NS INT64_C(1000000000)

struct sample {
	uint64_t key;
	int64_t t_ns;
	uint32_t group;
	bool dir;
};

struct samples {
	struct sample *s;
	uint32_t n;
	uint64_t mask;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 29)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 32);
}

static uint64_t address(const uint8_t ip[16])
{
	uint64_t w[2];

	memcpy(w, ip, 16);
	return mix(mix(1, w[0]), w[1]);
}

static void thin_out(struct samples *s)
{
	uint32_t n = 0;

	s->mask = 2 * s->mask + 1;
	for (uint32_t i = 0; i < s->n; i++)
		if (!(s->s[i].key & s->mask))
			s->s[n++] = s->s[i];
	s->n = n;
}

static void take(struct samples *s, const struct obs *o)
{
	uint64_t key, src, dst;

	if (o->what != OBS_ROCE)
		return;
	key = mix(mix(o->hash, (uint64_t)o->opcode << 56 | (uint64_t)o->syndrome << 48 |
	                               (uint64_t)o->ip_id << 24 | o->psn),
	        o->aeth_msn);
	if (key & s->mask)
		return;
	while (s->n == SAMPLES_MAX && s->mask != UINT64_MAX)
		thin_out(s);
	if (key & s->mask || s->n == SAMPLES_MAX)
		return;
	src = address(o->u.ip.src);
	dst = address(o->u.ip.dst);
	s->s[s->n++] = (struct sample){.key = key,
	        .t_ns = o->t_ns,
	        .group = (uint32_t)((src + dst) ^ (src ^ dst) >> 32),
	        .dir = src < dst};
}

static int by_key(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? 1 : -1;
	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

/*
 * A key that comes again soon is left out: which one the other file has lost cannot be known.
 * PSNs that came round are told apart by time, see align_matches().
 */
static void apart(struct samples *s)
{
	uint32_t n = 0;

	qsort(s->s, s->n, sizeof(*s->s), by_key);
	for (uint32_t i = 0, to; i < s->n; i = to) {
		bool soon = false;

		for (to = i + 1; to < s->n && s->s[to].key == s->s[i].key; to++)
			soon = soon || s->s[to].t_ns - s->s[to - 1].t_ns < APART_NS;
		if (soon || to - i > TURNS_MAX)
			continue;
		memmove(s->s + n, s->s + i, (to - i) * sizeof(*s->s));
		n += to - i;
	}
	s->n = n;
}

static int sample_file(struct samples *s, const char *path, struct err *e)
{
	const struct obs_options opt = {.no_icrc = true};
	struct packet_batch b = {0};
	struct reader *r;
	struct obs o;
	int rc;

	s->s = malloc(SAMPLES_MAX * sizeof(*s->s));
	if (!s->s)
		return err_set(e, -ENOMEM, "out of memory");
	rc = reader_open(&r, path, NULL, e);
	if (rc)
		return rc;
	rc = packet_batch_init(&b, BATCH_PACKETS, e);
	/* A file that breaks off is said to by the analysis proper. */
	while (!rc && reader_fill(r, &b, NULL) >= 0 && b.n)
		for (uint32_t i = 0; i < b.n; i++) {
			const struct packet *p = &b.packet[i];

			obs_of(&o, p, reader_interface(r, p->interface)->link, 0, &opt);
			if (o.t_ns >= 0 && o.t_ns < INT64_MAX / 4)
				take(s, &o);
		}
	packet_batch_fini(&b);
	reader_close(r);
	apart(s);
	return rc;
}

static uint32_t same_key(const struct samples *s, uint32_t from)
{
	uint32_t to = from + 1;

	while (to < s->n && s->s[to].key == s->s[from].key)
		to++;
	return to;
}

static int join(
        struct clock_fix *fix, const struct samples *a, const struct samples *b, struct err *e)
{
	uint64_t mask = a->mask | b->mask;
	struct align_match *m = malloc((size_t)TURNS_MAX * SAMPLES_MAX * sizeof(*m));
	uint32_t n = 0;

	if (!m)
		return err_set(e, -ENOMEM, "out of memory");
	for (uint32_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct sample *x = &a->s[i], *y = &b->s[k];
		uint32_t i_to = same_key(a, i), k_to = same_key(b, k);

		if (x->key < y->key) {
			i = i_to;
			continue;
		}
		if (x->key == y->key && !(x->key & mask))
			for (uint32_t p = i; p < i_to; p++)
				for (uint32_t q = k; q < k_to; q++)
					m[n++] = (struct align_match){b->s[q].t_ns,
					        b->s[q].t_ns - a->s[p].t_ns, a->s[p].group,
					        a->s[p].dir};
		if (x->key == y->key)
			i = i_to;
		k = k_to;
	}
	*fix = align_matches(m, n);
	free(m);
	return 0;
}

static int join_all(
        struct clock_fix *fix, const struct samples *s, uint32_t n, bool *done, struct err *e)
{
	bool any = true;

	done[0] = true;
	while (any) {
		any = false;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 1; b < n; b++) {
				struct clock_fix f;
				int rc;

				if (!done[a] || done[b])
					continue;
				rc = join(&f, &s[a], &s[b], e);
				if (rc)
					return rc;
				if (!f.estimated)
					continue;
				align_chain(&f, &fix[a]);
				fix[b] = f;
				done[b] = any = true;
			}
	}
	return 0;
}

static bool regular(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && !stat(path, &st) && S_ISREG(st.st_mode);
}

int align_files(struct clock_fix *fix, const char *const path[], uint32_t n, struct err *e)
{
	struct samples *s = calloc(n, sizeof(*s));
	bool *done = calloc(n, sizeof(*done));
	int rc = s && done ? 0 : err_set(e, -ENOMEM, "out of memory");

	for (uint32_t i = 0; !rc && i < n; i++) {
		fix[i] = (struct clock_fix){.residual_ns = i ? TRACE_UNKNOWN : 0};
		if (regular(path[i]))
			rc = sample_file(&s[i], path[i], e);
	}
	if (!rc)
		rc = join_all(fix, s, n, done, e);
	for (uint32_t i = 0; s && i < n; i++)
		free(s[i].s);
	free(s);
	free(done);
	return rc;
}
