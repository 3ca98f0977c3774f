/* SPDX-License-Identifier: Apache-2.0 */
/* squall completion: what a shell needs to complete command lines, made from the tables that
 * the program itself uses. Names of scenarios and keys are asked for when they are needed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/put.h"
#include "cli/commands.h"
#include "cli/options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	return key == ARGP_KEY_ARG ? options_take_one(state->input, arg) : ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
        .parser = parse,
        .args_doc = "bash|zsh|fish",
        .doc = "Prints a script that completes commands, options, scenarios and keys.\v"
               "Examples:\n"
               "  squall completion bash > ~/.local/share/bash-completion/completions/squall\n"
               "  source <(squall completion zsh)\n"
               "  squall completion fish > ~/.config/fish/completions/squall.fish",
};

static void put_name(void *arg, const struct argp_option *o)
{
	FILE *f = arg;

	put(f, " --%s", o->name);
}

static void put_commands(FILE *f)
{
	for (size_t i = 0; commands[i]; i++)
		put(f, "%s%s", i ? " " : "", commands[i]->name);
}

/* For bash and zsh: from `program`, `sub` (the command), `before` and `word` to `list`, what
 * can stand for word, and `files`, whether files can. A key may be asked for by any of its
 * ends. */
static void put_choice(FILE *f)
{
	put_text("\tcase $sub in\n", f);
	for (size_t i = 0; commands[i]; i++) {
		put(f, "\t%s) options='--help", commands[i]->name);
		options_each(commands[i]->argp, put_name, f);
		put_text("' ;;\n", f);
	}
	put_text("\tesac\n"
	         "\tcase $sub:$before:$word in\n"
	         "\t*:--set:*) list=$(\"$program\" explain --keys --scenario 2>/dev/null | "
	         "sed -n 's/\\[\\]/[0]/g; p; s/^fabric\\.//p') ;;\n"
	         "\t*:-*) list=$options ;;\n"
	         "\texplain:*) list=$(\"$program\" explain --keys 2>/dev/null | "
	         "sed -n ':a; p; s/^[^.]*\\.//; ta' | sort -u) ;;\n"
	         "\tqualify:*) files=1 list=\"all $(\"$program\" qualify --list 2>/dev/null | "
	         "sed -n 's/^\\([a-z][a-z0-9-]*\\) .*/\\1/p')\" ;;\n"
	         "\tman:*) list='squall scenario ",
	        f);
	put_commands(f);
	put_text("' ;;\n"
	         "\tcompletion:*) list='bash zsh fish' ;;\n"
	         "\treport:* | import:*) files=1 ;;\n"
	         "\t*) files=1 list=$(\"$program\" list --names 2>/dev/null) ;;\n"
	         "\tesac\n",
	        f);
}

static void bash(FILE *f)
{
	put_text("# bash completion for squall\n_squall()\n{\n"
	         "\tlocal program=${COMP_WORDS[0]} sub=${COMP_WORDS[1]} "
	         "before=${COMP_WORDS[COMP_CWORD - 1]} word=${COMP_WORDS[COMP_CWORD]}\n"
	         "\tlocal options= list= files=\n"
	         "\tif ((COMP_CWORD == 1)); then\n"
	         "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	        f);
	put_commands(f);
	put_text("' -- \"$word\")\n\t\treturn\n\tfi\n", f);
	put_choice(f);
	put_text("\tmapfile -t COMPREPLY < <(compgen -W \"$list\" -- \"$word\"; "
	         "[[ -z $files ]] || compgen -f -- \"$word\")\n"
	         "}\ncomplete -o filenames -F _squall squall\n",
	        f);
}

static void zsh(FILE *f)
{
	put_text("#compdef squall\n# zsh completion for squall\n_squall()\n{\n"
	         "\tlocal program=${words[1]} sub=${words[2]} before=${words[CURRENT-1]} "
	         "word=${words[CURRENT]}\n"
	         "\tlocal options= list= files=\n"
	         "\tif ((CURRENT == 2)); then\n\t\tcompadd -- ",
	        f);
	put_commands(f);
	put_text("\n\t\treturn\n\tfi\n", f);
	put_choice(f);
	put_text("\tcompadd -- ${=list}\n\t[[ -z $files ]] || _files\n}\n"
	         "if [[ ${funcstack[1]-} == _squall ]]; then _squall \"$@\"; "
	         "else compdef _squall squall; fi\n",
	        f);
}

struct fish_command {
	FILE *f;
	const char *name;
};

/* A text within single quotes of fish. */
static void put_quoted(FILE *f, const char *text)
{
	put_char('\'', f);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			put_char('\\', f);
		put_char(*text, f);
	}
	put_char('\'', f);
}

static void fish_option(void *arg, const struct argp_option *o)
{
	const struct fish_command *c = arg;

	put(c->f, "complete -c squall -n '__fish_seen_subcommand_from %s' -l %s%s -d ", c->name,
	        o->name, o->arg ? " -r" : "");
	put_quoted(c->f, o->doc ? o->doc : "");
	put_char('\n', c->f);
}

static void fish(FILE *f)
{
	put_text("# fish completion for squall\n", f);
	for (size_t i = 0; commands[i]; i++) {
		struct fish_command c = {f, commands[i]->name};

		put(f, "complete -c squall -n __fish_use_subcommand -f -a %s -d ", c.name);
		put_quoted(f, commands[i]->doc);
		put_char('\n', f);
		options_each(commands[i]->argp, fish_option, &c);
	}
	put_text("complete -c squall -n 'not __fish_use_subcommand' -a '(squall list --names "
	         "2>/dev/null)'\n"
	         "complete -c squall -n '__fish_seen_subcommand_from explain' -f -a '(squall "
	         "explain --keys 2>/dev/null | sed -n \":a; p; s/^[^.]*\\.//; ta\" | sort "
	         "-u)'\n"
	         "complete -c squall -n '__fish_seen_subcommand_from qualify' -a 'all (squall "
	         "qualify --list 2>/dev/null | sed -n \"s/^\\([a-z][a-z0-9-]*\\) .*/"
	         "\\1/p\")'\n",
	        f);
}

static const struct shell {
	const char *name;
	void (*write)(FILE *f);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static int write_for(const char *shell, struct err *e)
{
	for (size_t i = 0; shell && i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(shells[i].name, shell)) {
			shells[i].write(stdout);
			return 0;
		}
	return err_set(e, -EINVAL, "completion%s%s: expected bash, zsh or fish",
	        shell ? " " : "", shell ? shell : "");
}

static enum cli_exit main_completion(int argc, char **argv)
{
	const char *shell = NULL;
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, &shell, &e);

	if (r > 0)
		return CLI_OK;
	if (!r)
		r = write_for(shell, &e);
	return r ? cli_error(&e) : CLI_OK;
}

const struct command cmd_completion = {
        "completion", "print completion for bash, zsh or fish", main_completion, &argp};
