/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/find_scenario.h"
#include "cli/options.h"
#include "scenarios/imports/import.h"
#include "scenarios/knob_table.h"

enum { OPT_SET = 0x100, OPT_SEED, OPT_IMPORT };

static const struct argp_option options[] = {
        {"set", OPT_SET, "KEY=VALUE", 0, "Override a key of the scenario; may be repeated", 0},
        {"seed", OPT_SEED, "N", 0, "Seed of every random stream", 0},
        {"import", OPT_IMPORT, "FORMAT", 0, "Read the files of another program, one of", 0},
        {"quiet", 'q', NULL, 0, "Print errors only", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

int source_set(struct source *s, const char *key, const char *value, struct err *e)
{
	struct scenario_set *grown = realloc(s->set, (s->n_set + 1) * sizeof(*grown));

	if (!grown)
		return err_set(e, -ENOMEM, "out of memory for the command line");
	s->set = grown;
	s->set[s->n_set++] = (struct scenario_set){.key = key, .value = value};
	return 0;
}

static int add_set(struct source *s, char *arg)
{
	char *equals = strchr(arg, '=');

	if (!equals || equals == arg)
		return err_set(s->err, -EINVAL,
		        "--set %s: expected KEY=VALUE, such as workload[0].senders=64", arg);
	*equals = '\0'; /* argv is writable (C17 5.1.2.2.1) */
	return source_set(s, arg, equals + 1, s->err);
}

static int add_path(struct source *s, const char *path)
{
	const char **grown = realloc(s->path, (s->n_path + 1) * sizeof(*grown));

	if (!grown)
		return err_set(s->err, -ENOMEM, "out of memory for the command line");
	s->path = grown;
	s->path[s->n_path++] = path;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct source *s = state->input;
	int r = 0;

	switch (key) {
	case OPT_SET:
		r = add_set(s, arg);
		break;
	case OPT_SEED:
		r = options_whole(&s->seed, "seed", arg, 0, INT64_MAX, s->err);
		s->has_seed = true;
		break;
	case OPT_IMPORT:
		s->import = arg;
		break;
	case 'q':
		s->quiet = true;
		break;
	case ARGP_KEY_ARG:
		r = add_path(s, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return r ? EINVAL : 0;
}

static char *add_text(char *list, const char *between, const char *text)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s", list ? list : "", between, text) < 0)
		return list;
	free(list);
	return longer;
}

/* The sections of a scenario, from the knob table. */
static char *help_sections(void)
{
	char *list = add_text(NULL, "",
	        "Keys for --set: `squall explain SECTION` lists those of a section, `squall "
	        "explain KEY` says what one does. Sections:");

	for (const struct knob_slot *s = knob_table; s->group && list; s++)
		if (*s->group->path)
			list = add_text(list, " ", s->group->path);
	return list ? add_text(list, "", "\n") : NULL;
}

/* Names the formats of --import and the keys; argp frees what it gets. */
static char *help(int key, const char *text, void *input)
{
	char *list = NULL;

	(void)input;
	if (key == ARGP_KEY_HELP_POST_DOC)
		list = help_sections();
	for (size_t i = 0; key == OPT_IMPORT && import_formats[i]; i++) {
		list = add_text(list, i ? "" : text, i ? ", " : ": ");
		list = add_text(list, "", import_formats[i]->name);
	}
	return list ? list : (char *)(uintptr_t)text;
}

const struct argp source_argp = {.options = options, .parser = parse, .help_filter = help};

static int import(
        struct scenario **out, const struct source *s, const char *path, struct err *e)
{
	const struct import_format *format;
	struct import_notes *notes;
	int r = import_find(&format, s->import, e);

	if (r)
		return r;
	notes = calloc(1, sizeof(*notes));
	if (!notes)
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	r = format->load(out, path, s->set, s->n_set, s->has_seed ? &s->seed : NULL, notes, e);
	for (uint32_t i = 0; !r && !s->quiet && i < notes->n; i++)
		cli_note("note: %s", notes->text[i]);
	if (!r && !s->quiet && notes->more)
		cli_note("note: and %u more", notes->more);
	free(notes);
	return r;
}

int source_load_path(
        struct scenario **out, const struct source *s, const char *path, struct err *e)
{
	char *found;
	int r;

	if (s->import)
		return import(out, s, path, e);
	r = find_scenario(&found, path, e);
	if (r)
		return r;
	r = scenario_load(out, found, s->set, s->n_set, s->has_seed ? &s->seed : NULL, e);
	free(found);
	for (uint32_t i = 0; !r && !s->quiet && i < (*out)->notes.n; i++)
		cli_note("note: %s", (*out)->notes.text[i]);
	return r;
}

int source_load(struct scenario **out, const struct source *s, struct err *e)
{
	if (s->n_path != 1)
		return err_set(e, -EINVAL,
		        "%s; name one scenario, such as scenarios/incast-32.yaml",
		        s->n_path ? "too many arguments" : "no scenario given");
	return source_load_path(out, s, s->path[0], e);
}

void source_fini(struct source *s)
{
	free(s->path);
	free(s->set);
}
