/* SPDX-License-Identifier: Apache-2.0 */
/* squall check: is a scenario valid, and what is in it. */
#include <errno.h>
#include <stdio.h>

#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/source.h"
#include "dataplane/fabric/cbd.h"

static const struct argp_child children[] = {{&source_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	return 0;
}

static const struct argp argp = {
        .parser = parse,
        .args_doc = "SCENARIO...",
        .children = children,
        .doc = "Reads scenarios and says what is wrong with them, without running them.\v"
               "Examples:\n"
               "  squall check scenarios/*.yaml\n"
               "  squall check my.yaml --set fabric.switch.buffer=16MiB\n"
               "  squall check --import FORMAT FOLDER\n\n"
               "Exit status: 0 valid, 2 not valid, 3 environment.",
};

static void say_ok(const struct scenario *s)
{
	char path[CLI_LINE_BYTES];

	put(stdout, "%s: ok: %s, %u hosts, %u switches, %u workload entries, %u expectations\n",
	        cli_line(path, s->path), s->name, s->topo->n_hosts,
	        s->topo->n_nodes - s->topo->n_hosts, s->n_entries, s->n_expect);
}

/* Where pause can lock the fabric up by its routes alone. */
static int say_circle(const struct scenario *s, struct err *e)
{
	struct routes *r = NULL;
	struct cbd c = {0};
	char text[400], path[CLI_LINE_BYTES];
	int rc = routes_build(&r, s->topo, (uint64_t)s->run.seed, e);

	if (!rc)
		rc = cbd_find(&c, s->topo, r, e);
	routes_free(r);
	if (!rc && c.n_hops)
		put(stdout,
		        "%s: note: cyclic buffer dependency of %u links on priority %u: %s: "
		        "pause "
		        "can lock it up\n",
		        cli_line(path, s->path), c.n_hops, c.priority,
		        cbd_text(&c, s->topo, text, sizeof(text)));
	if (!rc && c.skipped_bytes)
		put(stdout,
		        "%s: note: not looked for cyclic buffer dependencies: the fabric has "
		        "so many ports that it would take %zu MiB\n",
		        cli_line(path, s->path), c.skipped_bytes >> 20);
	return rc;
}

static enum cli_exit check_all(const struct source *src)
{
	enum cli_exit worst = CLI_OK;
	struct err e = {0};

	if (!src->n_path) {
		(void)err_set(&e, -EINVAL, "check: no scenario given; name one or more files");
		return cli_error(&e);
	}
	for (uint32_t i = 0; i < src->n_path; i++) {
		struct scenario *s = NULL;
		enum cli_exit status = CLI_OK;

		if (source_load_path(&s, src, src->path[i], &e))
			status = cli_error(&e);
		else if (!src->quiet) {
			say_ok(s);
			if (say_circle(s, &e))
				status = cli_error(&e);
		}
		scenario_free(s);
		if (status > worst)
			worst = status;
	}
	return worst;
}

static enum cli_exit main_check(int argc, char **argv)
{
	struct err e = {0};
	struct source src = {.err = &e};
	int r = options_parse(&argp, argc, argv, &src, &e);
	enum cli_exit status = r > 0 ? CLI_OK : r ? cli_error(&e) : check_all(&src);

	source_fini(&src);
	return status;
}

const struct command cmd_check = {
        "check", "check scenario files without running them", main_check, &argp};
