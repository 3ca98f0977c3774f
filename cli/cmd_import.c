/* SPDX-License-Identifier: Apache-2.0 */
/* squall import: other programs' files become a scenario. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/find_scenario.h"
#include "cli/options.h"
#include "dataplane/base/units.h"
#include "scenarios/imports/import.h"
#include "scenarios/imports/import_capture.h"
#include "scenarios/imports/import_check.h"
#include "scenarios/imports/import_source.h"
#include "scenarios/scenario.h"

/* What an import says on one line. */
#define SHOWN_FACTS 3
#define SHOWN_BYTES 400

struct import_args {
	const char **path;
	uint32_t n_path;
	const char *format, *out, *fabric;
	int64_t buffer_bytes, rate_bps;
	bool force, quiet;
	struct err *err;
};

enum { OPT_FORMAT = 0x200, OPT_BUFFER, OPT_RATE, OPT_FABRIC, OPT_FORCE };

static const struct argp_option options[] = {
        {"output", 'o', "SCENARIO", 0, "The scenario to write (scenario.yaml)", 0},
        {"format", OPT_FORMAT, "NAME", 0, "What the files are, instead of looking: one of", 0},
        {"buffer", OPT_BUFFER, "SIZE", 0,
                "Bytes of the collective, where the files leave it open", 0},
        {"rate", OPT_RATE, "RATE", 0, "Rate of the hosts' links, such as 400Gbps", 0},
        {"fabric", OPT_FABRIC, "SCENARIO", 0,
                "Of a capture: the scenario whose fabric and seed are taken", 0},
        {"force", OPT_FORCE, NULL, 0, "Replace a scenario that is there", 0},
        {"quiet", 'q', NULL, 0, "Print errors only", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static int add_path(struct import_args *a, const char *path)
{
	const char **grown = realloc(a->path, (a->n_path + 1) * sizeof(*grown));

	if (!grown)
		return err_set(a->err, -ENOMEM, "out of memory for the command line");
	a->path = grown;
	a->path[a->n_path++] = path;
	return 0;
}

static int quantity(
        int64_t *out, enum unit_kind kind, const char *name, const char *text, struct err *e)
{
	int r = unit_parse(out, kind, text, e);

	if (!r && *out < 1)
		r = err_set(e, -EINVAL, "%s: expected more than 0", text);
	if (r)
		(void)err_prefix(e, "--%s", name);
	return r;
}

/* The files beside it are named like it. */
static int check_name(const char *out, struct err *e)
{
	const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;

	if (*name && strcmp(name, ".yaml") != 0 && strcmp(name, ".yml") != 0)
		return 0;
	return err_set(
	        e, -EINVAL, "--output %s: expected the name of a file, such as mine.yaml", out);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import_args *a = state->input;
	int r = 0;

	switch (key) {
	case 'o':
		a->out = arg;
		r = check_name(arg, a->err);
		break;
	case OPT_FORMAT:
		a->format = arg;
		break;
	case OPT_BUFFER:
		r = quantity(&a->buffer_bytes, UNIT_SIZE, "buffer", arg, a->err);
		break;
	case OPT_RATE:
		r = quantity(&a->rate_bps, UNIT_RATE, "rate", arg, a->err);
		break;
	case OPT_FABRIC:
		a->fabric = arg;
		break;
	case OPT_FORCE:
		a->force = true;
		break;
	case 'q':
		a->quiet = true;
		break;
	case ARGP_KEY_ARG:
		r = add_path(a, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return r ? EINVAL : 0;
}

/* Names the formats; argp frees what it gets. */
static char *help(int key, const char *text, void *input)
{
	char *list = NULL, *longer;

	(void)input;
	if (key != OPT_FORMAT)
		return (char *)(uintptr_t)text;
	if (asprintf(&list, "%s", text) < 0)
		return (char *)(uintptr_t)text;
	for (size_t i = 0; import_sources[i]; i++) {
		if (asprintf(&longer, "%s%s%s", list, i ? ", " : ": ",
		            import_sources[i]->name) < 0)
			break;
		free(list);
		list = longer;
	}
	return list;
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE...",
        .help_filter = help,
        .doc = "Writes a scenario, and files beside it, from what another program wrote: a "
               "capture of RoCE traffic, an NCCL "
               "log, an MSCCL algorithm, an execution trace, a GOAL schedule, a flow list, or "
               "a "
               "folder of the HPCC simulator. The scenario begins with what was found, what "
               "could "
               "not be known and what was assumed; it is meant to be edited.\v"
               "Examples:\n"
               "  squall import trace.goal -o mine.yaml\n"
               "  squall import node*.log --buffer 64MiB -o job.yaml\n"
               "  squall import host*.pcapng --fabric lab.yaml -o night.yaml\n"
               "  squall import algorithm.xml --buffer 1GiB --rate 400Gbps -o "
               "algorithm.yaml\n\n"
               "Exit status: 0 written, 2 bad input, 3 environment.",
};

/* "runs/mine.yaml" is "mine". */
static char *stem_of(const char *out)
{
	const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".yaml"))
		len -= 5;
	else if (len > 4 && !strcmp(name + len - 4, ".yml"))
		len -= 4;
	return strndup(name, len);
}

static bool is_folder_import(const struct import_args *a)
{
	return a->n_path == 1 && ((a->format && !strcmp(a->format, "hpcc")) ||
	                                 (!a->format && import_is_folder(a->path[0])));
}

/* A folder of the HPCC simulator is read into memory and written as it is. */
static int convert_folder(struct scenario **made, const struct import_args *a, struct err *e)
{
	const struct import_job job = {.path = a->path, .n_paths = 1, .force = a->force};
	const struct import_format *format;
	struct import_notes *notes = calloc(1, sizeof(*notes));
	int r = notes ? import_find(&format, "hpcc", e)
	              : err_set(e, -ENOMEM, "%s: out of memory", a->path[0]);

	if (!r)
		r = format->load(made, a->path[0], NULL, 0, NULL, notes, e);
	if (!r)
		r = import_write_resolved(*made, &job, a->out, e);
	for (uint32_t i = 0; !r && !a->quiet && i < notes->n; i++)
		cli_note("note: %s", notes->text[i]);
	free(notes);
	return r;
}

/* One line of each kind: what comes first, and what an option would decide. Returns how many
 * facts it leaves out. */
static uint32_t show_kind(const struct import_lines *l, const char *title)
{
	char text[SHOWN_BYTES] = "";
	uint32_t shown = 0;
	size_t used = 0;

	for (uint32_t i = 0; i < l->n && shown < SHOWN_FACTS; i++) {
		if (i && !strstr(l->at[i], "(--") && !strstr(l->at[i], "runs "))
			continue;
		if (used + strlen(l->at[i]) + 3 > sizeof(text))
			continue;
		used += (size_t)snprintf(
		        text + used, sizeof(text) - used, "%s%s", shown ? "; " : "", l->at[i]);
		shown++;
	}
	if (shown)
		cli_note("%s: %s", title, text);
	return l->n + l->more - shown;
}

static void show(const struct import_draft *d, const char *out)
{
	static const char *const title[] = {[IMPORT_FOUND] = "found",
	        [IMPORT_UNKNOWN] = "not known",
	        [IMPORT_ASSUMED] = "assumed"};

	uint32_t left = 0;

	for (int k = 0; k < IMPORT_LINE_KINDS; k++)
		left += show_kind(&d->line[k], title[k]);
	if (left)
		cli_note("%u more of these at the head of %s", left, out);
}

/* Only a capture is without everything that a fabric has. */
static int find_fabric(char **path, const struct import_args *a,
        const struct import_source *source, struct err *e)
{
	if (!a->fabric)
		return 0;
	if (source != &import_capture)
		return err_set(e, -EINVAL, "--fabric goes with captures; %s is %s", a->path[0],
		        source->doc);
	return find_scenario(path, a->fabric, e);
}

static int convert(struct scenario **made, const struct import_args *a, struct err *e)
{
	const struct import_source *source;
	struct import_draft d = {0};
	char *stem = stem_of(a->out), *fabric = NULL, text[120];
	struct import_job job = {
	        .path = a->path,
	        .n_paths = a->n_path,
	        .buffer_bytes = a->buffer_bytes,
	        .rate_bps = a->rate_bps,
	        .stem = stem,
	        .force = a->force,
	};
	int r = stem ? 0 : err_set(e, -ENOMEM, "out of memory");

	if (!r)
		r = import_source_find(&source, a->format, a->path[0], e);
	if (!r)
		r = find_fabric(&fabric, a, source, e);
	job.fabric = fabric;
	if (!r)
		r = source->read(&d, &job, e);
	if (!r) {
		(void)snprintf(text, sizeof(text),
		        a->n_path > 1 ? "%2$u files of %1$s" : "%1$s", source->doc, a->n_path);
		r = import_draft_write(made, &d, &job, text, a->out, e);
	}
	if (!r && !a->quiet)
		show(&d, a->out);
	import_draft_fini(&d);
	free(stem);
	free(fabric);
	return r;
}

/* So that a shell reads it back as one word. */
static void put_word(FILE *f, const char *word)
{
	const bool plain =
	        word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                          "0123456789_./+,:@%=-")] == '\0';

	if (plain) {
		put_text(word, f);
		return;
	}
	put_char('\'', f);
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			put_text("'\\''", f);
		else
			put_char(*p, f);
	}
	put_char('\'', f);
}

