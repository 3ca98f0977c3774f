/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Ranks that share a machine, as a union of sets. */
struct places {
	uint32_t *root; /* [n_ranks] */
	uint32_t *host; /* [n_ranks]: nccl_log.host; 0: not said */
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for machines and NICs");
}

static uint32_t root_of(struct places *p, uint32_t r)
{
	while (p->root[r] != r) {
		p->root[r] = p->root[p->root[r]];
		r = p->root[r];
	}
	return r;
}

static void unite(struct places *p, uint32_t a, uint32_t b)
{
	a = root_of(p, a);
	b = root_of(p, b);
	if (a == b)
		return;
	if (b < a) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	p->root[b] = a;
	if (!p->host[a])
		p->host[a] = p->host[b];
}

/* A name in the prefix of a rank's own lines, or in the table of nccl-tests. */
static void take_names(struct places *p, struct nccl_job *j, const struct nccl_log *l)
{
	for (uint32_t i = 0; i < l->n_parts; i++) {
		const struct nccl_part *part = &l->part[i];

		if (j->has_part[i] && part->rank >= 0 && (uint32_t)part->rank < j->n_ranks &&
		        part->host)
			p->host[part->rank] = part->host;
	}
	for (uint32_t r = 0; r < j->n_ranks; r++)
		if (!p->host[r] && l->rank_host[r])
			p->host[r] = l->rank_host[r] - 1;
}

/* Older versions say the rank only in trees and rings: the middle one is who speaks. */
static void unite_names(struct places *p, struct nccl_job *j, const struct nccl_log *l)
{
	uint32_t *first = calloc(l->n_hosts + 1, sizeof(*first));

	for (uint32_t r = 0; first && r < j->n_ranks; r++) {
		uint32_t h = p->host[r];

		if (!h)
			continue;
		if (first[h])
			unite(p, first[h] - 1, r);
		else
			first[h] = r + 1;
		j->nodes_said++;
	}
	free(first);
}

static void unite_local(struct places *p, const struct nccl_job *j, const struct nccl_log *l)
{
	for (uint32_t i = 0; i < l->n_facts; i++) {
		const struct nccl_fact *f = &l->fact[i];

		if ((f->kind == NCCL_SEND || f->kind == NCCL_RECV) && f->nic == NCCL_LOCAL &&
		        j->has_part[f->part])
			unite(p, (uint32_t)f->a, (uint32_t)f->b);
	}
}

/* Launchers number ranks machine by machine. */
static void unite_blocks(struct places *p, struct nccl_job *j, uint32_t block)
{
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const uint32_t first = r - r % block;
		bool known = p->host[root_of(p, r)] != 0;

		if (known)
			continue;
		for (uint32_t k = first; k < first + block && k < j->n_ranks; k++)
			unite(p, k, r);
		j->nodes_by_block++;
	}
}

static int number_nodes(struct places *p, struct nccl_job *j, struct err *e)
{
	uint32_t *count;

	j->node = malloc(j->n_ranks * sizeof(*j->node));
	j->local = malloc(j->n_ranks * sizeof(*j->local));
	j->node_host = calloc(j->n_ranks, sizeof(*j->node_host));
	count = calloc(j->n_ranks, sizeof(*count));
	if (!j->node || !j->local || !j->node_host || !count) {
		free(count);
		return no_memory(e);
	}
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		const uint32_t root = root_of(p, r);

		j->node[r] = root == r ? j->n_nodes++ : j->node[root];
		j->node_host[j->node[r]] = p->host[root];
		j->local[r] = count[j->node[r]]++;
	}
	free(count);
	return 0;
}

