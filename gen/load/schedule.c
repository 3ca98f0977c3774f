/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule from a file: each rank's graph of sends, receives and calculations runs as it
 * says, each operation as soon as what it waits for has happened. A host's state is where each
 * of its lanes stands in its row of instructions.
 */
#include "gen/load/schedule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "gen/load/goal.h"
#include "gen/load/load_input.h"
#include "gen/load/load_int.h"
#include "gen/load/sched_program.h"

struct schedule {
	struct sched_program program;
	uint64_t hash; /* of the file's text */
};

enum { W_AT, W_ROUND, W_LANE, W_RANK }; /* words of struct load_state */

static uint64_t hash_text(const char *text, size_t len)
{
	uint64_t h = len;

	for (size_t i = 0; i < len; i += sizeof(h)) {
		uint64_t part = 0;

		memcpy(&part, text + i, len - i < sizeof(part) ? len - i : sizeof(part));
		h = hash_combine(h, part);
	}
	return h;
}

static int read_file(struct sched *s, const struct load_entry *en, struct err *e)
{
	struct schedule *sc = en->shared;
	char path[LOAD_PATH_BYTES], *text;
	size_t len;
	int rc;

	if (!en->cfg.file || !en->cfg.file[0])
		return load_key_err(en, e, "file", "no schedule: give a file of GOAL text");
	rc = load_path(path, en->env.base_dir, en->cfg.file, e);
	if (!rc)
		rc = text_file_read(&text, &len, path, GOAL_MAX_FILE_BYTES, e);
	if (!rc) {
		sc->hash = hash_text(text, len);
		rc = goal_parse(s, path, text, len, e);
		free(text);
	}
	if (rc)
		err_prefix(e, "workload[%u].file", en->index);
	return rc;
}

static int check_collective(const struct load_entry *en, struct err *e)
{
	const struct load_cfg *c = &en->cfg;

	if (c->collective != LOAD_NOT_ONE && !c->collective_bytes)
		return load_key_err(en, e, "collective_buffer",
		        "missing: the size of the collective, from which its bandwidth "
		        "follows");
	if (c->collective == LOAD_NOT_ONE && c->collective_bytes)
		return load_key_err(
		        en, e, "collective", "missing: collective_buffer is the size of one");
	return 0;
}

static int prepare(struct load_entry *en, struct err *e)
{
	struct schedule *sc = calloc(1, sizeof(*sc));
	struct sched s = {0};
	int rc;

	en->shared = sc;
	if (!sc)
		return err_set(e, -ENOMEM, "workload[%u]: no memory", en->index);
	rc = check_collective(en, e);
	if (!rc)
		rc = read_file(&s, en, e);
	if (!rc) {
		rc = sched_check_sizes(&s, load_max_bytes(en), en->cfg.calc_unit_ps, e);
		if (!rc)
			rc = sched_compile(&sc->program, &s, e);
		if (rc)
			err_prefix(e, "workload[%u].file", en->index);
	}
	if (!rc && en->cfg.first_host + s.n_ranks > en->env.n_hosts)
		rc = load_key_err(en, e, "file",
		        "%u ranks from host %" PRId64 " on need %" PRId64
		        " hosts, the fabric has %u: raise "
		        "fabric.topology.hosts",
		        s.n_ranks, en->cfg.first_host, en->cfg.first_host + s.n_ranks,
		        en->env.n_hosts);
	if (!rc)
		en->ranks = (struct load_ranks){
		        .n = s.n_ranks, .first = (uint32_t)en->cfg.first_host};
	sched_fini(&s);
	return rc;
}

static const struct sched_program *program(const struct load_entry *en)
{
	const struct schedule *sc = en->shared;

	return &sc->program;
}

static uint32_t lanes(const struct load_entry *en, uint32_t host)
{
	const struct sched_program *p = program(en);
	const int64_t rank = (int64_t)host - en->cfg.first_host;

	if (rank < 0 || rank >= p->n_ranks)
		return 0;
	return p->first_lane[rank + 1] - p->first_lane[rank];
}

static bool involves(const struct load_entry *en, uint32_t host)
{
	return lanes(en, host) > 0;
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	*st = (struct load_state){
	        .w[W_LANE] = lane,
	        .w[W_RANK] = host - (uint64_t)en->cfg.first_host,
	};
}

