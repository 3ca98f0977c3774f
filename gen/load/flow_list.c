/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of flows, from a CSV file or from memory: each is a message on a queue pair of its own
 * at its own time. Rows stay in their order, an index sorts them by source and start, and a
 * rank's state is its range of that index.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/text_file.h"
#include "gen/load/flow_csv.h"
#include "gen/load/load_input.h"
#include "gen/load/load_int.h"

enum { W_AT, W_END, W_AWAKE }; /* words of struct load_state */

struct flow_index {
	uint32_t *first; /* [n_hosts + 1]: a host's rows in order[] */
	uint32_t *order; /* [n_flows]: rows by (src, start, row) */
};

static int read_file(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	char path[LOAD_PATH_BYTES], *text;
	size_t len;
	int rc = load_path(path, en->env.base_dir, c->file, e);

	if (!rc)
		rc = text_file_read(&text, &len, path, FLOW_CSV_MAX_FILE_BYTES, e);
	if (!rc) {
		rc = flow_csv_parse(&c->flow, &c->n_flows, path, text, len, en->env.n_hosts,
		        load_max_bytes(en), e);
		free(text);
	}
	if (rc)
		err_prefix(e, "workload[%u].file", en->index);
	return rc;
}

static int check_rows(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;
	enum flow_field bad;

	if (c->n_flows < 1 || c->n_flows > LOAD_MAX_FLOWS)
		return load_key_err(en, e, "flows", "%" PRId64 " flows, expected 1 to %" PRId64,
		        c->n_flows, LOAD_MAX_FLOWS);
	for (int64_t i = 0; i < c->n_flows; i++) {
		int rc = flow_check(&c->flow[i], en->env.n_hosts, load_max_bytes(en), &bad, e);

		if (rc) {
			err_prefix(e, "workload[%u].flows[%" PRId64 "]", en->index, i);
			return rc;
		}
		if (c->flow[i].start_ps > LOAD_MAX_TIME_PS - c->start_ps)
			return load_key_err(en, e, "start",
			        "flow %" PRId64 " would start after the longest run of %" PRId64
			        " s: lower start",
			        i, LOAD_MAX_TIME_PS / PS_PER_S);
	}
	return 0;
}

static int by_start(const void *a, const void *b, void *flows)
{
	const struct load_flow *flow = flows;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (flow[i].start_ps != flow[j].start_ps)
		return flow[i].start_ps < flow[j].start_ps ? -1 : 1;
	return (i > j) - (i < j);
}

/* A counting sort by source, then each source's rows by time. */
static int build_index(struct load_entry *en, struct err *e)
{
	struct load_cfg *c = &en->cfg;
	uint32_t n_hosts = en->env.n_hosts, n = (uint32_t)c->n_flows;
	struct flow_index *x = calloc(1, sizeof(*x));

	en->shared = x;
	if (x) {
		x->first = calloc(n_hosts + 2, sizeof(*x->first));
		x->order = calloc(n, sizeof(*x->order));
	}
	if (!x || !x->first || !x->order)
		return err_set(
		        e, -ENOMEM, "workload[%u]: no memory for %u flows", en->index, n);
	/* first[src + 2] counts; summed up, first[src + 1] is where src's next row goes. */
	for (uint32_t i = 0; i < n; i++)
		x->first[c->flow[i].src + 2]++;
	for (uint32_t h = 0; h < n_hosts; h++)
		x->first[h + 2] += x->first[h + 1];
	for (uint32_t i = 0; i < n; i++)
		x->order[x->first[c->flow[i].src + 1]++] = i;
	for (uint32_t h = 0; h < n_hosts; h++)
		qsort_r(x->order + x->first[h], x->first[h + 1] - x->first[h],
		        sizeof(*x->order), by_start, c->flow);
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	bool named = en->cfg.file && en->cfg.file[0];
	int rc;

	if (named && en->cfg.flow)
		return load_key_err(
		        en, e, "file", "a file and rows were given: leave out file or flows");
	if (!named && !en->cfg.flow)
		return load_key_err(en, e, "file",
		        "no flows: give a CSV file of src,dst,bytes,start[,priority] lines");
	if (named) {
		rc = read_file(en, e);
		if (rc)
			return rc;
	}
	rc = check_rows(en, e);
	return rc ? rc : build_index(en, e);
}

static bool involves(const struct load_entry *en, uint32_t host)
{
	const struct flow_index *x = en->shared;

	return host < en->env.n_hosts && x->first[host] < x->first[host + 1];
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	const struct flow_index *x = en->shared;

	*st = (struct load_state){.w[W_AT] = x->first[host], .w[W_END] = x->first[host + 1]};
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct flow_index *x = en->shared;
	const struct load_flow *f;
	uint32_t row;

	if (st->w[W_AT] == st->w[W_END]) {
		*op = (struct load_op){.kind = LOAD_END};
		return;
	}
	row = x->order[st->w[W_AT]];
	f = &en->cfg.flow[row];
	if (!st->w[W_AWAKE]) {
		st->w[W_AWAKE] = 1;
		*op = (struct load_op){
		        .kind = LOAD_SLEEP_UNTIL, .t_ps = en->cfg.start_ps + f->start_ps};
		return;
	}
	st->w[W_AWAKE] = 0;
	st->w[W_AT]++;
	*op = (struct load_op){
	        .kind = LOAD_SEND,
	        .peer = f->dst,
	        .qp = LOAD_QP_FRESH,
	        .tag = row,
	        .bytes = f->bytes,
	        .t_ps = en->cfg.start_ps + f->start_ps,
	        .priority = f->priority,
	};
}

static void fini(struct load_entry *en)
{
	struct flow_index *x = en->shared;

	if (!x)
		return;
	free(x->first);
	free(x->order);
	free(x);
	en->shared = NULL;
}

const struct load_ops flow_list_ops = {
        .name = "flows",
        .doc = "a list of flows, each with its own source, destination, size, start and QP",
        .prepare = prepare,
        .involves = involves,
        .start = start,
        .next = next,
        .fini = fini,
};
