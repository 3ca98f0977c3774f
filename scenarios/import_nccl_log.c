/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL debug logs: one file or one per rank, machine or job step. */
#include "scenarios/import_nccl_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenarios/nccl_collective.h"

#define DEFAULT_BUFFER_BYTES INT64_C(67108864)
#define MAX_WORKS            64
#define SHOWN_HOSTS          64

static bool is_it(const char *head, size_t len)
{
	(void)len;
	return strstr(head, "NCCL INFO") || strstr(head, "NCCL WARN") ||
	       strstr(head, "NCCL version");
}

struct works {
	struct nccl_work at[MAX_WORKS];
	uint32_t n, more;
	bool assumed_op, assumed_bytes;
};

/* Calls as one process of the communicator made them; all ranks make the same. */
static void take_calls(struct works *w, const struct nccl_log *l, const struct nccl_job *j)
{
	uint32_t thread = UINT32_MAX;
	bool any_of_comm = false;

	for (uint32_t i = 0; i < l->n_calls; i++)
		any_of_comm |= j->comm && l->call[i].comm == j->comm;
	for (uint32_t i = 0; i < l->n_calls; i++) {
		const struct nccl_call *c = &l->call[i];

		if (any_of_comm ? c->comm != j->comm
		                : thread != UINT32_MAX && c->thread != thread)
			continue;
		thread = c->thread;
		if (w->n == MAX_WORKS) {
			w->more++;
			continue;
		}
		w->at[w->n++] = (struct nccl_work){
		        .op = (enum nccl_op)c->op,
		        .bytes = c->bytes,
		        .root = c->root >= 0 && (uint32_t)c->root < j->n_ranks
		                        ? (uint32_t)c->root
		                        : 0,
		};
	}
}

static bool op_of_table(const struct nccl_log *l, enum nccl_op *op)
{
	static const struct {
		const char *name;
		enum nccl_op op;
	} names[] = {
	        {"all_reduce", NCCL_ALL_REDUCE},
	        {"all_gather", NCCL_ALL_GATHER},
	        {"reduce_scatter", NCCL_REDUCE_SCATTER},
	        {"broadcast", NCCL_BROADCAST},
	        {"alltoall", NCCL_ALL_TO_ALL},
	        {"reduce", NCCL_REDUCE},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(l->table_name, names[i].name)) {
			*op = names[i].op;
			return true;
		}
	*op = NCCL_ALL_REDUCE;
	return l->table_reduces;
}

/* What to run: the calls, else what nccl-tests measured, else an all-reduce. */
static void choose_works(struct works *w, const struct nccl_log *l, const struct nccl_job *j,
        const struct import_job *job)
{
	int64_t bytes = 0;

	*w = (struct works){0};
	take_calls(w, l, j);
	for (uint32_t i = 0; i < w->n && job->buffer_bytes; i++)
		w->at[i].bytes = job->buffer_bytes;
	if (w->n)
		return;
	w->assumed_op = !op_of_table(l, &w->at[0].op);
	for (uint32_t i = 0; i < l->n_table; i++)
		bytes = l->table_bytes[i] > bytes ? l->table_bytes[i] : bytes;
	w->assumed_bytes = !bytes && !job->buffer_bytes;
	w->at[0].bytes = job->buffer_bytes ? job->buffer_bytes
	                 : bytes           ? bytes
	                                   : DEFAULT_BUFFER_BYTES;
	w->n = 1;
}

static bool trees_can(const struct works *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->at[i].op != NCCL_ALL_REDUCE && w->at[i].op != NCCL_BROADCAST &&
		        w->at[i].op != NCCL_REDUCE)
			return false;
	return true;
}

/* A tree cannot do this one, NCCL takes the ring for it. */
static bool tree_op(enum nccl_op op)
{
	return op == NCCL_ALL_REDUCE || op == NCCL_BROADCAST || op == NCCL_REDUCE;
}

static int make_schedule(struct sched *out, struct nccl_job *j, const struct works *w,
        bool trees, const char *name, struct err *e)
{
	struct transfers t = {0};
	int rc = 0;

	for (uint32_t i = 0; i < w->n && !rc; i++) {
		if ((trees && tree_op(w->at[i].op)) || !j->n_rings)
			rc = nccl_collective_tree(&t, j, &w->at[i], i, e);
		else
			rc = nccl_collective_ring(&t, j, &w->at[i], i, e);
	}
	if (!rc && !t.n)
		rc = err_set(e, -EINVAL, "%s: nothing in it leaves a machine", name);
	if (!rc)
		rc = transfers_schedule(out, &t, name, j->n_nodes * j->n_rails, e);
	transfers_fini(&t);
	if (rc)
		(void)err_prefix(e, "%s", name);
	return rc;
}

