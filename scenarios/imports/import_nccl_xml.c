/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One machine's topology, and perhaps the rings found in it, become a job on two such machines:
 * its rings are told to the reader of logs in the words of a log.
 */
#include "scenarios/imports/import_nccl_xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/imports/import_nccl_log.h"

#define MACHINES 2

static bool is_it(const char *head, size_t len)
{
	(void)len;
	return strstr(head, "<system ") || strstr(head, "<graphs ") || strstr(head, "<graphs>");
}

static void say_gpus(struct import_draft *d, const struct nccl_topo *t)
{
	bool near[NCCL_TOPO_MAX_DEVICES];

	for (uint32_t g = 0; g < t->n_gpus; g++) {
		char list[200] = "";

		(void)nccl_topo_nearest(t, g, near);
		for (uint32_t i = 0; i < t->n_nics; i++) {
			size_t at = strlen(list);

			if (near[i])
				(void)snprintf(list + at, sizeof(list) - at, "%s%u (%s)",
				        at ? ", " : " ", i, t->nic[i].name);
		}
		import_say(d, IMPORT_FOUND, "GPU %u (%s) is nearest to%s%s", g, t->gpu[g].name,
		        list[0] ? " NIC" : " no NIC on the PCI tree", list);
	}
}

/* The order of GPUs in ring c, and through which NIC it enters and leaves. */
static uint32_t ring_of(const struct nccl_topo *t, uint32_t c, uint32_t n_gpus, uint16_t *order,
        int32_t *in, int32_t *out)
{
	bool near[NCCL_TOPO_MAX_DEVICES];
	uint32_t first = 0;

	if (c < t->n_rings) {
		memcpy(order, t->ring[c].gpu, t->ring[c].n_gpus * sizeof(*order));
		*in = t->ring[c].net_in >= 0 ? t->ring[c].net_in
		                             : (int32_t)(t->n_nics ? c % t->n_nics : c);
		*out = t->ring[c].net_out >= 0 ? t->ring[c].net_out : *in;
		return t->ring[c].n_gpus;
	}
	for (uint32_t g = n_gpus; g-- > 0;)
		if (nccl_topo_nearest(t, g, near) && near[c % t->n_nics])
			first = g;
	for (uint32_t g = 0; g < n_gpus; g++)
		order[g] = (uint16_t)((first + g) % n_gpus);
	*in = *out = (int32_t)c;
	return n_gpus;
}

static int tell(struct nccl_log *l, const char *host, const char *text, struct err *e)
{
	const struct nccl_message m = {.file = "xml",
	        .host = host,
	        .pid = 1,
	        .tid = 1,
	        .gpu = 0,
	        .text = text,
	        .from_nccl = 1};

	return nccl_log_take(l, &m, e);
}

static int tell_ring(struct nccl_log *l, const struct nccl_topo *t, uint32_t c,
        uint32_t n_rings, uint32_t n_gpus, struct err *e)
{
	const size_t room = (size_t)n_gpus * MACHINES * 8 + 100;
	uint16_t order[NCCL_TOPO_MAX_DEVICES];
	int32_t in, out;
	uint32_t n = ring_of(t, c, n_gpus, order, &in, &out);
	char *text = malloc(room);
	int rc = text ? 0 : err_set(e, -ENOMEM, "no memory for a ring"), at;

	if (n != n_gpus)
		rc = err_set(e, -EINVAL, "ring %u has %u GPUs, another %u", c, n, n_gpus);
	for (uint32_t i = 0; i < n && !rc; i++)
		if (order[i] >= n_gpus)
			rc = err_set(
			        e, -EINVAL, "ring %u has GPU %u of %u", c, order[i], n_gpus);
	if (!rc) {
		at = snprintf(text, room, "Channel %02u/%02u :", c, n_rings);
		for (uint32_t i = 0; i < MACHINES * n; i++)
			at += snprintf(text + at, room - (size_t)at, " %u",
			        i / n * n_gpus + order[i % n]);
		rc = tell(l, "machine0", text, e);
	}
	for (uint32_t m = 0; m < MACHINES && !rc; m++) {
		const uint32_t src = m * n_gpus + order[n - 1],
		               dst = (m + 1) % MACHINES * n_gpus + order[0];

		(void)snprintf(text, room,
		        "Channel %02u/0 : %u[0] -> %u[0] [send] via NET/IB/%d", c, src, dst,
		        out);
		rc = tell(l, "machine0", text, e);
		(void)snprintf(text, room,
		        "Channel %02u/0 : %u[0] -> %u[0] [receive] via NET/IB/%d", c, src, dst,
		        in);
		if (!rc)
			rc = tell(l, "machine0", text, e);
	}
	free(text);
	return rc;
}

