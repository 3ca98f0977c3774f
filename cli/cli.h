/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: exit codes, the table of commands, the one place that prints errors.
 */
#ifndef CLI_H
#define CLI_H

#include <argp.h>

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
	const struct argp *argp; /* its options: for --help, man pages and completion */
};

extern const struct command *const commands[]; /* NULL at the end */

/* A text that may quote a hostile file or name, as one line that leaves the terminal as it is.
 */
#define CLI_LINE_BYTES sizeof(((struct err *)0)->msg)
const char *cli_line(char line[CLI_LINE_BYTES], const char *text);

/* Prints one line "squall: ..." on stderr and returns the exit code that belongs to it. */
enum cli_exit cli_error(const struct err *e);

/* That exit code alone, where another process prints the line. */
enum cli_exit cli_exit_of(const struct err *e);

/* The same for what went well: a line on stderr. */
void cli_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
