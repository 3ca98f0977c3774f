/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast the simulator is and how much memory it takes: whole runs of the program with its
 * default results written, CPU as user plus system of the process, the best of several runs.
 * A table on stdout and the same as JSON beside this program. docs/benchmarks.md says how the
 * figures are counted.
 *
 *   bench_sim [-n RUNS] [NAME...]     names as in the first column; all by default
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/text_file.h"
#include "tests/support/measured_run.h"

#define DEFAULT_RUNS 5
#define MAX_RUNS     100
#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))

struct bench_case {
	const char *name;
	const char *scenario; /* in tests/bench/scenarios; NULL: a case of the reference */
	const char *set;      /* NULL: as it stands */
	const char *flows_of; /* a case of the reference whose flows the scenario takes */
	double floor_mhops;   /* million packet-hops per CPU second to reach; 0: none stated */
	double ceiling_mb;    /* peak memory to stay under; 0: none stated */
	bool once;            /* a memory figure: one run says it all */
};

static const struct bench_case cases[] = {
        {.name = "incast-8", .scenario = "incast-8"},
        {.name = "incast-32", .scenario = "incast-32"},
        {.name = "incast-128", .scenario = "incast-128", .floor_mhops = 25},
        {.name = "leaf-spine-64",
                .scenario = "leaf-spine-64",
                .floor_mhops = 25,
                .ceiling_mb = 30},
        {.name = "a2a16", .scenario = "a2a16"},
        {.name = "ring16", .scenario = "ring16"},
        {.name = "leaf-spine-1000", .scenario = "leaf-spine-1000"},
        {.name = "leaf-spine-10240", .scenario = "leaf-spine-10240"},
        {.name = "incast-128-burst",
                .scenario = "incast-128",
                .set = "workload[0].repeat=1",
                .ceiling_mb = 14,
                .once = true},
        {.name = "incast-128/hpcc", .scenario = "incast-128", .set = "preset=hpcc"},
        {.name = "leaf-spine-64/hpcc", .scenario = "leaf-spine-64", .set = "preset=hpcc"},
        {.name = "ls64_websearch", .scenario = "ls64-flows", .flows_of = "ls64_websearch"},
        {.name = "hpcc/incast8"},
        {.name = "hpcc/incast32"},
        {.name = "hpcc/ring16"},
        {.name = "hpcc/a2a16"},
        {.name = "hpcc/ls64_websearch"},
};

static const char threads_case[] = "threads";

struct bench {
	int runs;
	char **only;
	int n_only;
	char out[2][64]; /* result folders; the second for a run to compare with */
	FILE *json;
	bool any_json, failed;
};

static bool wanted(const struct bench *b, const char *name)
{
	for (int i = 0; i < b->n_only; i++)
		if (strcmp(b->only[i], name) == 0)
			return true;
	return b->n_only == 0;
}

static const char *root(const char *variable)
{
	const char *path = getenv(variable);

	return path ? path : "";
}

static bool reference_case(const char *name, char *path, size_t len)
{
	snprintf(path, len, "%s/peer-sim/cases/%s", root("SQUALL_REFERENCE"), name);
	return access(path, R_OK) == 0;
}

/* Imports a case into the second folder and names the list of its flows; false if it is not
 * here. */
static bool take_flows(struct bench *b, const char *name, char *path, size_t len)
{
	const char *argument[] = {"--import", "hpcc", path, NULL};
	struct measured_run r;

	if (!reference_case(name, path, len) || !measured_run(&r, b->out[1], argument))
		return false;
	snprintf(path, len, "workload[0].file=%s/workload-0.csv", b->out[1]);
	return true;
}

/* Fills in what to run; false if it is a case of the reference and that is not here. */
static bool arguments(const struct bench_case *c, char *path, size_t len, const char **argument)
{
	int n = 0;

	if (c->scenario) {
		snprintf(path, len, "%s/tests/bench/scenarios/%s.yaml",
		        root("SQUALL_SOURCE_DIR"), c->scenario);
	} else {
		if (!reference_case(strchr(c->name, '/') + 1, path, len))
			return false;
		argument[n++] = "--import";
		argument[n++] = "hpcc";
	}
	argument[n++] = path;
	if (c->set) {
		argument[n++] = "--set";
		argument[n++] = c->set;
	}
	argument[n] = NULL;
	return true;
}

static const char *judgement(const struct bench_case *c, double mhops, double mb)
{
	if (c->floor_mhops <= 0 && c->ceiling_mb <= 0)
		return "";
	return mhops >= c->floor_mhops && (c->ceiling_mb <= 0 || mb < c->ceiling_mb)
	               ? "  reached"
	               : "  MISSED";
}

static void json_next(struct bench *b)
{
	fprintf(b->json, "%s\n    ", b->any_json ? "," : "");
	b->any_json = true;
}

