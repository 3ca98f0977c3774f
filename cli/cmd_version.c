/* SPDX-License-Identifier: Apache-2.0 */
/* squall version */
#include <stdio.h>

#include "analysis/put.h"
#include "analysis/summary.h"
#include "cli/commands.h"
#include "cli/options.h"

static const struct argp argp = {
        .doc = "Prints the version of the program and of the files that it writes.\v"
               "Examples:\n  squall version",
};

static enum cli_exit main_version(int argc, char **argv)
{
	struct err e = {0};
	int r = options_parse(&argp, argc, argv, NULL, &e);

	if (r < 0)
		return cli_error(&e);
	if (!r)
		put(stdout, "squall %s (results " SUMMARY_FORMAT ", scenarios squall: 1)\n",
		        SQUALL_VERSION);
	return CLI_OK;
}

const struct command cmd_version = {"version", "print the version", main_version, &argp};
