/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_log.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dataplane/base/rng.h"

#define NONE        UINT32_MAX
#define MAX_HOSTS   65536
#define MAX_THREADS (UINT32_C(1) << 20)

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for what the log says");
}

/* Room for one more of size bytes. */
static bool grow(void *array, uint32_t n, uint32_t *room, size_t size)
{
	void **at = array, *more;

	if (n < *room)
		return true;
	more = realloc(*at, (*room ? 2 * (size_t)*room : 64) * size);
	if (!more)
		return false;
	*at = more;
	*room = *room ? 2 * *room : 64;
	return true;
}

int nccl_log_init(struct nccl_log *l, struct err *e)
{
	*l = (struct nccl_log){.room_slots = 256};
	l->thread_slot = malloc(l->room_slots * sizeof(*l->thread_slot));
	l->rank_host = calloc(NCCL_MAX_RANKS + 1, sizeof(*l->rank_host));
	if (!l->thread_slot || !l->rank_host ||
	        !grow(&l->host, 0, &l->room_hosts, sizeof(*l->host))) {
		nccl_log_fini(l);
		return no_memory(e);
	}
	memset(l->thread_slot, 0xff, l->room_slots * sizeof(*l->thread_slot));
	l->host[0] = (struct nccl_host){.name = ""};
	l->n_hosts = 1;
	return 0;
}

void nccl_log_fini(struct nccl_log *l)
{
	free(l->fact);
	free(l->part);
	free(l->thread);
	free(l->thread_slot);
	free(l->host);
	free(l->call);
	free(l->pair);
	free(l->tuned);
	free(l->rank_host);
	*l = (struct nccl_log){0};
}

int nccl_log_fact(struct nccl_log *l, const struct nccl_fact *f, struct err *e)
{
	if (l->n_facts == NCCL_MAX_FACTS)
		return err_set(e, -EINVAL, "more than %u rings, trees and connections",
		        NCCL_MAX_FACTS);
	if (!grow(&l->fact, l->n_facts, &l->room_facts, sizeof(*l->fact)))
		return no_memory(e);
	l->fact[l->n_facts++] = *f;
	return 0;
}

int nccl_log_call(struct nccl_log *l, const struct nccl_call *c, struct err *e)
{
	if (l->n_calls == NCCL_MAX_CALLS) {
		l->more_calls++;
		return 0;
	}
	if (!grow(&l->call, l->n_calls, &l->room_calls, sizeof(*l->call)))
		return no_memory(e);
	l->call[l->n_calls++] = *c;
	return 0;
}

int nccl_log_pair(struct nccl_log *l, const struct nccl_call *c, struct err *e)
{
	if (l->n_pairs == NCCL_MAX_CALLS) {
		l->more_calls++;
		return 0;
	}
	if (!grow(&l->pair, l->n_pairs, &l->room_pairs, sizeof(*l->pair)))
		return no_memory(e);
	l->pair[l->n_pairs++] = *c;
	return 0;
}

int nccl_log_tuned(struct nccl_log *l, const struct nccl_tuned *t, struct err *e)
{
	if (l->n_tuned == NCCL_MAX_CALLS)
		return 0;
	if (!grow(&l->tuned, l->n_tuned, &l->room_tuned, sizeof(*l->tuned)))
		return no_memory(e);
	l->tuned[l->n_tuned++] = *t;
	return 0;
}

static int find_host(struct nccl_log *l, const char *name, uint32_t *host, struct err *e)
{
	for (uint32_t i = l->n_hosts; i-- > 0;)
		if (!strcmp(l->host[i].name, name)) {
			*host = i;
			return 0;
		}
	if (l->n_hosts == MAX_HOSTS)
		return err_set(e, -EINVAL, "more than %d machines", MAX_HOSTS);
	if (!grow(&l->host, l->n_hosts, &l->room_hosts, sizeof(*l->host)))
		return no_memory(e);
	*host = l->n_hosts++;
	l->host[*host] = (struct nccl_host){0};
	(void)snprintf(l->host[*host].name, sizeof(l->host[0].name), "%s", name);
	return 0;
}

static bool same_thread(
        const struct nccl_log *l, const struct nccl_thread *t, const struct nccl_message *m)
{
	return t->pid == m->pid && t->tid == m->tid && t->gpu == m->gpu &&
	       !strcmp(l->host[t->host].name, m->host);
}