static void bench_one(struct bench *b, const struct bench_case *c)
{
	const char *argument[8];
	char path[600], flows[700], target[64] = "";
	struct measured_run r, best = {.cpu_s = 1e9};
	int64_t rss_bytes = 0;
	double mhops, mb;

	if (!arguments(c, path, sizeof(path), argument)) {
		printf("%-18s skipped: no %s (SQUALL_REFERENCE names the reference)\n", c->name,
		        path);
		return;
	}
	if (c->flows_of) {
		if (!take_flows(b, c->flows_of, flows, sizeof(flows))) {
			printf("%-18s skipped: no %s (SQUALL_REFERENCE names the reference)\n",
			        c->name, flows);
			return;
		}
		argument[1] = "--set";
		argument[2] = flows;
		argument[3] = NULL;
	}
	for (int i = 0; i < (c->once ? 1 : b->runs); i++) {
		if (!measured_run(&r, b->out[0], argument)) {
			b->failed = true;
			return;
		}
		if (r.cpu_s < best.cpu_s)
			best = r;
		if (r.rss_bytes > rss_bytes)
			rss_bytes = r.rss_bytes;
	}
	mhops = (double)best.packet_hops / best.cpu_s / 1e6;
	mb = (double)rss_bytes / 1e6;
	if (c->floor_mhops > 0)
		snprintf(target, sizeof(target), "  >= %.0f M/s", c->floor_mhops);
	if (c->ceiling_mb > 0)
		snprintf(target + strlen(target), sizeof(target) - strlen(target),
		        "  < %.0f MB", c->ceiling_mb);
	printf("%-18s %12.2f %8.3f %12.2f %10.3f %9.1f%s%s\n", c->name,
	        (double)best.packet_hops / 1e6, best.cpu_s, mhops,
	        (double)best.events / (double)best.packet_hops, mb, target,
	        judgement(c, mhops, mb));
	fflush(stdout);
	json_next(b);
	fprintf(b->json,
	        "{\"name\": \"%s\", \"packet_hops\": %" PRId64 ", \"cpu_s\": %.6f, "
	        "\"mhops_per_cpu_s\": %.3f, \"events_per_hop\": %.4f, \"rss_bytes\": %" PRId64
	        "}",
	        c->name, best.packet_hops, best.cpu_s, mhops,
	        (double)best.events / (double)best.packet_hops, rss_bytes);
}

static bool same_file(const struct bench *b, const char *name)
{
	char *text[2] = {0};
	size_t len[2] = {0};
	struct err e = {0};
	bool same = true;

	for (int i = 0; i < 2 && same; i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/%s", b->out[i], name);
		same = text_file_read(&text[i], &len[i], path, (size_t)1 << 30, &e) == 0;
	}
	same = same && len[0] == len[1] && memcmp(text[0], text[1], len[0]) == 0;
	free(text[0]);
	free(text[1]);
	return same;
}

/* The same 1,000 hosts with one thread and with two, in turn: wall time, and the same bytes. */
static void bench_threads(struct bench *b)
{
	const struct bench_case c = {.scenario = "leaf-spine-1000"};
	const char *argument[2][8];
	char path[600];
	double best_s[2] = {1e9, 1e9};
	bool same = true;

	for (int t = 0; t < 2; t++) {
		int n = 0;

		(void)arguments(&c, path, sizeof(path), argument[t]); /* it is in the tree */
		while (argument[t][n])
			n++;
		argument[t][n++] = "--threads";
		argument[t][n++] = t ? "2" : "1";
		argument[t][n] = NULL;
	}
	for (int i = 0; i < b->runs; i++) {
		for (int t = 0; t < 2; t++) {
			struct measured_run r;

			if (!measured_run(&r, b->out[t], argument[t])) {
				b->failed = true;
				return;
			}
			if (r.wall_s < best_s[t])
				best_s[t] = r.wall_s;
		}
		same = same && same_file(b, "summary.json") && same_file(b, "messages.csv");
	}
	printf("\n1,000 hosts, wall time: one thread %.3f s, two threads %.3f s, %.2f times as "
	       "fast; results %s\n",
	        best_s[0], best_s[1], best_s[0] / best_s[1], same ? "identical" : "DIFFERENT");
	b->failed |= !same;
	json_next(b);
	fprintf(b->json,
	        "{\"name\": \"%s\", \"wall_s_1\": %.6f, \"wall_s_2\": %.6f, \"identical\": %s}",
	        threads_case, best_s[0], best_s[1], same ? "true" : "false");
}

/* Each scenario leaves its own files. */
static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, 0); /* rmdir complains */
	if (dir)
		closedir(dir);
	if (rmdir(folder) != 0)
		perror(folder);
}

static bool options(struct bench *b, int argc, char **argv)
{
	int opt;

	b->runs = DEFAULT_RUNS;
	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return false;
		b->runs = (int)strtol(optarg, NULL, 10);
	}
	b->only = argv + optind;
	b->n_only = argc - optind;
	return b->runs >= 1 && b->runs <= MAX_RUNS;
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	char path[600];

	if (!options(&b, argc, argv)) {
		fprintf(stderr, "usage: %s [-n RUNS] [NAME...]\n", argv[0]);
		return 2;
	}
	snprintf(path, sizeof(path), "%s.json", argv[0]);
	b.json = fopen(path, "w");
	for (int i = 0; i < 2; i++) {
		snprintf(b.out[i], sizeof(b.out[i]), "/tmp/squall-bench-XXXXXX");
		if (!b.json || !mkdtemp(b.out[i])) {
			perror(b.json ? b.out[i] : path);
			return 3;
		}
	}
	printf("calibration: %.3f ns a step; best of %d\n\n", calibration_ns(), b.runs);
	printf("%-18s %12s %8s %12s %10s %9s\n", "", "M pkt-hops", "CPU s", "M hops/CPU s",
	        "events/hop", "peak MB");
	fprintf(b.json, "{\"calibration_ns\": %.4f, \"runs\": %d, \"cases\": [",
	        calibration_ns(), b.runs);
	for (size_t i = 0; i < COUNT(cases); i++)
		if (wanted(&b, cases[i].name))
			bench_one(&b, &cases[i]);
	if (wanted(&b, threads_case))
		bench_threads(&b);
	fprintf(b.json, "\n]}\n");
	fclose(b.json);
	printf("\nthe same in %s\n", path);
	remove_folder(b.out[0]);
	remove_folder(b.out[1]);
	return b.failed;
}
