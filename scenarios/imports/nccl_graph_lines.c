/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines about rings, trees and connections, in the shapes that NCCL gave them over the years:
 *
 *	Channel 00/08 :    0   5   4   7      the ring, said by its rank 0
 *	Ring 00 :    0   1   2   3            the same up to 2.3
 *	Ring 00 : 2 -> 0 -> 1                 before, me, after
 *	Channel 00/0 : 2[0] -> 0[0] [receive] via NET/IB/1/GDRDMA
 *	Ring 00 : 3 -> 10 [send] via NET/IB/0
 *	Channel 00 : 3[b1000] -> 4[18000] via P2P/IPC
 *	Trees [0] 2/-1/-1->0->-1 [1] ...      children, me, parent
 *	Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1     the same twice, the other way round as well
 *	Tree 0 : -1 -> 0 -> 2/-1/-1           parent, me, children
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/imports/nccl_log.h"

#define MAX_CHAIN 8

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* A whole number that ends where a number can end; "3node1" is two lines that ran together. */
static bool number(const char **p, int64_t *v)
{
	const char *at = blanks(*p);
	char *end;

	if (!isdigit((unsigned char)at[at[0] == '-']))
		return false;
	*v = strtoll(at, &end, 10);
	if (isalpha((unsigned char)*end) || *end == '.' || *v < -1 || *v >= NCCL_MAX_RANKS)
		return false;
	*p = end;
	return true;
}

/* "0[b1000]": the brackets say which GPU, by number or bus id. */
static bool rank_of(const char **p, int64_t *v)
{
	if (!number(p, v) || *v < 0)
		return false;
	if (**p == '[')
		*p += strcspn(*p, "]") + ((*p)[strcspn(*p, "]")] == ']');
	return true;
}

static bool arrow(const char **p)
{
	const char *at = blanks(*p);

	if (!begins(at, "->"))
		return false;
	*p = at + 2;
	return true;
}

/* Older versions say only here which rank speaks. */
static void speaks(struct nccl_log *l, uint32_t part, int64_t rank)
{
	if (l->part[part].rank < 0)
		l->part[part].rank = (int32_t)rank;
}

static int add(struct nccl_log *l, struct nccl_fact f, struct err *e)
{
	int rc = nccl_log_fact(l, &f, e);

	return rc ? rc : 1;
}

/* The whole ring; it is only of use whole. */
static int take_ring_list(
        struct nccl_log *l, uint32_t part, uint8_t channel, const char *p, struct err *e)
{
	const uint32_t before = l->n_facts;
	int64_t first = -1, last = -1, v;
	uint32_t n = 0;

	for (p = blanks(p); *p; p = blanks(p), n++, last = v) {
		struct nccl_fact f = {.part = part, .channel = channel, .kind = NCCL_RING};

		if (!rank_of(&p, &v))
			break;
		f.a = (int32_t)last;
		f.b = (int32_t)v;
		if (n && nccl_log_fact(l, &f, e))
			return e->code;
		first = n ? first : v;
	}
	if (*p || n < 1 || (l->part[part].n_ranks && l->part[part].n_ranks != n)) {
		l->n_facts = before;
		return 0;
	}
	if (n == 1)
		return 1;
	l->part[part].n_ranks = n;
	return add(l,
	        (struct nccl_fact){.a = (int32_t)last,
	                .b = (int32_t)first,
	                .part = part,
	                .channel = channel,
	                .kind = NCCL_RING},
	        e);
}

static int16_t nic_of(const char *via)
{
	const char *at = strstr(via, "NET/");
	int64_t v;

	if (!at)
		return NCCL_LOCAL;
	at += 4;
	at += strcspn(at, "/"); /* "AWS Libfabric" has a blank */
	if (*at != '/' || !isdigit((unsigned char)at[1]))
		return NCCL_NO_NIC;
	v = strtoll(at + 1, NULL, 10);
	return v < 1024 ? (int16_t)v : NCCL_NO_NIC;
}

/* a -> b ..., via: each side says it once, older versions without [send] and [receive]. */
static int take_connection(struct nccl_log *l, struct nccl_fact f, const char *p, struct err *e)
{
	const char *via = strstr(p, " via ");
	const bool sends = strstr(p, "[send]") != NULL,
	           receives = strstr(p, "[receive]") != NULL;
	int rc = 1;

	f.nic = nic_of(via + 5);
	if (sends != receives)
		speaks(l, f.part, sends ? f.a : f.b);
	if (!receives || sends) {
		f.kind = NCCL_SEND;
		rc = add(l, f, e);
	}
	if (rc > 0 && !sends) {
		f.kind = NCCL_RECV;
		rc = add(l, f, e);
	}
	return rc;
}

/* rank -> rank -> ...; two of a line with "via" are a connection, more are a piece of the ring
 */