static int find_nodes(struct nccl_job *j, const struct nccl_log *l, uint32_t n_nodes,
        uint32_t local_ranks, struct err *e)
{
	struct places p = {.root = malloc(j->n_ranks * sizeof(*p.root)),
	        .host = calloc(j->n_ranks, sizeof(*p.host))};
	uint32_t block = local_ranks;
	int rc = p.root && p.host ? 0 : no_memory(e);

	for (uint32_t r = 0; !rc && r < j->n_ranks; r++)
		p.root[r] = r;
	if (!block && n_nodes && j->n_ranks % n_nodes == 0)
		block = j->n_ranks / n_nodes;
	if (!rc) {
		take_names(&p, j, l);
		unite_names(&p, j, l);
		unite_local(&p, j, l);
		if (block > 1)
			unite_blocks(&p, j, block);
		rc = number_nodes(&p, j, e);
	}
	for (uint32_t r = 0; !rc && r < j->n_ranks; r++)
		j->nodes_alone += !p.host[root_of(&p, r)] && block < 2;
	free(p.root);
	free(p.host);
	if (rc || j->n_nodes > 1)
		return rc;
	/* All on one machine: nothing would leave it. */
	j->one_node = true;
	j->n_nodes = j->n_ranks;
	for (uint32_t r = 0; r < j->n_ranks; r++) {
		j->node[r] = r;
		j->local[r] = 0;
		j->node_host[r] = j->node_host[0];
	}
	return 0;
}

static int by_edge(const void *a, const void *b)
{
	const struct nccl_connection *x = a, *y = b;

	if (x->channel != y->channel)
		return x->channel < y->channel ? -1 : 1;
	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return (x->dst > y->dst) - (x->dst < y->dst);
}

/* Both sides of a connection say it, and some say it twice: one entry. */
static int take_connections(struct nccl_job *j, const struct nccl_log *l, struct err *e)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < l->n_facts; i++)
		n += l->fact[i].kind >= NCCL_SEND;
	j->connection = malloc(((size_t)n + 1) * sizeof(*j->connection));
	if (!j->connection)
		return no_memory(e);
	n = 0;
	for (uint32_t i = 0; i < l->n_facts; i++) {
		const struct nccl_fact *f = &l->fact[i];

		if (f->kind < NCCL_SEND || !j->has_part[f->part])
			continue;
		j->connection[n++] = (struct nccl_connection){
		        .src = f->a,
		        .dst = f->b,
		        .send_nic = f->kind == NCCL_SEND ? f->nic : NCCL_NO_NIC,
		        .recv_nic = f->kind == NCCL_RECV ? f->nic : NCCL_NO_NIC,
		        .channel = f->channel,
		        .is_local = f->nic == NCCL_LOCAL,
		};
	}
	qsort(j->connection, n, sizeof(*j->connection), by_edge);
	for (uint32_t i = 0; i < n; i++) {
		struct nccl_connection *last = kept ? &j->connection[kept - 1] : NULL;

		if (!last || by_edge(last, &j->connection[i])) {
			j->connection[kept++] = j->connection[i];
			continue;
		}
		if (last->send_nic < 0)
			last->send_nic = j->connection[i].send_nic;
		if (last->recv_nic < 0)
			last->recv_nic = j->connection[i].recv_nic;
	}
	j->n_connections = kept;
	return 0;
}

static const struct nccl_connection *find_connection(
        const struct nccl_job *j, uint8_t channel, uint32_t src, uint32_t dst)
{
	struct nccl_connection key = {
	        .channel = channel, .src = (int32_t)src, .dst = (int32_t)dst};

	return bsearch(&key, j->connection, j->n_connections, sizeof(key), by_edge);
}

bool nccl_job_leaves(const struct nccl_job *j, uint32_t src, uint32_t dst)
{
	return j->node[src] != j->node[dst];
}

/* A NIC that the channel uses somewhere: the rings of one channel keep to one rail. */
static int32_t nic_in_channel(const struct nccl_job *j, uint32_t channel)
{
	for (uint32_t i = 0; i < j->n_connections; i++) {
		const struct nccl_connection *c = &j->connection[i];

		if (c->channel == channel && c->send_nic >= 0)
			return c->send_nic;
		if (c->channel == channel && c->recv_nic >= 0)
			return c->recv_nic;
	}
	return NCCL_NO_NIC;
}

/* Channels take the NICs of a machine in turn, so one of which nothing is said does as the one
 * a turn before. */
static int32_t nic_of_channel(const struct nccl_job *j, uint8_t channel)
{
	bool seen[1024] = {false};
	int32_t nic = nic_in_channel(j, channel);
	uint32_t n = 0;

	if (nic >= 0 || !j->n_connections)
		return nic;
	for (uint32_t i = 0; i < j->n_connections; i++) {
		nic = j->connection[i].send_nic >= 0 ? j->connection[i].send_nic
		                                     : j->connection[i].recv_nic;
		n += nic >= 0 && !seen[nic];
		if (nic >= 0)
			seen[nic] = true;
	}
	nic = NCCL_NO_NIC;
	for (uint32_t c = channel; n && c >= n && nic < 0; c -= n)
		nic = nic_in_channel(j, c - n);
	return nic;
}