static void say_works(struct import_draft *d, const struct works *w, const struct nccl_log *l)
{
	for (uint32_t i = 0; i < w->n && i < 8; i++)
		import_say(d, w->assumed_op || w->assumed_bytes ? IMPORT_ASSUMED : IMPORT_FOUND,
		        "runs %s of %" PRId64 " bytes%s%s", nccl_op_name[w->at[i].op],
		        w->at[i].bytes,
		        w->assumed_op      ? "; nothing says which collective ran"
		        : w->assumed_bytes ? "; nothing says how much"
		                           : "",
		        w->assumed_bytes ? " (--buffer says another size)" : "");
	if (w->n > 8)
		import_say(d, IMPORT_FOUND, "and %u more calls after these", w->n - 8);
	if (w->more || l->more_calls)
		import_say(d, IMPORT_FOUND, "%u later calls are left out",
		        w->more + l->more_calls);
	if (l->n_table > 1 && w->n == 1 && !l->n_calls)
		import_say(d, IMPORT_FOUND,
		        "nccl-tests measured %u sizes, the largest of which is taken (--buffer "
		        "says another one)",
		        l->n_table + l->more_table);
}

static void say_nics(struct import_draft *d, const struct nccl_job *j)
{
	const uint32_t all =
	        j->nics_said + j->nics_other_side + j->nics_of_channel + j->nics_of_rank;

	if (j->one_node) {
		import_say(d, IMPORT_ASSUMED,
		        "all ranks are on one machine, whose traffic stays on NVLink: here "
		        "each is "
		        "a host of its own");
		return;
	}
	import_say(d, IMPORT_FOUND, "the NICs at both ends of %u of %u edges between machines",
	        j->nics_said, all);
	if (j->nics_other_side)
		import_say(d, IMPORT_ASSUMED,
		        "%u edges whose NIC is known at one end use the same number at the "
		        "other",
		        j->nics_other_side);
	if (j->nics_of_channel)
		import_say(d, IMPORT_ASSUMED,
		        "%u edges without a line of their own use a NIC that their channel "
		        "uses "
		        "elsewhere",
		        j->nics_of_channel);
	if (j->nics_of_rank)
		import_say(d, IMPORT_ASSUMED,
		        "%u edges use the NIC with the number of the rank on its machine: no "
		        "line "
		        "says which",
		        j->nics_of_rank);
}

static void say_nodes(struct import_draft *d, const struct nccl_job *j)
{
	if (j->nodes_by_block)
		import_say(d, IMPORT_ASSUMED,
		        "%u ranks of which there is no line are on machines in blocks, as "
		        "launchers number them",
		        j->nodes_by_block);
	if (j->nodes_alone && !j->one_node)
		import_say(d, IMPORT_ASSUMED,
		        "%u ranks of which nothing says where they run are each on a machine "
		        "of "
		        "their own",
		        j->nodes_alone);
	if (j->one_node || j->n_nodes == j->n_ranks)
		return;
	import_say(d, IMPORT_ASSUMED,
	        "hops inside a machine take no time; where two of its NICs pass data on, 8 "
	        "bytes "
	        "over the fabric carry the news");
}

static void say_hosts(
        struct import_draft *d, const struct nccl_job *j, const struct nccl_log *l)
{
	for (uint32_t n = 0; n < j->n_nodes && n * j->n_rails < SHOWN_HOSTS; n++) {
		const struct nccl_host *h = &l->host[j->node_host[n]];

		for (size_t nic = 0; nic < sizeof(j->rail) / sizeof(j->rail[0]); nic++) {
			if (j->rail[nic] < 0)
				continue;
			import_say(d, IMPORT_FOUND,
			        "host %u is NIC %zu%s%s%s of machine %u%s%s%s",
			        n * j->n_rails + (uint32_t)j->rail[nic], nic,
			        nic < h->n_nics && h->nic[nic][0] ? " (" : "",
			        nic < h->n_nics ? h->nic[nic] : "",
			        nic < h->n_nics && h->nic[nic][0] ? ")" : "", n,
			        h->name[0] ? " (" : "", h->name, h->name[0] ? ")" : "");
		}
	}
}

static void say_graphs(
        struct import_draft *d, const struct nccl_job *j, const struct nccl_log *l)
{
	const uint32_t whole = j->n_rings > j->n_trees ? j->n_rings : j->n_trees;