static int take_arrows(
        struct nccl_log *l, uint32_t part, uint8_t channel, const char *p, struct err *e)
{
	struct nccl_fact f = {.part = part, .channel = channel, .kind = NCCL_RING};
	int64_t v, last;
	uint32_t n = 1;
	int rc = 0;

	if (!rank_of(&p, &last))
		return 0;
	while (arrow(&p)) {
		if (!rank_of(&p, &v))
			return 0;
		f.a = (int32_t)last;
		f.b = (int32_t)v;
		n++;
		if (n == 2 && strstr(p, " via ") && !begins(blanks(p), "->"))
			return take_connection(l, f, p, e);
		if (f.a != f.b)
			rc = add(l, f, e);
		if (rc < 0)
			return rc;
		last = v;
	}
	return n > 2;
}

/* "2/-1/-1" or one number; *n children. */
static bool group(const char **p, int32_t child[MAX_CHAIN], uint32_t *n, bool *has_slash)
{
	int64_t v;

	*n = 0;
	*has_slash = false;
	do {
		if (*n == MAX_CHAIN || !number(p, &v))
			return false;
		child[(*n)++] = (int32_t)v;
		if (**p != '/')
			return true;
		*has_slash = true;
		(*p)++;
	} while (true);
}

/* One group -> me -> another; the children are where the slashes are. */
static int take_tree(struct nccl_log *l, struct nccl_fact f, const char **p, struct err *e)
{
	int32_t left[MAX_CHAIN], right[MAX_CHAIN], *child = left;
	uint32_t n_left, n_right, n;
	bool left_slash, right_slash;
	int32_t parent;
	int64_t me;
	int rc;

	if (!group(p, left, &n_left, &left_slash) || !arrow(p) || !number(p, &me) || me < 0 ||
	        !arrow(p) || !group(p, right, &n_right, &right_slash) ||
	        left_slash == right_slash)
		return 0;
	child = left_slash ? left : right;
	n = left_slash ? n_left : n_right;
	parent = left_slash ? right[0] : left[0];
	f.a = (int32_t)me;
	f.b = parent;
	speaks(l, f.part, me);
	rc = add(l, f, e);
	for (uint32_t i = 0; i < n && rc > 0; i++) {
		f.a = child[i];
		f.b = (int32_t)me;
		if (child[i] >= 0)
			rc = add(l, f, e);
	}
	return rc;
}

/* "[0] 2/-1/-1->0->-1 [1] ..." */
static int take_trees(struct nccl_log *l, uint32_t part, const char *p, struct err *e)
{
	struct nccl_fact f = {.part = part, .kind = NCCL_TREE};
	int rc = 0;

	while ((p = strchr(p, '['))) {
		char *end;
		long channel = strtol(p + 1, &end, 10);

		if (*end != ']' || channel < 0 || channel >= NCCL_MAX_CHANNELS)
			return 0;
		p = end + 1;
		f.channel = (uint8_t)channel;
		rc = take_tree(l, f, &p, e);
		if (rc <= 0)
			return rc;
	}
	return rc;
}

/* "Channel 00/08 : ..."; *count: channels in all, 0: not said. A single digit behind the slash
 * is the number of a connection: 0 is for collectives, 1 for send and receive calls. */
static bool take_channel(const char **p, uint8_t *channel, uint32_t *count, bool *is_other)
{
	char *end;
	long v = strtol(*p, &end, 10);

	*count = 0;
	*is_other = false;
	if (end == *p || v < 0 || v >= NCCL_MAX_CHANNELS)
		return false;
	*channel = (uint8_t)v;
	if (*end == '/') {
		const char *digits = end + 1;

		v = strtol(digits, &end, 10);
		if (end == digits || v < 0)
			return false;
		if (end - digits == 1 && v <= 1 && strstr(end, "->"))
			*is_other = v == 1;
		else if (v <= NCCL_MAX_CHANNELS)
			*count = (uint32_t)v;
	}
	*p = blanks(end);
	if (**p != ':')
		return false;
	++*p;
	return true;
}

int nccl_log_graph(struct nccl_log *l, uint32_t part, const char *text, struct err *e)
{
	const bool is_tree = begins(text, "Tree ");
	const char *p = text;
	uint8_t channel;
	uint32_t count;
	bool is_other;

	if (begins(text, "Trees "))
		return take_trees(l, part, text, e);
	p += strcspn(p, " ");
	p = blanks(p);
	if (!take_channel(&p, &channel, &count, &is_other))
		return 0;
	if (count > l->part[part].channels)
		l->part[part].channels = count;
	if (is_other)
		return 1;
	if (!strstr(p, "->"))
		return is_tree ? 0 : take_ring_list(l, part, channel, p, e);
	if (is_tree && !strstr(p, " via "))
		return take_tree(l,
		        (struct nccl_fact){
		                .part = part, .channel = channel, .kind = NCCL_TREE_PLAN},
		        &p, e);
	return take_arrows(l, part, channel, p, e);
}
