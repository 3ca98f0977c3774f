/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/man_page.h"

#include <ctype.h>
#include <string.h>

#include "analysis/put.h"
#include "cli/options.h"
#include "scenarios/knob_table.h"
#include "scenarios/knob_value.h"

static uint32_t count_commands(void)
{
	uint32_t n = 0;

	while (commands[n])
		n++;
	return n;
}

uint32_t man_pages(void)
{
	return count_commands() + 2;
}

struct man_page man_page(uint32_t i)
{
	struct man_page p = {.section = 1};

	if (i == 0) {
		p.name = "squall";
		(void)snprintf(p.file, sizeof(p.file), "squall");
	} else if (i <= count_commands()) {
		p.command = commands[i - 1];
		p.name = p.command->name;
		(void)snprintf(p.file, sizeof(p.file), "squall-%s", p.name);
	} else {
		p.name = "scenario";
		p.section = 5;
		(void)snprintf(p.file, sizeof(p.file), "squall-scenario");
	}
	return p;
}

/* Text in which no character commands: backslashes and hyphens are escaped, and a line that
 * begins with a dot or an apostrophe is kept from being a request. */
static void put_roff(FILE *f, const char *text, size_t len)
{
	bool starts = true;

	for (size_t i = 0; i < len; i++) {
		if (starts && (text[i] == '.' || text[i] == '\''))
			put_text("\\&", f);
		starts = text[i] == '\n';
		if (text[i] == '\\')
			put_text("\\e", f);
		else if (text[i] == '-')
			put_text("\\-", f);
		else
			put_char(text[i], f);
	}
}

static void put_line(FILE *f, const char *text)
{
	put_roff(f, text, strlen(text));
	put_char('\n', f);
}

static void put_upper(FILE *f, const char *text)
{
	for (; *text; text++)
		put_char((char)toupper((unsigned char)*text), f);
}

static void put_head(FILE *f, const struct man_page *p, const char *doc)
{
	put_text(".TH ", f);
	put_upper(f, p->file);
	put(f, " %d \"\" \"squall %s\" \"squall\"\n.SH NAME\n", p->section, SQUALL_VERSION);
	put_roff(f, p->file, strlen(p->file));
	put_text(" \\- ", f);
	put_line(f, doc);
}

/* A block as it stands, lines kept. */
static void put_block(FILE *f, const char *text)
{
	put_text(".nf\n", f);
	put_line(f, text);
	put_text(".fi\n", f);
}

static void put_option(void *arg, const struct argp_option *o)
{
	FILE *f = arg;

	put_text(".TP\n.B ", f);
	if (isprint(o->key))
		put(f, "\\-%c, ", o->key);
	put_text("\\-\\-", f);
	put_roff(f, o->name, strlen(o->name));
	if (o->arg) {
		put_text("=\\fI", f);
		put_roff(f, o->arg, strlen(o->arg));
		put_text("\\fR", f);
	}
	put_char('\n', f);
	put_line(f, o->doc ? o->doc : "");
}

static void put_exit_status(FILE *f)
{
	put_text(".SH EXIT STATUS\n"
	         ".TP\n0\nOk.\n"
	         ".TP\n1\nAn expectation does not hold.\n"
	         ".TP\n2\nUsage, or bad input.\n"
	         ".TP\n3\nThe environment (no memory, no permission), or interrupted.\n",
	        f);
}

static void put_command(FILE *f, const struct man_page *p)
{
	const struct argp *argp = p->command->argp;
	const char *rest = argp->doc ? strchr(argp->doc, '\v') : NULL;

	put_head(f, p, p->command->doc);
	put_text(".SH SYNOPSIS\n.B squall ", f);
	put_roff(f, p->name, strlen(p->name));
	put_text("\n[\\fIOPTION\\fR...]", f);
	if (argp->args_doc) {
		put_char(' ', f);
		put_roff(f, argp->args_doc, strlen(argp->args_doc));
	}
	put_text("\n.SH DESCRIPTION\n", f);
	if (argp->doc) {
		put_roff(f, argp->doc, rest ? (size_t)(rest - argp->doc) : strlen(argp->doc));
		put_char('\n', f);
	}
	put_text(".SH OPTIONS\n", f);
	options_each(argp, put_option, f);
	put_text(".TP\n.B \\-h, \\-\\-help\nPrint the options and leave.\n", f);
	if (rest) {
		put_text(".SH NOTES\n", f);
		put_block(f, rest + 1);
	}
	put_exit_status(f);
	put_text(".SH SEE ALSO\n.BR squall (1),\n.BR squall\\-scenario (5)\n", f);
}

static void put_program(FILE *f, const struct man_page *p)
{
	put_head(f, p, "RoCEv2 traffic generator and congestion lab");
	put_text(".SH SYNOPSIS\n.B squall\n\\fICOMMAND\\fR [\\fIOPTION\\fR...] "
	         "[\\fIARGUMENT\\fR...]\n"
	         ".SH DESCRIPTION\n"
	         "Replays RoCEv2 traffic through a simulated fabric and reports tail latency, "
	         "ECN, CNP, PFC and loss.\n"
	         "A scenario file says what the fabric is and who sends; see\n"
	         ".BR squall\\-scenario (5).\n"
	         ".SH COMMANDS\n",
	        f);
	for (uint32_t i = 0; commands[i]; i++) {
		put(f, ".TP\n.BR squall\\-%s (1)\n", commands[i]->name);
		put_line(f, commands[i]->doc);
	}
	put_exit_status(f);
}

static void put_knob(FILE *f, const char *full, const struct knob *row)
{
	char expected[KNOB_EXPECTED_BYTES];

	put_text(".TP\n.B ", f);
	put_line(f, full);
	put_line(f, row->doc);
	put_text("Value: ", f);
	(void)knob_expected(row, expected, sizeof(expected));
	put_roff(f, expected, strlen(expected));
	put_text(". ", f);
	if (row->def && *row->def) {
		put_text("Default: ", f);
		put_roff(f, row->def, strlen(row->def));
		if (row->source)
			put_text(" (", f);
		if (row->source)
			put_roff(f, row->source, strlen(row->source));
		put_text(row->source ? ").\n" : ".\n", f);
	} else {
		put_text(row->def ? "No default.\n" : "Must be given.\n", f);
	}
	if (row->note) {
		put_text(".br\n", f);
		put_line(f, row->note);
	}
}

static void put_scenario(FILE *f, const struct man_page *p)
{
	char full[KNOB_PATH_BYTES];

	put_head(f, p, "the scenario file of squall(1)");
	put_text(".SH DESCRIPTION\n"
	         "A YAML file. Quantities carry their unit (400Gbps, 1.5us, 64MiB); [] stands "
	         "for the index in a list.\n",
	        f);
	for (const struct knob_slot *s = knob_table; s->group; s++) {
		put_text(".SS ", f);
		put_line(f, *s->group->path ? s->group->path : "top level");
		if (s->group->doc)
			put_line(f, s->group->doc);
		for (size_t i = 0; i < s->group->n_rows; i++)
			if (knob_join(full, s->group->path, s->group->rows[i].key))
				put_knob(f, full, &s->group->rows[i]);
	}
	put_text(".SH SEE ALSO\n.BR squall (1),\n.BR squall\\-explain (1)\n", f);
}

void man_page_write(FILE *f, const struct man_page *p)
{
	if (p->command)
		put_command(f, p);
	else if (p->section == 1)
		put_program(f, p);
	else
		put_scenario(f, p);
}