static uint64_t hash_message(const struct nccl_message *m)
{
	uint64_t h = hash_combine((uint64_t)m->pid, (uint64_t)m->tid);

	for (const char *c = m->host; *c; c++)
		h = hash_combine(h, (unsigned char)*c);
	return hash_combine(h, (uint64_t)m->gpu);
}

static int grow_slots(struct nccl_log *l, struct err *e)
{
	uint32_t room = 2 * l->room_slots;
	uint32_t *slot;

	if (2 * (l->n_threads + 1) <= l->room_slots)
		return 0;
	slot = malloc(room * sizeof(*slot));
	if (!slot)
		return no_memory(e);
	memset(slot, 0xff, room * sizeof(*slot));
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const struct nccl_thread *t = &l->thread[i];
		struct nccl_message m = {.host = l->host[t->host].name,
		        .pid = t->pid,
		        .tid = t->tid,
		        .gpu = t->gpu};
		uint32_t k = (uint32_t)hash_message(&m) & (room - 1);

		while (slot[k] != NONE)
			k = (k + 1) & (room - 1);
		slot[k] = i;
	}
	free(l->thread_slot);
	l->thread_slot = slot;
	l->room_slots = room;
	return 0;
}

static int find_thread(
        struct nccl_log *l, const struct nccl_message *m, uint32_t *thread, struct err *e)
{
	uint32_t k = (uint32_t)hash_message(m) & (l->room_slots - 1), host;
	int rc;

	for (; l->thread_slot[k] != NONE; k = (k + 1) & (l->room_slots - 1))
		if (same_thread(l, &l->thread[l->thread_slot[k]], m)) {
			*thread = l->thread_slot[k];
			return 0;
		}
	rc = find_host(l, m->host, &host, e);
	if (!rc)
		rc = grow_slots(l, e);
	if (rc)
		return rc;
	if (l->n_threads == MAX_THREADS)
		return err_set(e, -EINVAL, "more than %u threads", MAX_THREADS);
	if (!grow(&l->thread, l->n_threads, &l->room_threads, sizeof(*l->thread)))
		return no_memory(e);
	k = (uint32_t)hash_message(m) & (l->room_slots - 1);
	while (l->thread_slot[k] != NONE)
		k = (k + 1) & (l->room_slots - 1);
	*thread = l->thread_slot[k] = l->n_threads;
	l->thread[l->n_threads++] = (struct nccl_thread){host, m->pid, m->tid, m->gpu, NONE};
	return 0;
}

static int new_part(struct nccl_log *l, uint32_t thread, struct err *e)
{
	if (l->n_parts == NCCL_MAX_PARTS)
		return err_set(
		        e, -EINVAL, "more than %u communicators and ranks", NCCL_MAX_PARTS);
	if (!grow(&l->part, l->n_parts, &l->room_parts, sizeof(*l->part)))
		return no_memory(e);
	l->part[l->n_parts] = (struct nccl_part){
	        .host = l->thread[thread].host, .rank = -1, .local_rank = -1, .thread = thread};
	l->thread[thread].part = l->n_parts++;
	return 0;
}

/* The number behind a word, -1: not there. */
static int64_t number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	if (!at || !isdigit((unsigned char)at[strlen(word)]))
		return -1;
	return strtoll(at + strlen(word), NULL, 10);
}

static uint64_t hex_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 16) : 0;
}

/* "comm 0x7a5e340 rank 0 nRanks 3 nNodes 3 localRanks 1 localRank 0 MNNVL 0" and its relatives,
 * before, in the middle of and after setting up. */
