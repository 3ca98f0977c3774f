/* SPDX-License-Identifier: Apache-2.0 */
/* squall list: the scenarios that come with the program. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/put.h"
#include "analysis/wrap_text.h"
#include "cli/commands.h"
#include "cli/library.h"
#include "cli/options.h"

#define NAME_COLUMNS 28

struct list_args {
	const char *word;
	bool names, full;
};

enum { OPT_NAMES = 0x200 };

static const struct argp_option options[] = {
        {"names", OPT_NAMES, NULL, 0, "Print the names alone, one a line", 0},
        {"long", 'l', NULL, 0, "Print all of what each file says about itself", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct list_args *a = state->input;

	switch (key) {
	case OPT_NAMES:
		a->names = true;
		return 0;
	case 'l':
		a->full = true;
		return 0;
	case ARGP_KEY_ARG:
		return options_take_one(&a->word, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[WORD]",
        .doc = "Lists the scenarios that come with the program; with WORD, those whose name or "
               "description holds it. `squall run NAME` runs one.\v"
               "Examples:\n"
               "  squall list\n"
               "  squall list pause --long",
};

/* Up to the end of its first sentence. */
static char *first_sentence(char *about)
{
	for (char *p = about; (p = strchr(p, '.')) != NULL; p++)
		if (p[1] == '\0' || p[1] == ' ') {
			*p = '\0';
			break;
		}
	return about;
}

static bool wanted(const struct library_item *it, const char *word)
{
	return !word || strcasestr(it->name, word) || strcasestr(it->about, word);
}

static uint32_t print(const struct library *l, const struct list_args *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct library_item *it = &l->item[i];

		if (!wanted(it, a->word))
			continue;
		n++;
		if (a->names) {
			put(stdout, "%s\n", it->name);
			continue;
		}
		put(stdout, "%-*s ", NAME_COLUMNS - 1, it->name);
		wrap_text(stdout, a->full ? it->about : first_sentence(it->about), NAME_COLUMNS,
		        NAME_COLUMNS, wrap_columns(stdout));
		if (a->full)
			put(stdout, "\n");
	}
	return n;
}

static enum cli_exit main_list(int argc, char **argv)
{
	struct list_args a = {0};
	struct library l = {0};
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, &a, &e);

	if (r > 0)
		return CLI_OK;
	if (!r)
		r = library_read(&l, "", &e);
	if (!r && !print(&l, &a) && a.word)
		r = err_set(&e, -EINVAL,
		        "list %s: no scenario speaks of that; squall list shows all %u", a.word,
		        l.n);
	library_free(&l);
	return r ? cli_error(&e) : CLI_OK;
}

const struct command cmd_list = {
        "list", "list the scenarios that come with the program", main_list, &argp};
