/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL debug logs: one file or one per rank, machine or job step. */
#include "scenarios/imports/import_nccl_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenarios/imports/nccl_works.h"

#define SHOWN_HOSTS 64

static bool is_it(const char *head, size_t len)
{
	(void)len;
	return strstr(head, "NCCL INFO") || strstr(head, "NCCL WARN") ||
	       strstr(head, "NCCL version");
}

/* A schedule lists every message; the patterns of a workload make theirs while they run. */
static int check_size(const struct transfers *t, const struct nccl_job *j, struct err *e)
{
	uint64_t ops = 0;

	for (uint32_t i = 0; i < t->n; i++)
		ops += 2 * (uint64_t)t->at[i].n;
	if (ops <= SCHED_MAX_OPS)
		return 0;
	return err_set(e, -EINVAL,
	        "%u ranks on %u channels send and receive %" PRIu64
	        " messages, and a schedule lists at most %u: give logs of fewer calls, or "
	        "write pattern all-reduce with ranks and channels, which lists none",
	        j->n_ranks, j->n_channels, ops, SCHED_MAX_OPS);
}

static int make_schedule(struct sched *out, struct nccl_job *j, const struct nccl_works *w,
        uint64_t trees, const char *name, struct err *e)
{
	struct transfers t = {0};
	int rc = 0;

	for (uint32_t i = 0; i < w->n && !rc; i++) {
		if ((trees >> i & 1) || !j->n_rings)
			rc = nccl_collective_tree(&t, j, &w->at[i], w->step[i], e);
		else
			rc = nccl_collective_ring(&t, j, &w->at[i], w->step[i], e);
	}
	if (!rc)
		rc = nccl_works_sent(&t, j, w, e);
	if (!rc && !t.n)
		rc = err_set(e, -EINVAL, "%s: nothing in it leaves a machine", name);
	if (!rc)
		rc = check_size(&t, j, e);
	if (!rc)
		rc = transfers_schedule(out, &t, name, j->n_nodes * j->n_rails, e);
	transfers_fini(&t);
	if (rc)
		(void)err_prefix(e, "%s", name);
	return rc;
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

/* "NIC 1 (mlx5_0, 2 ports)" */
static const char *nic_text(
        char text[64], const struct nccl_host *h, size_t nic, bool *several_ports)
{
	int len = snprintf(text, 64, "NIC %zu", nic);

	if (nic >= h->n_nics || !h->nic[nic][0])
		return text;
	if (h->nic_ports[nic] > 1) {
		*several_ports = true;
		(void)snprintf(text + len, 64 - (size_t)len, " (%s, %u ports)", h->nic[nic],
		        h->nic_ports[nic]);
	} else {
		(void)snprintf(text + len, 64 - (size_t)len, " (%s)", h->nic[nic]);
	}
	return text;
}

static void say_hosts(
        struct import_draft *d, const struct nccl_job *j, const struct nccl_log *l)
{
	bool several_ports = false;
	char text[64];

	for (uint32_t n = 0; n < j->n_nodes && n * j->n_rails < SHOWN_HOSTS; n++) {
		const struct nccl_host *h = &l->host[j->node_host[n]];

		for (size_t nic = 0; nic < sizeof(j->rail) / sizeof(j->rail[0]); nic++) {
			if (j->rail[nic] < 0)
				continue;
			import_say(d, IMPORT_FOUND, "host %u is %s of machine %u%s%s%s",
			        n * j->n_rails + (uint32_t)j->rail[nic],
			        nic_text(text, h, nic, &several_ports), n,
			        h->name[0] ? " (" : "", h->name, h->name[0] ? ")" : "");
		}
	}
	if (several_ports)
		import_say(d, IMPORT_ASSUMED,
		        "NICs of several ports have one link here: NCCL spreads the data over "
		        "the "
		        "ports, each with the rate of a port and a path of its own (--rate "
		        "says the "
		        "rate of all together)");
}

static const char *s_of(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void say_graphs(
        struct import_draft *d, const struct nccl_job *j, const struct nccl_log *l)
{
	const uint32_t whole = j->n_rings > j->n_trees ? j->n_rings : j->n_trees;
	const uint32_t machines = j->one_node ? 1 : j->n_nodes;
	const uint32_t broken = j->broken_rings + j->broken_trees;

	import_say(d, IMPORT_FOUND,
	        "%s%s%u ranks on %u machine%s, %u channel%s: %u ring%s and %u tree%s",
	        l->version, l->version[0] ? ": " : "", j->n_ranks, machines, s_of(machines),
	        j->n_channels, s_of(j->n_channels), j->n_rings, s_of(j->n_rings), j->n_trees,
	        s_of(j->n_trees));
	if (j->rings_from_connections && j->n_rings)
		import_say(d, IMPORT_ASSUMED,
		        "no line names a ring: they are made of the connections");
	if (whole < j->n_channels)
		import_say(d, IMPORT_UNKNOWN,
		        "%u of %u channels: their share of the bytes is left out",
		        j->n_channels - whole, j->n_channels);
	if (broken)
		import_say(d, IMPORT_UNKNOWN,
		        "%u %s not whole: the lines of some ranks are missing", broken,
		        !j->broken_trees   ? broken == 1 ? "ring is" : "rings are"
		        : !j->broken_rings ? broken == 1 ? "tree is" : "trees are"
		                           : "rings and trees are");
	if (j->other_comms)
		import_say(d, IMPORT_UNKNOWN,
		        "%u other communicators are left out, %u of them with as many ranks",
		        j->other_comms, j->as_large);
	if (l->damaged)
		import_say(d, IMPORT_UNKNOWN,
		        "%u lines about rings, trees or connections could not be read",
		        l->damaged);
}

/* Works over trees as a bit each; *open: nothing decides for some of them. */
static uint64_t choose_trees(const struct nccl_works *w, bool *open)
{
	uint64_t trees = 0;

	*open = false;
	for (uint32_t i = 0; i < w->n; i++) {
		if (!nccl_tree_op(w->at[i].op))
			continue;
		if (w->by[i] == NCCL_BY_TREE || w->by[i] == NCCL_NOT_RING)
			trees |= UINT64_C(1) << i;
		*open |= w->by[i] != NCCL_BY_TREE && w->by[i] != NCCL_BY_RING;
	}
	return trees;
}

static void say_choice(struct import_draft *d, const struct nccl_log *l, uint64_t trees,
        uint64_t can, bool open)
{
	const char *setting = l->algorithm[0] ? "NCCL_ALGO=" : "";
	const char *runs = !trees ? "the ring is what runs here; the tree stands below it"
	                   : trees == can
	                           ? "the tree is what runs here; the ring stands below it"
	                           : "some run over rings and some over trees here; the "
	                             "other way round stands below";
	bool tuned = false;

	for (uint32_t i = 0; i < l->n_tuned; i++)
		tuned |= l->tuned[i].by != NCCL_BY_ANY;
	if (!open)
		import_say(d, IMPORT_FOUND, "the log says that %s carried the data: %s%s%s",
		        !trees         ? "rings"
		        : trees == can ? "trees"
		                       : "rings and trees",
		        setting, l->algorithm,
		        !tuned            ? ""
		        : l->algorithm[0] ? ", lines of the tuner"
		                          : "lines of the tuner");
	else if (l->algorithm[0] || tuned)
		import_say(d, IMPORT_UNKNOWN,
		        "whether rings or trees carried the data: the log says %s%s%s, which "
		        "does "
		        "not decide between them; %s, commented out",
		        setting, l->algorithm,
		        !tuned            ? ""
		        : l->algorithm[0] ? " and what the tuner chose"
		                          : "what the tuner chose",
		        runs);
	else
		import_say(d, IMPORT_UNKNOWN,
		        "whether rings or trees carried the data: the log prints both; %s, "
		        "commented out",
		        runs);
}

/* A setting that asks for what the log does not show. */
static void say_other_carrier(struct import_draft *d, const struct nccl_job *j,
        const struct nccl_works *w, const struct nccl_log *l)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const enum nccl_carrier by = w->by[i];
		const bool rings = !nccl_tree_op(w->at[i].op) || !j->n_trees;

		if (by == NCCL_BY_ANY || (rings ? by == NCCL_BY_RING || by == NCCL_NOT_TREE
		                                : by == NCCL_BY_TREE || by == NCCL_NOT_RING))
			continue;
		import_say(d, IMPORT_UNKNOWN,
		        "what carried the data of the %s: the log says %s%s, here it goes over "
		        "%s",
		        nccl_op_name[w->at[i].op], l->algorithm[0] ? "NCCL_ALGO=" : "",
		        l->algorithm[0] ? l->algorithm : "that the tuner chose something else",
		        rings ? "rings" : "trees");
		return;
	}
}

