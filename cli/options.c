/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/nearest.h"

#define OPTIONS_MAX 32

struct option_list {
	const struct argp_option *option[OPTIONS_MAX];
	size_t n;
};

void options_each(const struct argp *argp, void (*each)(void *arg, const struct argp_option *o),
        void *arg)
{
	for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc);
	        o++)
		if (o->name)
			each(arg, o);
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		options_each(c->argp, each, arg);
}

static void collect(void *arg, const struct argp_option *o)
{
	struct option_list *l = arg;

	CHECK(l->n < OPTIONS_MAX);
	l->option[l->n++] = o;
}

/* By name or by a beginning that fits one alone, as getopt_long takes it. */
static int find_long(const struct argp_option **out, const struct option_list *l,
        const char *arg, size_t len, struct err *e)
{
	char name[64];
	struct nearest near;
	const char *meant;
	size_t fits = 0;

	(void)snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), arg);
	nearest_init(&near, name);
	for (size_t i = 0; i < l->n; i++) {
		const char *candidate = l->option[i]->name;

		nearest_offer(&near, candidate);
		if (strncmp(candidate, name, strlen(name)) != 0)
			continue;
		*out = l->option[i];
		if (strlen(candidate) == len)
			return 0;
		fits++;
	}
	if (fits == 1)
		return 0;
	meant = nearest_get(&near);
	return err_set(e, -EINVAL, "%s option --%s%s%s; --help lists them",
	        fits ? "ambiguous" : "unknown", name, meant && !fits ? "; nearest is --" : "",
	        meant && !fits ? meant : "");
}

static int check_long(const struct option_list *l, int argc, char **argv, int *i,
        bool *wants_help, struct err *e)
{
	const char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	const struct argp_option *o = NULL;
	int r;

	if (len == 4 && !strncmp(name, "help", 4)) {
		*wants_help = true;
		return 0;
	}
	r = find_long(&o, l, name, len, e);
	if (r || !o)
		return r;
	if (!o->arg)
		return name[len] ? err_set(e, -EINVAL, "option --%s takes no value", o->name)
		                 : 0;
	if (!name[len] && ++*i >= argc)
		return err_set(e, -EINVAL, "option --%s needs a value: --%s %s", o->name,
		        o->name, o->arg);
	return 0;
}

static int check_short(const struct option_list *l, int argc, char **argv, int *i,
        bool *wants_help, struct err *e)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		const struct argp_option *o = NULL;

		if (*p == 'h') {
			*wants_help = true;
			return 0;
		}
		for (size_t k = 0; k < l->n; k++)
			if (l->option[k]->key == *p)
				o = l->option[k];
		if (!o)
			return err_set(e, -EINVAL, "unknown option -%c; --help lists them", *p);
		if (!o->arg)
			continue;
		if (!p[1] && ++*i >= argc)
			return err_set(
			        e, -EINVAL, "option -%c needs a value: -%c %s", *p, *p, o->arg);
		return 0;
	}
	return 0;
}

/* argp says what is wrong in its own words, on several lines and without a suggestion; so a
 * command line reaches it only when its options are known to be good. */
static int check_options(
        const struct argp *argp, int argc, char **argv, bool *wants_help, struct err *e)
{
	struct option_list l = {.n = 0};
	int r = 0;

	options_each(argp, collect, &l);
	for (int i = 1; i < argc && !r && !*wants_help; i++) {
		if (!strcmp(argv[i], "--"))
			break;
		if (!strncmp(argv[i], "--", 2))
			r = check_long(&l, argc, argv, &i, wants_help, e);
		else if (argv[i][0] == '-' && argv[i][1])
			r = check_short(&l, argc, argv, &i, wants_help, e);
	}
	return r;
}

int options_parse(const struct argp *argp, int argc, char **argv, void *input, struct err *e)
{
	bool wants_help = false;
	int at = argc;
	int r = check_options(argp, argc, argv, &wants_help, e);

	if (r)
		return r;
	if (wants_help) {
		argp_help(argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
		        argv[0]);
		return 1;
	}
	e->code = 0;
	r = (int)argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, &at, input);
	if (e->code)
		return e->code;
	if (r == ENOMEM)
		return err_set(e, -ENOMEM, "out of memory for the command line");
	if (r || at < argc) /* argp leaves what no parser took */
		return err_set(e, -EINVAL,
		        "unexpected argument %s; --help shows how the command reads",
		        at < argc ? argv[at] : "");
	return 0;
}

error_t options_take_one(const char **out, char *arg)
{
	if (*out)
		return ARGP_ERR_UNKNOWN;
	*out = arg;
	return 0;
}

int options_whole(uint64_t *out, const char *name, const char *text, uint64_t min, uint64_t max,
        struct err *e)
{
	char *end = NULL;

	errno = 0;
	if (text[0] >= '0' && text[0] <= '9') /* strtoull also takes blanks and signs */
		*out = strtoull(text, &end, 10);
	if (!end || *end || errno || *out < min || *out > max)
		return err_set(e, -EINVAL,
		        "--%s %s: expected a whole number from %" PRIu64 " to %" PRIu64, name,
		        text, min, max);
	return 0;
}