static void say_made(const char *out, const struct scenario *s)
{
	char line[CLI_LINE_BYTES];

	put(stdout, "%s: %u host%s, %u workload entr%s; squall run ", cli_line(line, out),
	        s->topo->n_hosts, s->topo->n_hosts == 1 ? "" : "s", s->n_entries,
	        s->n_entries == 1 ? "y" : "ies");
	put_word(stdout, line);
	put_text("\n", stdout);
}

static enum cli_exit import_files(const struct import_args *a, struct err *e)
{
	struct scenario *made = NULL;
	int r = 0;

	if (!a->n_path)
		r = err_set(e, -EINVAL, "import: no file given; name one or more");
	else if (!a->force && !access(a->out, F_OK))
		r = err_set(e, -EINVAL,
		        "%s: is there already; name another with -o, or --force replaces it",
		        a->out);
	if (!r)
		r = is_folder_import(a) ? convert_folder(&made, a, e) : convert(&made, a, e);
	if (!r && !a->quiet)
		say_made(a->out, made);
	scenario_free(made);
	return r ? cli_error(e) : CLI_OK;
}

static enum cli_exit main_import(int argc, char **argv)
{
	struct err e = {0};
	struct import_args a = {.out = "scenario.yaml", .err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);
	enum cli_exit status = r > 0 ? CLI_OK : r ? cli_error(&e) : import_files(&a, &e);

	free(a.path);
	return status;
}

const struct command cmd_import = {
        .name = "import",
        .doc = "make a scenario of captures, logs, traces, schedules and flow lists",
        .run = main_import,
        .argp = &argp,
};