	import_say(d, IMPORT_FOUND,
	        "%s%s%u ranks on %u machines, %u channels: %u rings and %u trees", l->version,
	        l->version[0] ? ": " : "", j->n_ranks, j->one_node ? 1 : j->n_nodes,
	        j->n_channels, j->n_rings, j->n_trees);
	if (j->rings_from_connections && j->n_rings)
		import_say(d, IMPORT_ASSUMED,
		        "no line names a ring: they are made of the connections");
	if (whole < j->n_channels)
		import_say(d, IMPORT_UNKNOWN,
		        "%u of %u channels: their share of the bytes is left out",
		        j->n_channels - whole, j->n_channels);
	if (j->broken_rings || j->broken_trees)
		import_say(d, IMPORT_UNKNOWN,
		        "%u rings and %u trees are not whole: the lines of some ranks are "
		        "missing",
		        j->broken_rings, j->broken_trees);
	if (j->other_comms)
		import_say(d, IMPORT_UNKNOWN, "%u smaller communicators are left out",
		        j->other_comms);
	if (l->damaged)
		import_say(d, IMPORT_UNKNOWN,
		        "%u lines about rings, trees or connections could not be read",
		        l->damaged);
}

/* What carried the data: the log may say, but usually does not. */
static bool prefers_trees(struct import_draft *d, const struct nccl_job *j,
        const struct nccl_log *l, const struct works *w)
{
	const bool said_tree =
	        !strncasecmp(l->algorithm, "tree", 4) || l->picked_tree > l->picked_ring;
	const bool said = l->algorithm[0] || l->picked_ring || l->picked_tree;

	if (!j->n_rings)
		return true;
	if (!j->n_trees || !trees_can(w))
		return false;
	if (!said)
		import_say(d, IMPORT_UNKNOWN,
		        "whether rings or trees carried the data: the log prints both. The "
		        "ring is "
		        "what runs here; the tree stands below it, commented out");
	else
		import_say(d, IMPORT_FOUND, "the log says that %s carried the data%s%s",
		        said_tree ? "trees" : "rings", l->algorithm[0] ? ": NCCL_ALGO=" : "",
		        l->algorithm);
	return said_tree;
}

static int make_both(struct import_draft *d, struct nccl_job *j, const struct nccl_log *l,
        const struct works *w, const char *name, struct err *e)
{
	const bool trees = prefers_trees(d, j, l, w);
	const bool both = j->n_rings && j->n_trees && trees_can(w);
	int rc = make_schedule(&d->sched, j, w, trees, name, e);

	if (!rc && both)
		rc = make_schedule(&d->other, j, w, !trees, name, e);
	d->other_name = trees ? "ring" : "tree";
	d->other_why = trees ? "The same over the rings of the log, instead:"
	                     : "The same over the trees of the log, instead:";
	return rc;
}

int nccl_log_import(struct import_draft *d, const struct nccl_log *l, const char *name,
        const struct import_job *job, struct err *e)
{
	struct nccl_job *j = calloc(1, sizeof(*j));
	struct works w;
	int rc = j ? nccl_job_init(j, l, name, e) : err_set(e, -ENOMEM, "%s: no memory", name);

	if (!rc) {
		choose_works(&w, l, j, job);
		say_graphs(d, j, l);
		say_works(d, &w, l);
		rc = make_both(d, j, l, &w, name, e);
	}
	if (!rc) {
		say_nics(d, j);
		say_nodes(d, j);
		import_say(d, IMPORT_UNKNOWN, "the fabric between the machines");
		say_hosts(d, j, l);
		d->nodes = j->n_nodes;
		d->rails = j->n_rails;
		d->n_hosts = j->n_nodes * j->n_rails;
		for (uint32_t n = 0; n < j->n_nodes; n++)
			if (l->host[j->node_host[n]].nic_bps)
				d->rate_bps = l->host[j->node_host[n]].nic_bps;
		if (d->rate_bps)
			import_say(d, IMPORT_FOUND, "NICs of %.4g Gbit/s",
			        (double)d->rate_bps / 1e9);
	}
	if (j)
		nccl_job_fini(j);
	free(j);
	return rc;
}

static int read_logs(struct import_draft *d, const struct import_job *job, struct err *e)
{
	struct nccl_log l;
	int rc = nccl_log_init(&l, e);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < job->n_paths && !rc; i++)
		rc = nccl_lines_read(job->path[i], nccl_log_take, &l, e);
	if (!rc)
		rc = nccl_log_import(d, &l, job->path[0], job, e);
	nccl_log_fini(&l);
	return rc;
}

const struct import_source import_nccl_log = {
        .name = "nccl-log",
        .doc = "an NCCL debug log",
        .is_it = is_it,
        .read = read_logs,
};
