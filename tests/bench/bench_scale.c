/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The 10,240-host fat-tree: a ring all-reduce over all of it by one thread, two threads and two
 * processes of Open MPI, in turn: wall time, packet-hops per CPU second, memory per host, and
 * the same bytes from all. A part of the run by default, since a whole one takes minutes.
 *
 *   bench_scale [STOP]     virtual time, 8ms by default; "never": all of it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/text_file.h"
#include "tests/support/measured_run.h"

#define HOSTS 10240
#define WAYS  3

static const struct way {
	const char *name, *threads;
	uint32_t ranks;
} ways[WAYS] = {{"one thread", "1", 1}, {"two threads", "2", 1}, {"two processes", "1", 2}};

static bool same_file(const char *a, const char *b, const char *name)
{
	const char *const folder[2] = {a, b};
	char *text[2] = {0};
	size_t len[2] = {0};
	struct err e = {0};
	bool same = true;

	for (int i = 0; i < 2 && same; i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/%s", folder[i], name);
		same = text_file_read(&text[i], &len[i], path, (size_t)1 << 30, &e) == 0;
	}
	same = same && len[0] == len[1] && memcmp(text[0], text[1], len[0]) == 0;
	free(text[0]);
	free(text[1]);
	return same;
}

static void print(const struct way *w, const struct measured_run *r, const char *agrees)
{
	printf("%-14s %12.2f %9.2f %9.2f %12.2f %9.1f %9.1f  %s\n", w->name,
	        (double)r->packet_hops / 1e6, r->wall_s, r->cpu_s,
	        (double)r->packet_hops / r->cpu_s / 1e6, (double)r->rss_bytes / 1e6,
	        (double)r->rss_bytes / 1024 / HOSTS, agrees);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *root = getenv("SQUALL_SOURCE_DIR"), *stop = argc > 1 ? argv[1] : "8ms";
	char path[600], set[100], out[WAYS][64];
	bool failed = false;

	snprintf(path, sizeof(path), "%s/tests/bench/scenarios/all-reduce-10240.yaml",
	        root ? root : SQUALL_SOURCE_DIR);
	snprintf(set, sizeof(set), "stop.after=%s", stop);
	printf("calibration: %.3f ns a step; stop.after %s\n\n", calibration_ns(), stop);
	printf("%-14s %12s %9s %9s %12s %9s %9s\n", "", "M pkt-hops", "wall s", "CPU s",
	        "M hops/CPU s", "peak MB", "KB/host");
	for (int i = 0; i < WAYS; i++) {
		const char *const argument[] = {
		        path, "--set", set, "--threads", ways[i].threads, NULL};
		struct measured_run r;
		bool same;

		snprintf(out[i], sizeof(out[i]), "/tmp/squall-scale-%d-%d", (int)getpid(), i);
		if (!(ways[i].ranks == 1
		                    ? measured_run(&r, out[i], argument)
		                    : measured_ranks(&r, ways[i].ranks, out[i], argument))) {
			printf("%-14s skipped: no Open MPI, or no squall_mpi.so\n",
			        ways[i].name);
			continue;
		}
		same = !i || (same_file(out[0], out[i], "summary.json") &&
		                     same_file(out[0], out[i], "messages.csv"));
		print(&ways[i], &r, !i ? "" : same ? "identical" : "DIFFERENT");
		failed |= !same;
	}
	printf("\nresults in %s and its siblings\n", out[0]);
	return failed;
}
