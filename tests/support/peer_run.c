/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/peer_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"

#define MAX_ARGUMENTS 24

/* Not inlined: gcc 12 then takes a pointer into the text for one to the local variable. */
static NOINLINE char *read_text(const char *path)
{
	struct err e = {0};
	char *text = NULL;
	size_t len;

	if (text_file_read(&text, &len, path, (size_t)1 << 26, &e))
		fail_msg("%s", e.msg);
	return text;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct peer_fct read_fct(const char *path)
{
	struct peer_fct r = {.marks = -1};
	char *text = read_text(path);
	size_t lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	r.fct_ns = calloc(lines + 1, sizeof(double));
	r.slowdown = calloc(lines + 1, sizeof(double));
	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		double fct_ns, alone_ns;

		assert_int_equal(
		        sscanf(p, "%*x %*x %*u %*u %*d %*d %lf %lf", &fct_ns, &alone_ns), 2);
		r.fct_ns[r.n] = fct_ns;
		r.slowdown[r.n++] = fct_ns / alone_ns;
	}
	qsort(r.fct_ns, r.n, sizeof(double), ascending);
	qsort(r.slowdown, r.n, sizeof(double), ascending);
	free(text);
	return r;
}

struct peer_fct peer_reference(const char *cases, const char *name)
{
	char path[700];

	snprintf(path, sizeof(path), "%s/%s/fct.txt", cases, name);
	return read_fct(path);
}

static void run_program(const char *const *argv)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("%s ended with status %d", argv[0], status);
}

static int64_t marked_packets(const char *out)
{
	char path[700], *text, *at;
	int64_t marks;

	snprintf(path, sizeof(path), "%s/summary.json", out);
	text = read_text(path);
	at = strstr(text, "\"marked_packets\":");
	assert_non_null(at);
	marks = strtoll(at + strlen("\"marked_packets\":"), NULL, 10);
	free(text);
	return marks;
}

static void remove_folder(const char *path)
{
	const char *const argv[] = {"/bin/rm", "-rf", path, NULL};

	run_program(argv);
}

struct peer_fct peer_run(
        const char *cases, const char *name, unsigned seed, const char *const *more)
{
	const char *bin = getenv("SQUALL_BIN");
	char dir[600], out[] = "/tmp/squall-peer-XXXXXX", fct[64], number[16];
	const char *argv[MAX_ARGUMENTS] = {bin, "run", "--import", "hpcc", dir, "--seed",
	        number, "--out", out, "--fct", fct, "--quiet"};
	size_t n = 12;
	struct peer_fct r;

	assert_non_null(bin);
	assert_non_null(mkdtemp(out));
	snprintf(dir, sizeof(dir), "%s/%s", cases, name);
	snprintf(fct, sizeof(fct), "%s/fct.txt", out);
	snprintf(number, sizeof(number), "%u", seed);
	for (; more && *more; more++) {
		assert_true(n < MAX_ARGUMENTS - 1);
		argv[n++] = *more;
	}
	run_program(argv);
	r = read_fct(fct);
	r.marks = marked_packets(out);
	remove_folder(out);
	return r;
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

void peer_case_make(char dir[32], const char *topology, const char *flows, const char *config)
{
	snprintf(dir, 32, "/tmp/squall-case-XXXXXX");
	assert_non_null(mkdtemp(dir));
	put(dir, "topology.txt", topology);
	put(dir, "flow.txt", flows);
	put(dir, "config.txt", config);
}

void peer_case_remove(const char *dir)
{
	remove_folder(dir);
}

void peer_fct_free(struct peer_fct *r)
{
	free(r->fct_ns);
	free(r->slowdown);
}

double peer_mean(
        const struct peer_fct *run, unsigned n, double (*figure)(const struct peer_fct *))
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += figure(&run[i]);
	return sum / n;
}

/* Nearest rank: the value at rank ceil(p n). */
static double percentile(const double *v, size_t n, double p)
{
	size_t rank = (size_t)ceil(p * (double)n);

	assert_true(n > 0);
	return v[rank ? rank - 1 : 0];
}

double peer_p50(const struct peer_fct *r)
{
	return percentile(r->fct_ns, r->n, 0.50);
}

double peer_p99(const struct peer_fct *r)
{
	return percentile(r->fct_ns, r->n, 0.99);
}

double peer_max(const struct peer_fct *r)
{
	return percentile(r->fct_ns, r->n, 1);
}

double peer_min(const struct peer_fct *r)
{
	return percentile(r->fct_ns, r->n, 0);
}

double peer_marks(const struct peer_fct *r)
{
	return (double)r->marks;
}

double peer_slowdown_p50(const struct peer_fct *r)
{
	return percentile(r->slowdown, r->n, 0.50);
}

double peer_slowdown_p99(const struct peer_fct *r)
{
	return percentile(r->slowdown, r->n, 0.99);
}

double peer_slowdown_mean(const struct peer_fct *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->n; i++)
		sum += r->slowdown[i];
	return sum / (double)r->n;
}

void peer_near(const char *name, const char *what, double got, double want, double share)
{
	printf("%s: %s %.6g, the peer %.6g: %+.2f %%\n", name, what, got, want,
	        want != 0 ? 100 * (got - want) / want : 0);
	if (fabs(got - want) > share * want)
		fail_msg("%s: %s is not within %g %%", name, what, 100 * share);
}
