/* SPDX-License-Identifier: Apache-2.0 */
/* squall plan: the messages of a workload and what each waits for. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/number.h"
#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/source.h"
#include "gen/load/count.h"
#include "gen/load/plan.h"
#include "scenarios/imports/export.h"

struct plan_args {
	struct source source;
	bool json;
	const struct export_format *format; /* NULL: messages with what they wait for */
	uint64_t limit;
	struct err *err;
};

enum { OPT_JSON = 0x200, OPT_LIMIT, OPT_FORMAT };

static const struct argp_option options[] = {
        {"json", OPT_JSON, NULL, 0, "JSON instead of CSV", 0},
        {"format", OPT_FORMAT, "NAME", 0,
                "csv (the default), json, matrix, table, ranks, flows, goal, hpcc-flow or "
                "htsim-cm",
                0},
        {"limit", OPT_LIMIT, "N", 0, "Stop after N messages", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct plan_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->source;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_FORMAT:
		a->json = !strcmp(arg, "json");
		a->format = NULL;
		if (a->json || !strcmp(arg, "csv"))
			return 0;
		return export_find(&a->format, arg, a->err) ? EINVAL : 0;
	case OPT_LIMIT:
		return options_whole(&a->limit, "limit", arg, 1, PLAN_MAX_MESSAGES, a->err)
		               ? EINVAL
		               : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&source_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "SCENARIO",
        .children = children,
        .doc = "Prints every message that a scenario's workload sends: source, destination, "
               "bytes "
               "and the messages that it waits for.\v"
               "A message's id is ENTRY.SOURCE.SEQUENCE. start_us is the intended start, or "
               "the "
               "earliest one if the network took no time. A dependency \"acked ID..ID\" waits "
               "for "
               "the acknowledgements of the program's own messages, \"received ID..ID\" for "
               "messages that arrive at the source.\n\n"
               "Examples:\n"
               "  squall plan incast-32\n"
               "  squall plan my.yaml --json --limit 1000\n"
               "  squall plan my.yaml --format matrix\n"
               "  squall plan my.yaml --format ranks    which host is which rank",
};

struct printer {
	bool json;
	const char *separator;
};

static void print_dep(const struct printer *p, const struct plan_message *m,
        const struct plan_dep *d, uint32_t i)
{
	const char *kind = d->kind == PLAN_COMPLETED ? "acked" : "received";
	char first[PLAN_ID_BYTES], last[PLAN_ID_BYTES];

	plan_id(first, m->entry, d->src, d->first);
	plan_id(last, m->entry, d->src, d->last);
	if (p->json)
		put(stdout, "%s{\"kind\": \"%s\", \"first\": \"%s\", \"last\": \"%s\"}",
		        i ? ", " : "", kind, first, last);
	else
		put(stdout, "%s%s %s%s%s", i ? "; " : "", kind, first,
		        d->last != d->first ? ".." : "", d->last != d->first ? last : "");
}

static int print_message(void *arg, const struct plan_message *m)
{
	struct printer *p = arg;
	char id[PLAN_ID_BYTES], start[NUMBER_LEN];

	plan_id(id, m->entry, m->src, m->seq);
	number_fixed(start, m->start_ps, 6);
	if (p->json)
		put(stdout,
		        "%s\n  {\"id\": \"%s\", \"entry\": %u, \"src\": %u, \"dst\": %u, "
		        "\"bytes\": %" PRId64
		        ", \"start_us\": %s, \"intended\": %s, \"tag\": %u, "
		        "\"waits_for\": [",
		        p->separator, id, m->entry, m->src, m->dst, m->bytes, start,
		        m->intended ? "true" : "false", m->tag);
	else
		put(stdout, "%s,%u,%u,%u,%" PRId64 ",%s,%s,%u,", id, m->entry, m->src, m->dst,
		        m->bytes, start, m->intended ? "yes" : "no", m->tag);
	for (uint32_t i = 0; i < m->n_dep; i++)
		print_dep(p, m, &m->dep[i], i);
	put(stdout, p->json ? "]}" : "\n");
	p->separator = ",";
	return ferror(stdout) ? -EIO : 0; /* main says why */
}

/* It takes a while until the note at the end says so. */
static void note_limit(const struct plan_args *a, const struct scenario *s)
{
	const struct load_count c = load_count(s->entry, s->n_entries);
	const uint64_t limit = a->limit < EXPORT_MAX_MESSAGES ? a->limit : EXPORT_MAX_MESSAGES;

	if (!a->source.quiet && c.known && c.messages > limit &&
	        strcmp(a->format->name, "goal"))
		cli_note("note: of %" PRIu64 " messages the first %" PRIu64
		         " are taken; --limit takes fewer",
		        c.messages, limit);
}

static enum cli_exit export(const struct plan_args *a, struct scenario *s, struct err *e) {
	char note[EXPORT_NOTE_BYTES] = ""; int r;

	note_limit(a, s);
	r = a->format->write(stdout, s, a->limit, note, e);
	scenario_free(s);
	if (ferror(stdout)) return CLI_ENVIRONMENT;
	if (r) return cli_error(e);
	if (!a->source.quiet && note[0]) cli_note("note: %s", note);
	return CLI_OK;
}

static enum cli_exit plan(const struct plan_args *a, struct err *e)
{
	struct printer p = {a->json, ""};
	struct plan_totals totals = {0};
	struct scenario *s = NULL;
	int r = source_load(&s, &a->source, e);

	if (r)
		return cli_error(e);
	if (a->format)
		return export(a, s, e);
	put_text(a->json ? "[" : "id,entry,src,dst,bytes,start_us,intended,tag,waits_for\n",
	        stdout);
	r = plan_run(s->entry, s->n_entries, a->limit, print_message, &p, &totals, e);
	scenario_free(s);
	if (ferror(stdout))
		return CLI_ENVIRONMENT;
	if (r)
		return cli_error(e);
	put_text(a->json ? "\n]\n" : "", stdout);
	if (!a->source.quiet && totals.cut)
		cli_note("note: cut after %" PRIu64 " messages", totals.messages);
	return CLI_OK;
}

static enum cli_exit main_plan(int argc, char **argv)
{
	struct err e = {0};
	struct plan_args a = {.source = {.err = &e}, .limit = PLAN_MAX_MESSAGES, .err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);
	enum cli_exit status = r > 0 ? CLI_OK : r ? cli_error(&e) : plan(&a, &e);

	source_fini(&a.source);
	return status;
}

const struct command cmd_plan = {
        "plan", "list the messages of a workload with their dependencies", main_plan, &argp};
