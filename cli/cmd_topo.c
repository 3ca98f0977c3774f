/* SPDX-License-Identifier: Apache-2.0 */
/* squall topo: the fabric of a scenario as text or as a drawing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/out_file.h"
#include "analysis/topo_svg.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/replace.h"
#include "cli/source.h"
#include "scenarios/net_paths.h"
#include "scenarios/net_view.h"

struct topo_args {
	struct source source;
	bool svg;
	const char *out;
	struct err *err;
};

enum { OPT_FORMAT = 0x200 };

static const struct argp_option options[] = {
        {"format", OPT_FORMAT, "text|svg", 0, "Text (the default), or a drawing as SVG", 0},
        {"output", 'o', "FILE", 0, "Write there instead of printing", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct topo_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->source;
		return 0;
	case OPT_FORMAT:
		a->svg = !strcmp(arg, "svg");
		if (!a->svg && strcmp(arg, "text"))
			return -err_set(
			        a->err, -EINVAL, "--format %s: expected text or svg", arg);
		return 0;
	case 'o':
		a->out = arg;
		return *arg ? 0 : -err_set(a->err, -EINVAL, "-o needs the name of a file");
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
        .doc = "Shows the fabric of a scenario: tiers, links, oversubscription and equal "
               "paths, or a drawing, in which large fabrics are drawn by pods.\v"
               "Examples:\n"
               "  squall topo incast-32\n"
               "  squall topo incast-32 --format svg -o fabric.svg",
};

static int draw(
        FILE *f, const struct net_view *v, const struct scenario *s, bool svg, struct err *e)
{
	struct topo_map m;
	int r;

	if (!svg) {
		struct net_way *way;

		r = net_paths_from(&way, s->topo, 0, e);
		if (!r)
			r = topo_text_write(f, v, way, s->name, e);
		free(way);
		return r;
	}
	r = topo_map_init(&m, v, e);
	if (r)
		return r;
	topo_svg_write(f, v, &m, s->name);
	topo_map_fini(&m);
	return 0;
}

static int draw_to(const struct topo_args *a, const struct net_view *v,
        const struct scenario *s, struct err *e)
{
	struct out_set set;
	FILE *f;
	int r;

	if (!a->out)
		return draw(stdout, v, s, a->svg, e);
	r = a->svg ? replace_check(a->out, "<svg", "drawing of topo", e)
	           : replace_check(a->out, s->name, "description of topo", e);
	if (r)
		return r;
	out_set_init(&set);
	r = out_set_add(&set, &f, a->out, e);
	if (!r)
		r = draw(f, v, s, a->svg, e);
	if (!r)
		r = out_set_commit(&set, e);
	out_set_abort(&set);
	return r;
}

static enum cli_exit topo(const struct topo_args *a, struct err *e)
{
	struct scenario *s = NULL;
	struct net_view v = {0};
	int r = source_load(&s, &a->source, e);

	if (!r)
		r = net_view_init(&v, s->topo, e);
	if (!r)
		r = draw_to(a, &v, s, e);
	net_view_fini(&v);
	scenario_free(s);
	return r ? cli_error(e) : CLI_OK;
}

static enum cli_exit main_topo(int argc, char **argv)
{
	struct err e = {0};
	struct topo_args a = {.source = {.err = &e}, .err = &e};
	int r = options_parse(&argp, argc, argv, &a, &e);
	enum cli_exit status = r > 0 ? CLI_OK : r ? cli_error(&e) : topo(&a, &e);

	source_fini(&a.source);
	return status;
}

const struct command cmd_topo = {
        "topo", "show the fabric of a scenario as text or as a drawing", main_topo, &argp};
