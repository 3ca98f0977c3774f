/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast capture files are read: nanoseconds of CPU per packet, user plus system, from the
 * page cache, each packet's first and last byte looked at; the best of several runs. The first
 * line is what the kernel alone takes to hand over the bytes, in pieces of the same size.
 *
 *   bench_capture_files [-n PACKETS] [-k RUNS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/reader.h"
#include "tests/support/measured_run.h"
#include "tests/support/roce_capture.h"

#define DEFAULT_PACKETS 10000000
#define DEFAULT_RUNS    3
#define BATCH           1024
#define PIECE_BYTES     (BATCH * 112)
#define SNAP            96

struct figures {
	uint64_t packets, bytes;
	double ns; /* of CPU, all of it */
};

static volatile uint64_t kept; /* so that looking at bytes is not left out */

static double cpu_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* cannot fail */
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void bytes_alone(struct figures *g, const char *path)
{
	static uint8_t piece[PIECE_BYTES];
	double begin = cpu_ns();
	int fd = open(path, O_RDONLY);
	ssize_t got;

	while (fd >= 0 && (got = read(fd, piece, sizeof(piece))) > 0) {
		g->bytes += (uint64_t)got;
		kept += piece[0];
	}
	if (fd >= 0)
		(void)close(fd);
	g->ns = cpu_ns() - begin;
}

static int packets_of(struct figures *g, const char *path)
{
	struct packet_batch b;
	double begin = cpu_ns();
	struct reader *r;
	uint64_t sum = 0;
	struct err e;
	int n;

	if (reader_open(&r, path, NULL, &e) || packet_batch_init(&b, BATCH, &e)) {
		(void)fprintf(stderr, "%s\n", e.msg);
		return -1;
	}
	while ((n = reader_fill(r, &b, &e)) > 0) {
		g->packets += (uint64_t)n;
		for (int i = 0; i < n; i++) {
			const struct packet *p = &b.packet[i];

			sum += p->data[0] + p->data[p->cap_bytes - 1] + (uint64_t)p->t_ns;
		}
	}
	kept += sum;
	packet_batch_fini(&b);
	reader_close(r);
	g->ns = cpu_ns() - begin;
	if (n)
		(void)fprintf(stderr, "%s\n", e.msg);
	return n;
}

static int make(const char *path, enum roce_capture_format format, uint64_t n)
{
	const struct roce_capture_spec s = {.frames = n, .snap_bytes = SNAP, .ce_every = 50};
	struct roce_capture_counts c;
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	roce_capture_write(f, format, &s, &c);
	return ferror(f) | fclose(f);
}

static int measure(const char *what, const char *path, uint64_t n, int runs, bool alone)
{
	double best = 0;

	for (int k = 0; k < runs; k++) {
		struct figures g = {0};

		if (alone)
			bytes_alone(&g, path);
		else if (packets_of(&g, path) || g.packets != n)
			return -1;
		if (k == 0 || g.ns < best)
			best = g.ns;
	}
	printf("%-28s %8.2f ns per packet  %8.2f M packets/s\n", what, best / (double)n,
	        (double)n * 1e3 / best);
	(void)fflush(stdout); /* the whole takes minutes */
	return 0;
}

/* The file, measured and removed; its compressed forms as well. */
static int format_figures(const char *dir, const char *name, enum roce_capture_format format,
        uint64_t n, int runs)
{
	static const char *const coding[][2] = {{"gzip -1", "gz"}, {"zstd -q", "zst"}};
	char path[200], coded[220], command[600], what[60];
	int rc;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	rc = make(path, format, n);
	if (!rc) {
		(void)snprintf(what, sizeof(what), "%s: bytes alone", name);
		rc = measure(what, path, n, runs, true);
	}
	rc = rc ? rc : measure(name, path, n, runs, false);
	for (int i = 0; i < 2 && !rc; i++) {
		(void)snprintf(coded, sizeof(coded), "%s.%s", path, coding[i][1]);
		(void)snprintf(
		        command, sizeof(command), "%s -c %s >%s", coding[i][0], path, coded);
		(void)snprintf(what, sizeof(what), "%s.%s", name, coding[i][1]);
		rc = system(command) ? -1 : measure(what, coded, n, runs, false);
		(void)unlink(coded);
	}
	(void)unlink(path);
	return rc;
}

int main(int argc, char **argv)
{
	uint64_t n = DEFAULT_PACKETS;
	int runs = DEFAULT_RUNS, o, rc;
	char dir[] = "/tmp/squall-bench-XXXXXX";

	while ((o = getopt(argc, argv, "n:k:")) != -1) {
		if (o == 'n')
			n = strtoull(optarg, NULL, 10);
		else if (o == 'k')
			runs = (int)strtol(optarg, NULL, 10);
		else
			return 2;
	}
	if (!n || runs < 1 || !mkdtemp(dir))
		return 2;
	printf("%" PRIu64 " packets of %d bytes; calibration %.2f ns a step\n", n, SNAP,
	        calibration_ns());
	rc = format_figures(dir, "ns.pcap", ROCE_PCAP_NS, n, runs);
	rc = rc ? rc : format_figures(dir, "ns.pcapng", ROCE_PCAPNG, n, runs);
	(void)rmdir(dir);
	return rc ? 3 : 0;
}