static int make_both(struct import_draft *d, struct nccl_job *j, const struct nccl_log *l,
        const struct nccl_works *w, const char *name, struct err *e)
{
	uint64_t can = 0, trees;
	bool open;
	int rc;

	for (uint32_t i = 0; i < w->n; i++)
		can |= (uint64_t)nccl_tree_op(w->at[i].op) << i;
	trees = choose_trees(w, &open);
	if (!j->n_rings || !j->n_trees || !can) {
		say_other_carrier(d, j, w, l);
		return make_schedule(&d->sched, j, w, j->n_rings ? 0 : can, name, e);
	}
	say_choice(d, l, trees, can, open);
	rc = make_schedule(&d->sched, j, w, trees, name, e);
	if (!rc)
		rc = make_schedule(&d->other, j, w, trees ^ can, name, e);
	d->other_name = trees ? "ring" : "tree";
	d->other_why = trees ? "The same over the rings of the log, instead:"
	                     : "The same over the trees of the log, instead:";
	return rc;
}

static void take_rate(
        struct import_draft *d, const struct nccl_job *j, const struct nccl_log *l)
{
	int64_t low = 0;

	for (uint32_t n = 0; n < j->n_nodes; n++) {
		const struct nccl_host *h = &l->host[j->node_host[n]];

		if (h->nic_bps > d->rate_bps)
			d->rate_bps = h->nic_bps;
		if (h->low_bps && (!low || h->low_bps < low))
			low = h->low_bps;
	}
	if (d->rate_bps && low != d->rate_bps)
		import_say(d, IMPORT_ASSUMED,
		        "the links of all hosts have %.4g Gbit/s: the NICs in it have from "
		        "%.4g to "
		        "%.4g Gbit/s, and which of them have less is not told apart",
		        (double)d->rate_bps / 1e9, (double)low / 1e9,
		        (double)d->rate_bps / 1e9);
	else if (d->rate_bps)
		import_say(d, IMPORT_FOUND, "NICs of %.4g Gbit/s", (double)d->rate_bps / 1e9);
}

int nccl_log_import(struct import_draft *d, const struct nccl_log *l, const char *name,
        const struct import_job *job, struct err *e)
{
	struct nccl_job *j = calloc(1, sizeof(*j));
	struct nccl_works w = {0};
	int rc = j ? nccl_job_init(j, l, name, e) : err_set(e, -ENOMEM, "%s: no memory", name);

	if (!rc)
		rc = nccl_works_init(&w, l, j, job, name, e);
	if (!rc) {
		say_graphs(d, j, l);
		nccl_works_say(d, &w, l);
		rc = make_both(d, j, l, &w, name, e);
		if (w.n == 1 && !w.n_sent) {
			d->collective = nccl_op_name[w.at[0].op];
			d->collective_bytes = w.at[0].bytes;
		}
	}
	if (!rc) {
		say_nics(d, j);
		say_nodes(d, j);
		import_say(d, IMPORT_UNKNOWN, "the fabric between the machines");
		say_hosts(d, j, l);
		d->nodes = j->n_nodes;
		d->rails = j->n_rails;
		d->n_hosts = j->n_nodes * j->n_rails;
		take_rate(d, j, l);
	}
	nccl_works_fini(&w);
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