static int take_comm(struct nccl_log *l, uint32_t thread, const char *text, struct err *e)
{
	const uint64_t comm = hex_after(text, "comm 0x"), id = hex_after(text, "commId 0x");
	const int64_t rank = number_after(text, " rank ");
	int64_t n = number_after(text, " nranks ");
	struct nccl_part *p;
	int rc = 0;

	if (n < 0)
		n = number_after(text, " nRanks ");
	if (rank < 0 || n < 1 || n > NCCL_MAX_RANKS || rank >= n)
		return 0;
	if (l->thread[thread].part == NONE)
		rc = new_part(l, thread, e);
	if (rc)
		return rc;
	p = &l->part[l->thread[thread].part];
	if ((p->comm && comm && p->comm != comm) || (p->n_ranks && p->n_ranks != n) ||
	        (p->rank >= 0 && p->rank != rank) ||
	        (p->complete && strstr(text, "Init START"))) {
		rc = new_part(l, thread, e);
		if (rc)
			return rc;
		p = &l->part[l->thread[thread].part];
	}
	p->comm = comm ? comm : p->comm;
	p->id = id ? id : p->id;
	p->rank = (int32_t)rank;
	p->n_ranks = (uint32_t)n;
	if (number_after(text, " nNodes ") > 0)
		p->n_nodes = (uint32_t)number_after(text, " nNodes ");
	if (number_after(text, " localRanks ") > 0)
		p->local_ranks = (uint32_t)number_after(text, " localRanks ");
	if (number_after(text, " localRank ") >= 0)
		p->local_rank = (int32_t)number_after(text, " localRank ");
	p->complete |= strstr(text, "COMPLETE") != NULL;
	return 0;
}

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static bool is_graph_line(const char *text)
{
	return begins(text, "Channel ") || begins(text, "Ring ") || begins(text, "Tree ") ||
	       begins(text, "Trees ");
}

/* A ring or tree after a communicator is complete belongs to the next one; connections may come
 * with the first call. */
static int take_graph(struct nccl_log *l, uint32_t thread, const char *text, struct err *e)
{
	const uint32_t part = l->thread[thread].part;
	int rc = 0;

	if (part == NONE || (l->part[part].complete && !strstr(text, " via ")))
		rc = new_part(l, thread, e);
	if (rc)
		return rc;
	rc = nccl_log_graph(l, l->thread[thread].part, text, e);
	l->damaged += rc == 0;
	return rc < 0 ? rc : 0;
}

static void take_setting(struct nccl_log *l, const char *text)
{
	static const char mark[] = "NCCL_ALGO set by environment to ";
	const char *at = strstr(text, mark);

	if (at)
		(void)snprintf(l->algorithm, sizeof(l->algorithm), "%.*s",
		        (int)strcspn(at + strlen(mark), ". \t"), at + strlen(mark));
}

static int take_nccl(struct nccl_log *l, const struct nccl_message *m, struct err *e)
{
	const char *text = m->text + strspn(m->text, " ");
	uint32_t thread = 0;
	int rc = find_thread(l, m, &thread, e);

	if (rc)
		return rc;
	l->messages++;
	if (is_graph_line(text))
		return take_graph(l, thread, text, e);
	if (strstr(text, "comm 0x") && !strstr(text, "opCount"))
		return take_comm(l, thread, text, e);
	if (begins(text, "NET/") || strstr(text, "NET["))
		nccl_log_nics(&l->host[l->thread[thread].host], text);
	take_setting(l, text);
	rc = nccl_log_call_line(l, thread, text, e);
	return rc < 0 ? rc : 0;
}

/* "#  Rank  0 Group  0 Pid 23491 on nodeA device  0 [0x0f] NVIDIA ..." of nccl-tests */
static int take_rank_line(struct nccl_log *l, const char *text, struct err *e)
{
	const char *on = strstr(text, " on ");
	int64_t rank;
	char name[128];
	uint32_t host;
	int rc;

	text = strstr(text, "Rank ") + 5;
	rank = strtoll(text, NULL, 10);
	if (!on || rank < 0 || rank > NCCL_MAX_RANKS)
		return 0;
	on += 4 + strspn(on + 4, " ");
	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(on, " "), on);
	rc = find_host(l, name, &host, e);
	if (!rc)
		l->rank_host[rank] = host + 1;
	return rc;
}

int nccl_log_take(void *arg, const struct nccl_message *m, struct err *e)
{
	struct nccl_log *l = arg;
	const char *at;

	if (m->from_nccl)
		return take_nccl(l, m, e);
	at = strstr(m->text, "NCCL version ");
	if (at && !l->version[0])
		(void)snprintf(l->version, sizeof(l->version), "%.*s",
		        (int)strcspn(at + 13, " "), at + 13);
	if (strstr(m->text, "Rank ") && strstr(m->text, " Pid "))
		return take_rank_line(l, m->text, e);
	nccl_log_table(l, m->text);
	return 0;
}
