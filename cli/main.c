/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the command, and does what surrounds every one of them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/put.h"
#include "cli/cli.h"
#include "dataplane/base/nearest.h"

static void print_help(void)
{
	put_text("squall: replays RoCEv2 traffic through a simulated fabric and reports tail "
	         "latency,\n"
	         "ECN, CNP, PFC and loss\n\n"
	         "usage: squall COMMAND [OPTION...] [ARGUMENT...]\n"
	         "\n",
	        stdout);
	for (size_t i = 0; commands[i]; i++)
		put(stdout, "  %-10s  %s\n", commands[i]->name, commands[i]->doc);
	put_text("\nexamples:\n"
	         "  squall run incast-32                       a scenario of the library\n"
	         "  squall run my.yaml --seed 7 --out results  a file of yours\n"
	         "  squall explain fabric.switch.ecn.kmin      what a key means, and its "
	         "default\n"
	         "  squall COMMAND --help                      the options of a command\n\n"
	         "exit status: 0 ok, 1 an expectation does not hold, 2 usage or bad input,\n"
	         "3 environment or interrupted"
	         "\n",
	        stdout);
}

static const struct command *find_command(const char *name, struct err *e)
{
	struct nearest near;
	const char *meant;

	nearest_init(&near, name);
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
		nearest_offer(&near, commands[i]->name);
	}
	meant = nearest_get(&near);
	(void)err_set(e, -EINVAL, "unknown %s %s%s%s; squall --help lists the commands",
	        name[0] == '-' ? "option" : "command", name, meant ? "; nearest is " : "",
	        meant ? meant : "");
	return NULL;
}

static enum cli_exit run_command(const char *name, int argc, char **argv)
{
	const struct command *c;
	struct err e = {0};
	char full[32];

	c = find_command(name, &e);
	if (!c)
		return cli_error(&e);
	(void)snprintf(full, sizeof(full), "squall %s", c->name);
	argv[0] = full;
	return c->run(argc, argv);
}

static enum cli_exit dispatch(int argc, char **argv)
{
	struct err e = {0};
	char help[] = "--help";
	char *help_argv[] = {NULL, help, NULL};

	if (argc < 2) {
		(void)err_set(&e, -EINVAL, "no command given; squall --help lists them");
		return cli_error(&e);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	        (!strcmp(argv[1], "help") && argc == 2)) {
		print_help();
		return CLI_OK;
	}
	if (!strcmp(argv[1], "help"))
		return run_command(argv[2], 2, help_argv);
	if (!strcmp(argv[1], "--version"))
		return run_command("version", argc - 1, argv + 1);
	return run_command(argv[1], argc - 1, argv + 1);
}

/* A standard stream that the caller closed would be the number of the next file opened, and the
 * table would go into it. Read-only, so that writing there is an error. */
static void hold_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
			_exit(CLI_ENVIRONMENT);
}

/* Results that nobody received are not "ok". A stream forgets why an earlier write failed, so
 * one more byte asks again: what was written is incomplete anyway. */
static enum cli_exit finish_stdout(enum cli_exit status)
{
	struct err e = {0};
	bool failed = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !failed)
		return status;
	if (!errno && write(STDOUT_FILENO, "\n", 1) == 1)
		errno = EIO;
	(void)err_set(&e, -EIO, "cannot write to standard output: %s", strerror(errno));
	return cli_error(&e);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	(void)signal(SIGPIPE, SIG_IGN); /* a closed pipe is then EPIPE, which has a message */
	(void)signal(SIGXFSZ, SIG_IGN); /* ulimit -f likewise: EFBIG */
	return (int)finish_stdout(dispatch(argc, argv));
}
