/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fct.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/out_file.h"
#include "dataplane/base/units.h"
#include "scenarios/fct_path.h"

#define FIRST_SOURCE_PORT 10000
#define DESTINATION_PORT  100 /* where the workload names none */

/* What a line needs beyond the message's record. */
struct line {
	uint16_t source_port;
	int64_t standalone_ns;
};

struct order {
	const struct msg_record *msg;
	const struct topo *topo;
};

/* Messages of one pair side by side in the order of posting, pairs by the destination's switch.
 */
static int by_pair(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct msg_record *x = &o->msg[*(const uint32_t *)a];
	const struct msg_record *y = &o->msg[*(const uint32_t *)b];
	uint32_t ex = fct_edge_of(o->topo, x->dst), ey = fct_edge_of(o->topo, y->dst);

	if (ex != ey)
		return ex < ey ? -1 : 1;
	if (x->dst != y->dst)
		return x->dst < y->dst ? -1 : 1;
	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* The family's estimate: base round trip plus the whole message at the bottleneck's rate. */
static int64_t standalone_ns(
        struct fct_paths *paths, const struct frame_cfg *f, const struct msg_record *m)
{
	struct fct_path path = fct_path_get(paths, m->src, m->dst);
	int64_t packets = m->bytes > 0 ? (m->bytes - 1) / f->path_mtu_bytes + 1 : 1;
	int64_t wire_bytes =
	        m->bytes + packets * (f->header_bytes + f->fcs_bytes + f->gap_bytes);

	return path.rtt_ns + (int64_t)((__int128)wire_bytes * 8000000000 / path.rate_bps);
}

static int fill(struct line *line, uint32_t *at, const struct scenario *s,
        const struct run_record *rec, struct err *e)
{
	struct order order = {.msg = rec->msg, .topo = s->topo};
	const struct msg_record *former = NULL;
	struct fct_paths paths;
	uint16_t port = 0;
	int rc = fct_paths_open(&paths, s->topo, s->frame.path_mtu_bytes, e);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < rec->n_msg; i++)
		at[i] = i;
	qsort_r(at, rec->n_msg, sizeof(*at), by_pair, &order);
	for (uint32_t i = 0; i < rec->n_msg; i++) {
		const struct msg_record *m = &rec->msg[at[i]];

		if (!former || former->src != m->src || former->dst != m->dst)
			port = FIRST_SOURCE_PORT;
		line[at[i]].source_port = port++;
		line[at[i]].standalone_ns = standalone_ns(&paths, &s->frame, m);
		former = m;
	}
	fct_paths_close(&paths);
	return 0;
}

static uint16_t destination_port(const struct scenario *s, const struct msg_record *m)
{
	const struct load_cfg *c = &s->entry[m->entry].cfg;

	if (c->flow && m->tag < c->n_flows && c->flow[m->tag].dport)
		return c->flow[m->tag].dport;
	return DESTINATION_PORT;
}

static uint32_t address(const struct scenario *s, uint32_t host)
{
	return UINT32_C(0x0b000001) + (s->topo->node[host].outside_id << 8);
}

static void print(FILE *f, const struct line *line, const struct scenario *s,
        const struct run_record *rec)
{
	for (uint64_t i = 0; i < rec->n_msg; i++) {
		const struct msg_record *m = &rec->msg[i];

		if (m->status != MSG_COMPLETED)
			continue;
		fprintf(f, "%08x %08x %u %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
		        address(s, m->src), address(s, m->dst), line[i].source_port,
		        destination_port(s, m), m->bytes, ns_from_ps_floor(m->post_ps),
		        ns_from_ps_floor(m->done_ps - m->post_ps), line[i].standalone_ns);
	}
}

bool fct_is_line(const char *line)
{
	size_t digits = 0, spaces = 0;

	for (; isxdigit((unsigned char)*line) || *line == ' '; line++)
		*(*line == ' ' ? &spaces : &digits) += 1;
	return *line == '\n' && spaces == 7 && digits >= 22;
}

int fct_write(
        const char *path, const struct scenario *s, const struct run_record *rec, struct err *e)
{
	struct line *line = calloc(rec->n_msg + 1, sizeof(*line));
	uint32_t *at = calloc(rec->n_msg + 1, sizeof(*at));
	struct out_set set;
	FILE *f;
	int rc;

	out_set_init(&set);
	if (!line || !at || rec->n_msg > UINT32_MAX)
		rc = err_set(
		        e, -ENOMEM, "%s: no memory for %" PRIu64 " lines", path, rec->n_msg);
	else
		rc = fill(line, at, s, rec, e);
	if (!rc)
		rc = out_set_add(&set, &f, path, e);
	if (!rc) {
		print(f, line, s, rec);
		rc = out_set_commit(&set, e);
	}
	out_set_abort(&set);
	free(line);
	free(at);
	return rc;
}