static int tell_job(struct nccl_log *l, const struct nccl_topo *t, uint32_t n_gpus,
        uint32_t n_rings, struct err *e)
{
	char text[160];
	int rc;

	(void)snprintf(text, sizeof(text),
	        "comm 0x1 rank 0 nRanks %u nNodes %d localRanks %u localRank 0 MNNVL 0",
	        n_gpus * MACHINES, MACHINES, n_gpus);
	rc = tell(l, "machine0", text, e);
	for (uint32_t c = 0; c < n_rings && !rc; c++)
		rc = tell_ring(l, t, c, n_rings, n_gpus, e);
	return rc;
}

int nccl_xml_import(struct import_draft *d, const struct nccl_topo *t, const char *name,
        const struct import_job *job, struct err *e)
{
	const uint32_t n_gpus = t->n_gpus ? t->n_gpus : t->n_rings ? t->ring[0].n_gpus : 0;
	const uint32_t n_rings = t->n_rings ? t->n_rings : t->n_nics;
	struct nccl_log l;
	int rc;

	if (n_gpus < 1 || n_rings < 1)
		return err_set(e, -EINVAL,
		        "%s: %u GPUs, %u NICs and %u rings in it: a topology with GPUs and "
		        "NICs or "
		        "a graph of pattern 4 was expected",
		        name, t->n_gpus, t->n_nics, t->n_rings);
	rc = nccl_log_init(&l, e);
	if (rc)
		return rc;
	import_say(d, IMPORT_FOUND, "a machine of %u GPUs and %u NICs, %u rings", n_gpus,
	        t->n_nics, t->n_rings);
	say_gpus(d, t);
	for (uint32_t i = 0; i < t->n_nics; i++)
		if (t->nic[i].rate_bps)
			nccl_host_rate(&l.host[0], t->nic[i].rate_bps);
	rc = tell_job(&l, t, n_gpus, n_rings, e);
	if (!rc && l.host[0].nic_bps && l.n_hosts > 1) {
		nccl_host_rate(&l.host[1], l.host[0].nic_bps);
		nccl_host_rate(&l.host[1], l.host[0].low_bps);
	}
	if (!rc)
		rc = nccl_log_import(d, &l, name, job, e);
	nccl_log_fini(&l);
	import_say(d, IMPORT_ASSUMED, "a job on %d such machines", MACHINES);
	if (!t->n_rings)
		import_say(d, IMPORT_ASSUMED,
		        "one ring per NIC in the order of GPUs, from the one nearest to it: "
		        "there is "
		        "no graph XML");
	if (t->n_other)
		import_say(d, IMPORT_UNKNOWN, "%u channels of trees are left out", t->n_other);
	return rc;
}

static int read_xml(struct import_draft *d, const struct import_job *job, struct err *e)
{
	struct nccl_topo *t = calloc(1, sizeof(*t));
	int rc = t ? nccl_topo_init(t, e) : err_set(e, -ENOMEM, "no memory for a topology");

	for (uint32_t i = 0; i < job->n_paths && !rc; i++)
		rc = nccl_topo_read(t, job->path[i], e);
	if (!rc)
		rc = nccl_xml_import(d, t, job->path[0], job, e);
	if (t)
		nccl_topo_fini(t);
	free(t);
	return rc;
}

const struct import_source import_nccl_xml = {
        .name = "nccl-xml",
        .doc = "NCCL's topology or graph XML",
        .is_it = is_it,
        .read = read_xml,
};