static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	const struct sched_program *p = program(en);
	const uint32_t first = p->first_lane[st->w[W_RANK]];
	const uint32_t lane = first + (uint32_t)st->w[W_LANE];
	const uint64_t round = st->w[W_ROUND];
	const struct sched_ins *in = &p->ins[p->lane[lane].first + st->w[W_AT]];

	if (round == (uint64_t)en->cfg.repeat) {
		*op = (struct load_op){.kind = LOAD_END};
		return;
	}
	if (++st->w[W_AT] == p->lane[lane].n) {
		st->w[W_AT] = 0;
		st->w[W_ROUND]++;
	}
	*op = (struct load_op){
	        .kind = (enum load_op_kind)in->kind,
	        .count = (uint64_t)in->value,
	        .stream = in->stream,
	        .t_ps = -1,
	        .priority = -1,
	};
	switch (op->kind) {
	case LOAD_SEND:
		op->peer = in->peer + (uint32_t)en->cfg.first_host;
		op->qp = in->stream;
		op->tag = in->tag;
		op->bytes = in->value;
		break;
	case LOAD_RECV:
		op->peer = in->peer + (uint32_t)en->cfg.first_host;
		op->count += round * in->tag;
		break;
	case LOAD_STEP:
		op->count += round * p->end_step[lane];
		break;
	case LOAD_WAIT_LANE:
		op->lane = (uint16_t)in->peer;
		op->count += round * p->end_step[first + in->peer];
		break;
	case LOAD_COMPUTE:
		op->t_ps = in->value * en->cfg.calc_unit_ps;
		break;
	case LOAD_MARK:
		op->tag = (uint32_t)round;
		op->stream = 0;
		break;
	case LOAD_WAIT_SENDS:
	case LOAD_SLEEP_UNTIL:
	case LOAD_END:
		break;
	}
}

static void fini(struct load_entry *en)
{
	struct schedule *sc = en->shared;

	if (!sc)
		return;
	sched_program_fini(&sc->program);
	free(sc);
	en->shared = NULL;
}

static bool figure(const struct load_entry *en, uint16_t part, struct load_figure *f)
{
	const struct load_cfg *c = &en->cfg;
	const uint32_t n = en->ranks.n;

	if (part || c->collective == LOAD_NOT_ONE)
		return false;
	*f = (struct load_figure){.bytes = c->collective_bytes, .bus_num = n - 1, .bus_den = n};
	switch ((enum load_collective)c->collective) {
	case LOAD_IS_ALL_REDUCE:
		f->name = "all-reduce";
		f->bus_num = 2 * (n - 1);
		break;
	case LOAD_IS_ALL_GATHER:
		f->name = "all-gather";
		break;
	case LOAD_IS_REDUCE_SCATTER:
		f->name = "reduce-scatter";
		break;
	case LOAD_IS_ALL_TO_ALL:
		f->name = "all-to-all";
		break;
	case LOAD_IS_BROADCAST:
		f->name = "broadcast";
		f->bus_num = n;
		break;
	case LOAD_IS_REDUCE:
		f->name = "reduce";
		f->bus_num = n;
		break;
	case LOAD_NOT_ONE:
		break;
	}
	return true;
}

int schedule_copy(FILE *f, const struct load_entry *en, struct err *e)
{
	const struct schedule *sc = en->shared;
	char path[LOAD_PATH_BYTES], *text;
	size_t len;
	int rc = load_path(path, en->env.base_dir, en->cfg.file, e);

	if (!rc)
		rc = text_file_read(&text, &len, path, GOAL_MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	if (hash_text(text, len) == sc->hash)
		(void)fwrite(text, 1, len, f); /* the stream keeps the error */
	else
		rc = err_set(
		        e, -EIO, "%s: the file has changed since the scenario was read", path);
	free(text);
	return rc;
}

const struct load_ops schedule_ops = {
        .name = "schedule",
        .doc = "a file of GOAL text: sends, receives and calculations of each rank, and what "
               "each waits for",
        .prepare = prepare,
        .involves = involves,
        .lanes = lanes,
        .start = start,
        .next = next,
        .fini = fini,
        .figure = figure,
        .receives = true,
        .marks = MARKED_BY_HOSTS, /* the first lane, when the others are done */
};
