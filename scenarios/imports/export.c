/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/export_messages.h"

static void note_cut(const struct export_messages *m, char note[EXPORT_NOTE_BYTES])
{
	if (m->cut)
		(void)snprintf(note, EXPORT_NOTE_BYTES, "cut after %" PRIu64 " messages", m->n);
}

/* What a list of messages cannot say: what waits for messages or for time after them, and the
 * order of a program's messages, which only a queue pair keeps. */
static bool has_deps(const struct export_messages *m)
{
	for (uint64_t i = 0; i < m->n; i++)
		if (m->at[i].n_deps || (!m->at[i].intended && m->at[i].start_ps))
			return true;
	return false;
}

static void note_deps(const struct export_messages *m, char note[EXPORT_NOTE_BYTES])
{
	const bool deps = has_deps(m);
	size_t len = 0;

	if (m->cut)
		len = (size_t)snprintf(note, EXPORT_NOTE_BYTES,
		        "cut after %" PRIu64 " messages%s", m->n, deps ? "; " : "");
	if (deps)
		(void)snprintf(note + len, EXPORT_NOTE_BYTES - len,
		        "a list has no dependencies, computing and order: what waits for other "
		        "messages or computes before it sends starts when it would if the "
		        "network took no time");
}

static int by_pair(const void *a, const void *b)
{
	const struct export_message *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return (x->dst > y->dst) - (x->dst < y->dst);
}

static int write_matrix(FILE *f, const struct scenario *s, uint64_t limit, bool for_people,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	struct export_messages m;
	int rc = export_messages_init(&m, s, limit, e);
	uint64_t next;

	if (rc)
		return rc;
	note_cut(&m, note);
	qsort(m.at, m.n, sizeof(*m.at), by_pair);
	fprintf(f, for_people ? "%8s %8s %12s %20s\n" : "%s,%s,%s,%s\n", "src", "dst",
	        "messages", "bytes");
	for (uint64_t i = 0; i < m.n; i = next) {
		__int128 bytes = 0;

		for (next = i; next < m.n && !by_pair(&m.at[i], &m.at[next]); next++)
			bytes += m.at[next].bytes;
		fprintf(f,
		        for_people ? "%8u %8u %12" PRIu64 " %20" PRId64 "\n"
		                   : "%u,%u,%" PRIu64 ",%" PRId64 "\n",
		        m.at[i].src, m.at[i].dst, next - i,
		        (int64_t)(bytes > INT64_MAX ? INT64_MAX : bytes));
	}
	export_messages_fini(&m);
	return 0;
}

static int matrix(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	return write_matrix(f, s, limit, false, note, e);
}

static int table(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	return write_matrix(f, s, limit, true, note, e);
}

/* Ranks of a schedule are hosts from first_host on; those without operations are left out. */
static void put_schedule_ranks(FILE *f, const struct load_entry *en, uint32_t k)
{
	const uint32_t first = (uint32_t)en->cfg.first_host;

	for (uint32_t h = first; h < en->env.n_hosts; h++)
		if (load_uses_host(en, h))
			fprintf(f, "%u,%s,%u,%u\n", k, en->ops->name, h - first, h);
}

static int ranks(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	bool lists = false, incasts = false;

	(void)limit;
	(void)e;
	fputs("entry,pattern,rank,host\n", f);
	for (uint32_t k = 0; k < s->n_entries; k++) {
		const struct load_entry *en = &s->entry[k];

		lists |= en->cfg.pattern == LOAD_FLOWS;
		incasts |= en->cfg.pattern == LOAD_INCAST;
		if (en->cfg.pattern == LOAD_SCHEDULE)
			put_schedule_ranks(f, en, k);
		for (uint32_t r = 0; r < en->ranks.n && en->cfg.pattern != LOAD_SCHEDULE; r++)
			fprintf(f, "%u,%s,%u,%u\n", k, en->ops->name, r,
			        en->ranks.host ? en->ranks.host[r] : en->ranks.first + r);
	}
	if (lists || incasts)
		(void)snprintf(note, EXPORT_NOTE_BYTES, "%s%s%s",
		        lists ? "flow lists name hosts and have no ranks" : "",
		        lists && incasts ? "; " : "",
		        incasts ? "the ranks of an incast are its senders" : "");
	return 0;
}

static int flows(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	struct export_messages m;
	char start[48];
	int rc = export_messages_init(&m, s, limit, e);

	if (rc)
		return rc;
	note_deps(&m, note);
	fputs("src,dst,bytes,start,priority\n", f);
	for (uint64_t i = 0; i < m.n; i++)
		fprintf(f, "%u,%u,%" PRId64 ",%s,%u\n", m.at[i].src, m.at[i].dst, m.at[i].bytes,
		        unit_format(start, sizeof(start), UNIT_TIME, m.at[i].start_ps),
		        m.at[i].priority);
	export_messages_fini(&m);
	return 0;
}

/* A count, then "src dst pg dport bytes start": seconds. The plan's order is that of starts,
 * which the reader of these files relies on. */
static int flow_file(FILE *f, const struct scenario *s, uint64_t limit,
        char note[EXPORT_NOTE_BYTES], struct err *e)
{
	struct export_messages m;
	int rc = export_messages_init(&m, s, limit, e);

	if (rc)
		return rc;
	note_deps(&m, note);
	fprintf(f, "%" PRIu64 "\n", m.n);
	for (uint64_t i = 0; i < m.n; i++)
		fprintf(f, "%u %u %u 100 %" PRId64 " %" PRId64 ".%012" PRId64 "\n", m.at[i].src,
		        m.at[i].dst, m.at[i].priority, m.at[i].bytes,
		        m.at[i].start_ps / PS_PER_S, m.at[i].start_ps % PS_PER_S);
	export_messages_fini(&m);
	return 0;
}

const struct export_format export_formats[] = {
        {"matrix", "bytes and messages per source and destination (CSV)", matrix},
        {"table", "the same for people", table},
        {"ranks", "the host of each rank of each entry (CSV)", ranks},
        {"flows", "a flow list that squall reads back (CSV)", flows},
        {"goal", "a GOAL schedule (LogGOPSim)", export_goal},
        {"hpcc-flow", "a flow file of the HPCC simulator", flow_file},
        {"htsim-cm", "a connection matrix of htsim, with triggers for dependencies",
                export_htsim},
        {NULL, NULL, NULL},
};

int export_find(const struct export_format **out, const char *name, struct err *e)
{
	char known[200] = "";

	for (size_t i = 0; export_formats[i].name; i++) {
		size_t len = strlen(known);

		if (!strcmp(export_formats[i].name, name)) {
			*out = &export_formats[i];
			return 0;
		}
		(void)snprintf(
		        known + len, sizeof(known) - len, ", %s", export_formats[i].name);
	}
	return err_set(
	        e, -EINVAL, "--format %.40s: no such format; known: csv, json%s", name, known);
}
