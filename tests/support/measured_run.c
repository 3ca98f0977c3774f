/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/measured_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/rng.h"
#include "dataplane/base/text_file.h"

#define MAX_ARGUMENTS     24
#define CALIBRATION_STEPS 20000000
#define CALIBRATION_WORDS 2048

static double now_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* The number that follows "key": in a result file, -1 if there is none. */
static int64_t number_in(const char *out, const char *file, const char *key)
{
	char path[700], *text = NULL, *at;
	struct err e = {0};
	int64_t value = -1;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s", out, file);
	if (text_file_read(&text, &len, path, (size_t)1 << 26, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return -1;
	}
	at = strstr(text, key);
	if (at)
		value = strtoll(at + strlen(key), NULL, 10);
	free(text);
	return value;
}

static bool run_child(struct measured_run *r, const char *const *argv)
{
	double start_s = now_s(CLOCK_MONOTONIC);
	struct rusage u;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid) {
		perror(argv[0]);
		return false;
	}
	r->wall_s = now_s(CLOCK_MONOTONIC) - start_s;
	r->cpu_s = seconds(u.ru_utime) + seconds(u.ru_stime);
	r->rss_bytes = (int64_t)u.ru_maxrss * 1024;
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "%s ended with status %d\n", argv[0], status);
		return false;
	}
	return true;
}

/* argv holds n words that come before the program. */
static bool run_program(struct measured_run *r, const char **argv, int n, const char *out,
        const char *const *argument)
{
	const char *program = getenv("SQUALL_BIN");

	if (!program) {
		fprintf(stderr, "SQUALL_BIN does not name the program: use ./lab bench\n");
		return false;
	}
	argv[n++] = program;
	argv[n++] = "run";
	while (*argument && n < MAX_ARGUMENTS - 4)
		argv[n++] = *argument++;
	argv[n++] = "--quiet";
	argv[n++] = "--out";
	argv[n++] = out;
	if (!run_child(r, argv))
		return false;
	r->packet_hops = number_in(out, "summary.json", "\"packet_hops\":");
	r->events = number_in(out, "run.json", "\"events\":");
	return r->packet_hops > 0 && r->events > 0;
}

bool measured_run(struct measured_run *r, const char *out, const char *const *argument)
{
	const char *argv[MAX_ARGUMENTS] = {NULL};

	return run_program(r, argv, 0, out, argument);
}

bool measured_ranks(
        struct measured_run *r, uint32_t ranks, const char *out, const char *const *argument)
{
	char number[16];
	const char *argv[MAX_ARGUMENTS] = {"mpirun", "--oversubscribe", "-n", number};

	snprintf(number, sizeof(number), "%u", ranks);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
	if (!run_program(r, argv, 4, out, argument))
		return false;
	r->rss_bytes = number_in(out, "run.json", "\"rss_bytes\":");
	return r->rss_bytes > 0;
}

double calibration_ns(void)
{
	uint64_t word[CALIBRATION_WORDS], x = 1;
	volatile uint64_t sink;
	double start_s;

	for (uint32_t i = 0; i < CALIBRATION_WORDS; i++)
		word[i] = hash64(i);
	start_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	for (uint32_t i = 0; i < CALIBRATION_STEPS; i++)
		x = hash64(x + word[x % CALIBRATION_WORDS]);
	sink = x;
	(void)sink;
	return (now_s(CLOCK_PROCESS_CPUTIME_ID) - start_s) / CALIBRATION_STEPS * 1e9;
}
