/* SPDX-License-Identifier: Apache-2.0 */
/*
 * htsim's connection matrix (csg-htsim, connection_matrix.cpp): a connection per message,
 * started at a time in ps or by a trigger. A connection has one trigger that its last
 * acknowledgement sets off and one for its last byte, so a message that two others wait for
 * with different sets can serve only one of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "scenarios/imports/export.h"
#include "scenarios/imports/export_messages.h"

struct triggers {
	const struct export_messages *m;
	uint32_t *of;          /* by message: what starts it; 0: its time */
	uint32_t *sent, *come; /* by message: what it sets off */
	uint64_t *count;       /* by trigger, from 1: messages that it waits for */
	uint32_t *first;       /* by trigger: the first message that it starts */
	uint32_t n;
	uint32_t *slot; /* hash of sets of dependencies -> trigger */
	uint64_t room, lost, large;
};

static bool same_deps(const struct export_messages *m, uint64_t a, uint64_t b)
{
	const struct export_message *x = &m->at[a], *y = &m->at[b];

	return x->entry == y->entry && x->n_deps == y->n_deps &&
	       !memcmp(m->dep + x->first_dep, m->dep + y->first_dep,
	               x->n_deps * sizeof(*m->dep));
}

static uint64_t hash_deps(const struct export_messages *m, uint64_t i)
{
	const struct export_message *x = &m->at[i];
	uint64_t h = x->entry;

	for (uint64_t k = x->first_dep; k < x->first_dep + x->n_deps; k++) {
		h = hash_combine(h, (uint64_t)m->dep[k].kind << 32 | m->dep[k].src);
		h = hash_combine(h, m->dep[k].first);
		h = hash_combine(h, m->dep[k].last);
	}
	return h;
}

/* Every message of the sets sets the trigger off, if it does not set off another one. */
static void arm(struct triggers *t, uint32_t trigger, uint64_t i)
{
	const struct export_message *x = &t->m->at[i];

	for (uint64_t k = x->first_dep; k < x->first_dep + x->n_deps; k++) {
		const struct plan_dep *d = &t->m->dep[k];

		for (uint64_t seq = d->first; seq <= d->last; seq++) {
			uint32_t on = export_message_find(t->m, x->entry, d->src, seq);
			uint32_t *sets;

			if (on == UINT32_MAX)
				continue;
			sets = d->kind == PLAN_COMPLETED ? &t->sent[on] : &t->come[on];
			if (*sets) {
				t->lost++;
				continue;
			}
			*sets = trigger;
			t->count[trigger]++;
		}
	}
}

static void find_triggers(struct triggers *t)
{
	for (uint64_t i = 0; i < t->m->n; i++) {
		uint64_t k;

		if (!t->m->at[i].n_deps)
			continue;
		k = hash_deps(t->m, i) & (t->room - 1);
		while (t->slot[k] && !same_deps(t->m, t->first[t->slot[k]], i))
			k = (k + 1) & (t->room - 1);
		if (!t->slot[k]) {
			t->slot[k] = ++t->n;
			t->first[t->n] = (uint32_t)i;
			arm(t, t->n, i);
		}
		/* nobody left to set it off: it starts at its earliest time */
		if (t->count[t->slot[k]])
			t->of[i] = t->slot[k];
	}
}

static int take_memory(struct triggers *t, const struct export_messages *m)
{
	*t = (struct triggers){.m = m, .room = 16};
	while (t->room < 2 * m->n)
		t->room *= 2;
	t->of = calloc(m->n + 1, sizeof(*t->of));
	t->sent = calloc(m->n + 1, sizeof(*t->sent));
	t->come = calloc(m->n + 1, sizeof(*t->come));
	t->count = calloc(m->n + 2, sizeof(*t->count));
	t->first = calloc(m->n + 2, sizeof(*t->first));
	t->slot = calloc(t->room, sizeof(*t->slot));
	return t->of && t->sent && t->come && t->count && t->first && t->slot ? 0 : -ENOMEM;
}

static void triggers_fini(struct triggers *t)
{
	free(t->of);
	free(t->sent);
	free(t->come);
	free(t->count);
	free(t->first);
	free(t->slot);
}

