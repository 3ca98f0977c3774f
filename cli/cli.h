/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: exit codes, the table of commands, the one place that prints errors.
 */
#ifndef CLI_H
#define CLI_H

#include "dataplane/base/err.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_EXPECTATION_FAILED = 1,
	CLI_BAD_INPUT = 2,
	CLI_ENVIRONMENT = 3,
};

struct command {
	const char *name;
	const char *doc;
	enum cli_exit (*run)(int argc, char **argv); /* argv[0]: "squall NAME" */
};

extern const struct command cmd_run, cmd_check, cmd_plan, cmd_explain, cmd_schema, cmd_version;

/* Prints one line "squall: ..." on stderr and returns the exit code that belongs to it. */
enum cli_exit cli_error(const struct err *e);

/* The same for what went well: a line on stderr. */
void cli_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
