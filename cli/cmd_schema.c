/* SPDX-License-Identifier: Apache-2.0 */
/* squall schema: the JSON Schemas of what squall reads and writes. */
#include <errno.h>
#include <stdio.h>

#include "analysis/summary_schema.h"
#include "analysis/trace/trace_schema.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "scenarios/knob_schema.h"

enum what { SCHEMA_SCENARIO, SCHEMA_SUMMARY, SCHEMA_RUN, SCHEMA_ANALYSIS };

static const struct argp_option options[] = {
        {"scenario", 's' + 0x100, NULL, 0, "Of scenario files, as JSON or YAML (default)", 0},
        {"summary", 'u' + 0x100, NULL, 0, "Of summary.json", 0},
        {"run", 'r' + 0x100, NULL, 0, "Of run.json", 0},
        {"analysis", 'a' + 0x100, NULL, 0, "Of what squall analyze --json writes", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	enum what *what = state->input;

	(void)arg;
	switch (key) {
	case 's' + 0x100:
		*what = SCHEMA_SCENARIO;
		return 0;
	case 'u' + 0x100:
		*what = SCHEMA_SUMMARY;
		return 0;
	case 'r' + 0x100:
		*what = SCHEMA_RUN;
		return 0;
	case 'a' + 0x100:
		*what = SCHEMA_ANALYSIS;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Prints a JSON Schema (2020-12), made from the tables that the program itself "
               "uses.\v"
               "Examples:\n"
               "  squall schema > scenario.schema.json\n"
               "  squall schema --summary\n"
               "  squall schema --analysis",
};

static enum cli_exit main_schema(int argc, char **argv)
{
	enum what what = SCHEMA_SCENARIO;
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, &what, &e);

	if (r < 0)
		return cli_error(&e);
	if (r)
		return CLI_OK;
	if (what == SCHEMA_SCENARIO)
		knob_schema_write(stdout);
	else if (what == SCHEMA_ANALYSIS)
		trace_schema_write(stdout);
	else
		summary_schema_write(stdout, what == SCHEMA_RUN ? RESULT_RUN : RESULT_SUMMARY);
	return CLI_OK;
}

const struct command cmd_schema = {
        "schema", "print the JSON Schema of scenario and result files", main_schema, &argp};