static void write_all(FILE *f, struct triggers *t, uint32_t n_hosts)
{
	const struct export_messages *m = t->m;
	uint32_t used = 0;

	for (uint32_t k = 1; k <= t->n; k++)
		used += t->count[k] > 0;
	fprintf(f, "Nodes %u\nConnections %" PRIu64 "\nTriggers %u\n", n_hosts, m->n, used);
	for (uint64_t i = 0; i < m->n; i++) {
		const struct export_message *x = &m->at[i];

		t->large += x->bytes > INT32_MAX;
		fprintf(f, "%u->%u id %" PRIu64, x->src, x->dst, i + 1);
		if (t->of[i])
			fprintf(f, " trigger %u", t->of[i]);
		else
			fprintf(f, " start %" PRId64, x->start_ps);
		fprintf(f, " size %" PRId64, x->bytes);
		if (t->sent[i])
			fprintf(f, " send_done_trigger %u", t->sent[i]);
		if (t->come[i])
			fprintf(f, " recv_done_trigger %u", t->come[i]);
		fputc('\n', f);
	}
	for (uint32_t k = 1; k <= t->n; k++) {
		if (t->count[k] == 1)
			fprintf(f, "trigger id %u oneshot\n", k);
		else if (t->count[k])
			fprintf(f, "trigger id %u barrier count %" PRIu64 "\n", k, t->count[k]);
	}
}

static bool computes(const struct scenario *s)
{
	for (uint32_t k = 0; k < s->n_entries; k++)
		if (s->entry[k].cfg.compute_ps || s->entry[k].cfg.pattern == LOAD_SCHEDULE)
			return true;
	return false;
}

/* A trigger starts its connections at once, so time between a dependency and the message is
 * lost, be it computing or a period. */
static uint64_t count_gaps(const struct triggers *t)
{
	const struct export_messages *m = t->m;
	uint64_t gaps = 0;

	for (uint64_t i = 0; i < m->n; i++) {
		const struct export_message *x = &m->at[i];
		int64_t ready_ps = 0;

		if (!t->of[i])
			continue;
		for (uint64_t k = x->first_dep; k < x->first_dep + x->n_deps; k++) {
			const struct plan_dep *d = &m->dep[k];
			const uint32_t on = export_message_find(m, x->entry, d->src, d->last);

			if (on != UINT32_MAX && m->at[on].start_ps > ready_ps)
				ready_ps = m->at[on].start_ps;
		}
		gaps += x->start_ps > ready_ps;
	}
	return gaps;
}

/* A program's earlier messages may have waited for what this one does not name. */
static bool waits_for_source(const struct export_messages *m, uint64_t i, uint32_t src)
{
	const struct export_message *x = &m->at[i];

	for (uint64_t k = x->first_dep; k < x->first_dep + x->n_deps; k++)
		if (m->dep[k].src == src)
			return true;
	return false;
}

static uint64_t count_disorder(const struct triggers *t)
{
	const struct export_messages *m = t->m;
	uint64_t n = 0;

	for (uint64_t i = 0; i < m->n; i++) {
		const struct export_message *x = &m->at[i], *before;
		uint32_t prev;
		bool lost = false;

		if (!t->of[i] || !x->seq)
			continue;
		prev = export_message_find(m, x->entry, x->src, x->seq - 1);
		if (prev == UINT32_MAX)
			continue;
		before = &m->at[prev];
		for (uint64_t k = before->first_dep; k < before->first_dep + before->n_deps;
		        k++)
			lost |= !waits_for_source(m, i, m->dep[k].src);
		n += lost;
	}
	return n;
}

static void write_note(char note[EXPORT_NOTE_BYTES], const struct triggers *t)
{
	const uint64_t gaps = count_gaps(t), disorder = count_disorder(t);
	size_t len = 0;

	if (t->m->cut)
		len = (size_t)snprintf(
		        note, EXPORT_NOTE_BYTES, "cut after %" PRIu64 " messages; ", t->m->n);
	if (t->lost)
		len += (size_t)snprintf(note + len, EXPORT_NOTE_BYTES - len,
		        "%" PRIu64 " dependencies are left out, as a connection of htsim sets "
		        "off one trigger; ",
		        t->lost);
	if (gaps)
		len += (size_t)snprintf(note + len, EXPORT_NOTE_BYTES - len,
		        "%" PRIu64 " messages start without the %s before them; ", gaps,
		        computes(t->m->s) ? "computing or period" : "period or delay");
	if (disorder)
		len += (size_t)snprintf(note + len, EXPORT_NOTE_BYTES - len,
		        "%" PRIu64 " do not wait for what their program waited for before; ",
		        disorder);
	if (t->large && len < 150)
		len += (size_t)snprintf(note + len, EXPORT_NOTE_BYTES - len,
		        "%" PRIu64 " messages are larger than the 2 GiB that htsim reads; ",
		        t->large);
	if (len >= 2 && len < 240)
		note[len - 2] = '\0';
}

int export_htsim(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	struct export_messages m;
	struct triggers t;
	int rc = export_messages_init(&m, s, limit, e);

	if (rc)
		return rc;
	if (take_memory(&t, &m)) {
		rc = err_set(e, -ENOMEM, "%s: no memory for its triggers", s->path);
	} else {
		find_triggers(&t);
		write_all(f, &t, s->topo->n_hosts);
		write_note(note, &t);
	}
	triggers_fini(&t);
	export_messages_fini(&m);
	return rc;
}