enum how { SAID, OTHER_SIDE, OF_CHANNEL, OF_RANK };

static enum how nics_of(const struct nccl_job *j, uint8_t channel, uint32_t src, uint32_t dst,
        int32_t *send, int32_t *recv)
{
	const struct nccl_connection *c = find_connection(j, channel, src, dst);
	int32_t nic;

	*send = c ? c->send_nic : NCCL_NO_NIC;
	*recv = c ? c->recv_nic : NCCL_NO_NIC;
	if (*send >= 0 && *recv >= 0)
		return SAID;
	if (*send >= 0 || *recv >= 0) {
		*send = *send >= 0 ? *send : *recv;
		*recv = *recv >= 0 ? *recv : *send;
		return OTHER_SIDE;
	}
	nic = nic_of_channel(j, channel);
	*send = *recv = nic;
	if (nic >= 0)
		return OF_CHANNEL;
	*send = (int32_t)j->local[src];
	*recv = (int32_t)j->local[dst];
	return OF_RANK;
}

static void mark_edge(struct nccl_job *j, uint8_t channel, uint32_t src, uint32_t dst)
{
	int32_t send, recv;

	if (!nccl_job_leaves(j, src, dst))
		return;
	switch (nics_of(j, channel, src, dst, &send, &recv)) {
	case SAID:
		j->nics_said++;
		break;
	case OTHER_SIDE:
		j->nics_other_side++;
		break;
	case OF_CHANNEL:
		j->nics_of_channel++;
		break;
	case OF_RANK:
		j->nics_of_rank++;
		break;
	}
	j->rail[send] = j->rail[recv] = 0;
}

/* NICs in use, in their order, are the rails. */
static void number_rails(struct nccl_job *j)
{
	memset(j->rail, 0xff, sizeof(j->rail));
	for (uint32_t c = 0; c < NCCL_MAX_CHANNELS; c++) {
		for (uint32_t i = 0; j->ring[c] && i < j->n_ranks; i++)
			mark_edge(
			        j, (uint8_t)c, j->ring[c][i], j->ring[c][(i + 1) % j->n_ranks]);
		for (uint32_t r = 0; j->parent[c] && r < j->n_ranks; r++) {
			if (j->parent[c][r] < 0)
				continue;
			mark_edge(j, (uint8_t)c, r, (uint32_t)j->parent[c][r]);
			mark_edge(j, (uint8_t)c, (uint32_t)j->parent[c][r], r);
		}
	}
	for (size_t i = 0; i < sizeof(j->rail) / sizeof(j->rail[0]); i++)
		if (j->rail[i] == 0)
			j->rail[i] = (int32_t)j->n_rails++;
	if (!j->n_rails) /* nothing leaves a machine */
		j->rail[0] = (int32_t)j->n_rails++;
}

void nccl_job_hosts(struct nccl_job *j, uint8_t channel, uint32_t src, uint32_t dst,
        uint32_t *src_host, uint32_t *dst_host)
{
	int32_t send, recv;

	(void)nics_of(j, channel, src, dst, &send, &recv);
	*src_host = j->node[src] * j->n_rails + (uint32_t)j->rail[send];
	*dst_host = j->node[dst] * j->n_rails + (uint32_t)j->rail[recv];
}

uint32_t nccl_job_host(const struct nccl_job *j, uint32_t rank)
{
	return j->node[rank] * j->n_rails + j->local[rank] % j->n_rails;
}

int nccl_nodes(struct nccl_job *j, const struct nccl_log *l, uint32_t n_nodes,
        uint32_t local_ranks, struct err *e)
{
	int rc = find_nodes(j, l, n_nodes, local_ranks, e);

	if (!rc)
		rc = take_connections(j, l, e);
	if (rc)
		return rc;
	number_rails(j);
	if ((uint64_t)j->n_nodes * j->n_rails > NCCL_MAX_RANKS || j->n_rails > 64)
		return err_set(e, -EINVAL,
		        "%u machines with %u NICs each are more than %d hosts or 64 rails",
		        j->n_nodes, j->n_rails, NCCL_MAX_RANKS);
	return 0;
}
