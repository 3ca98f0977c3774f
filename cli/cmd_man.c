/* SPDX-License-Identifier: Apache-2.0 */
/* squall man: manual pages, made from the tables that the program itself uses. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/out_file.h"
#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/man_page.h"
#include "cli/options.h"
#include "dataplane/base/nearest.h"

struct man_args {
	const char *page, *all;
};

enum { OPT_ALL = 0x200 };

static const struct argp_option options[] = {
        {"all", OPT_ALL, "DIR", 0, "Write every page below DIR, as man1/squall-run.1 and so on",
                0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct man_args *a = state->input;

	switch (key) {
	case OPT_ALL:
		a->all = arg;
		return 0;
	case ARGP_KEY_ARG:
		return options_take_one(&a->page, arg);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[PAGE]",
        .doc = "Prints a manual page in roff: squall (default), a command, or `scenario` for "
               "the scenario file.\v"
               "Examples:\n"
               "  squall man run | man -l -\n"
               "  squall man --all man/",
};

static int find_page(struct man_page *out, const char *name, struct err *e)
{
	struct nearest near;
	const char *meant;

	nearest_init(&near, name);
	for (uint32_t i = 0; i < man_pages(); i++) {
		*out = man_page(i);
		if (!strcmp(out->name, name))
			return 0;
		nearest_offer(&near, out->name);
	}
	meant = nearest_get(&near);
	return err_set(e, -EINVAL,
	        "man %s: no such page%s%s; there is one for each command, "
	        "`squall` and `scenario`",
	        name, meant ? "; nearest is " : "", meant ? meant : "");
}

static int write_page(const char *dir, const struct man_page *p, struct err *e)
{
	struct out_set set;
	char path[PATH_MAX];
	FILE *f = NULL;
	int r;

	if (snprintf(path, sizeof(path), "%s/man%d/%s.%d", dir, p->section, p->file,
	            p->section) >= (int)sizeof(path))
		return err_set(e, -EINVAL, "--all %s: the name is too long", dir);
	out_set_init(&set);
	r = out_set_add(&set, &f, path, e);
	if (!r) {
		man_page_write(f, p);
		r = out_set_commit(&set, e);
	}
	out_set_abort(&set);
	return r;
}

static int make_folder(const char *dir, int section, struct err *e)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/man%d", dir, section) >= (int)sizeof(path))
		return err_set(e, -EINVAL, "--all %s: the name is too long", dir);
	return out_folder(path, e);
}

static int write_all(const char *dir, struct err *e)
{
	int r = make_folder(dir, 1, e);

	if (!r)
		r = make_folder(dir, 5, e);
	for (uint32_t i = 0; !r && i < man_pages(); i++) {
		const struct man_page p = man_page(i);

		r = write_page(dir, &p, e);
	}
	return r;
}

static enum cli_exit main_man(int argc, char **argv)
{
	struct man_args a = {0};
	struct man_page page = {0};
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, &a, &e);

	if (r > 0)
		return CLI_OK;
	if (!r && a.all && a.page)
		r = err_set(&e, -EINVAL, "man: a page and --all exclude each other");
	if (!r && a.all)
		r = write_all(a.all, &e);
	else if (!r)
		r = find_page(&page, a.page ? a.page : "squall", &e);
	if (r)
		return cli_error(&e);
	if (!a.all)
		man_page_write(stdout, &page);
	return CLI_OK;
}

const struct command cmd_man = {"man", "print manual pages", main_man, &argp};
