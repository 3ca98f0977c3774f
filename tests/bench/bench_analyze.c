/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast captures are analysed: a generated RoCE capture (flows of WRITEs, ACKs, CE marks,
 * CNPs, PFC, losses) is read alone, analysed by `squall analyze --json` on one thread and on
 * two, and printed by tshark with the same fields, in turns, from the page cache; the best of
 * each. Snaps of 96 bytes, and whole frames with the ICRC checked. tshark takes a part of the
 * file alone, which is enough for a rate: its start is subtracted, ours is not.
 *
 *   bench_analyze [-n PACKETS] [-w WHOLE_FRAMES] [-p PACKETS_FOR_TSHARK] [-t TURNS] [-d DIR]
 *
 * One core: packets per second of CPU (user and system), which a busy machine changes little.
 * Two: packets per second of time passed, for which two cores must be free.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/measured_run.h"
#include "tests/support/roce_capture.h"

#define PIECE_BYTES (1 << 18)

struct spent {
	double cpu_s, wall_s;
};

static double now_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* Output goes nowhere: what is printed is made, and no disk is measured. */
static void child(const char *const argv[])
{
	int null = open("/dev/null", O_RDWR);

	(void)dup2(null, STDOUT_FILENO);
	(void)dup2(null, STDERR_FILENO);
	(void)execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static int run(struct spent *s, const char *const argv[])
{
	double start_s = now_s();
	struct rusage u;
	pid_t pid = fork();
	int status;

	if (!pid)
		child(argv);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid || !WIFEXITED(status) ||
	        WEXITSTATUS(status))
		return -1;
	s->wall_s = now_s() - start_s;
	s->cpu_s = seconds(&u.ru_utime) + seconds(&u.ru_stime);
	return 0;
}

/* Every byte into the cache of pages, and what that takes when it is there. */
static int read_alone(struct spent *s, const char *path)
{
	static uint8_t piece[PIECE_BYTES];
	struct timespec a, b;
	double start_s = now_s();
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	(void)close(fd);
	s->wall_s = now_s() - start_s;
	s->cpu_s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
	return n < 0 ? -1 : 0;
}

static void keep_best(struct spent *best, const struct spent *s)
{
	if (best->cpu_s == 0 || s->cpu_s < best->cpu_s)
		best->cpu_s = s->cpu_s;
	if (best->wall_s == 0 || s->wall_s < best->wall_s)
		best->wall_s = s->wall_s;
}

static int make(const char *path, uint64_t n, uint32_t snap)
{
	const struct roce_capture_spec s = {.frames = n,
	        .snap_bytes = snap,
	        .ce_every = 50,
	        .pfc_every = 5000,
	        .loss_every = 20000};
	struct roce_capture_counts c;
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	roce_capture_write(f, ROCE_PCAP_NS, &s, &c);
	return ferror(f) | fclose(f);
}

struct setup {
	const char *squall, *path;
	uint64_t packets, tshark_packets;
	int turns;
};

static int tshark(struct spent *best, const struct setup *u, uint64_t packets)
{
	char count[24];
	const char *const argv[] = {"tshark", "-r", u->path, "-c", count, "-n", "-T", "fields",
	        "-e", "frame.time_epoch", "-e", "frame.len", "-e", "ip.src", "-e", "ip.dst",
	        "-e", "ip.dsfield.ecn", "-e", "udp.srcport", "-e", "infiniband.bth.opcode",
	        "-e", "infiniband.bth.destqp", "-e", "infiniband.bth.psn", "-e",
	        "infiniband.reth.dmalen", "-e", "infiniband.aeth.syndrome", NULL};
	struct spent s;

	(void)snprintf(count, sizeof(count), "%" PRIu64, packets);
	if (run(&s, argv))
		return -1;
	keep_best(best, &s);
	return 0;
}

static int squall(struct spent *best, const struct setup *u, const char *threads)
{
	const char *const argv[] = {
	        u->squall, "analyze", u->path, "--json", "--quiet", "--threads", threads, NULL};
	struct spent s;

	if (run(&s, argv))
		return -1;
	keep_best(best, &s);
	return 0;
}

static void line(const char *what, double packets, const struct spent *s, const char *more)
{
	printf("  %-24s %8.1f ns CPU  %8.1f ns passed  %8.3f M/s of CPU  %8.3f M/s%s\n", what,
	        s->cpu_s / packets * 1e9, s->wall_s / packets * 1e9, packets / s->cpu_s / 1e6,
	        packets / s->wall_s / 1e6, more);
}

static int measure(const struct setup *u)
{
	struct spent alone = {0}, one = {0}, two = {0}, shark = {0}, nothing = {0}, s;
	double n = (double)u->packets, part = (double)u->tshark_packets, ns, wall_ns;
	bool have_tshark = true;
	char more[60];

	for (int i = 0; i <= u->turns; i++) {
		if (read_alone(&s, u->path))
			return -1;
		if (!i)
			continue; /* this time it came from the disk */
		keep_best(&alone, &s);
		if (squall(&one, u, "1") || squall(&two, u, "2"))
			return -1;
		have_tshark = have_tshark && !tshark(&nothing, u, 1) &&
		              !tshark(&shark, u, u->tshark_packets);
	}
	line("bytes alone", n, &alone, "");
	if (have_tshark) {
		shark.cpu_s -= nothing.cpu_s;
		shark.wall_s -= nothing.wall_s;
		line("tshark", part, &shark, "");
	}
	ns = shark.cpu_s / part;
	wall_ns = shark.wall_s / part;
	(void)snprintf(more, sizeof(more), "  %5.1f x tshark (CPU)", ns * n / one.cpu_s);
	line("squall, one thread", n, &one, have_tshark ? more : "");
	(void)snprintf(more, sizeof(more), "  %5.1f x tshark (time)", wall_ns * n / two.wall_s);
	line("squall, two threads", n, &two, have_tshark ? more : "");
	if (!have_tshark)
		printf("  tshark is not here\n");
	return 0;
}

static int both(const char *dir, struct setup u, uint64_t snaps, uint64_t whole)
{
	char path[4200];
	int r = 0;

	(void)snprintf(path, sizeof(path), "%s/capture.pcap", dir);
	u.path = path;
	for (int i = 0; i < 2 && !r; i++) {
		u.packets = i ? whole : snaps;
		if (!u.packets)
			continue;
		printf("%s, %" PRIu64 " packets, tshark of %" PRIu64 "\n",
		        i ? "whole frames of 1 KiB payload, ICRC checked" : "snaps of 96 bytes",
		        u.packets, u.tshark_packets);
		(void)fflush(stdout);
		r = make(path, u.packets, i ? 0 : 96) || measure(&u);
		(void)unlink(path);
	}
	return r;
}

int main(int argc, char **argv)
{
	struct setup u = {.squall = getenv("SQUALL_BIN"), .tshark_packets = 200000, .turns = 3};
	uint64_t snaps = 10000000, whole = 4000000;
	char made[] = "/tmp/bench_analyze-XXXXXX";
	const char *dir = NULL;
	int o, r;

	while ((o = getopt(argc, argv, "n:w:p:t:d:")) != -1) {
		uint64_t v = strtoull(optarg ? optarg : "", NULL, 10);

		if (o == 'n')
			snaps = v;
		else if (o == 'w')
			whole = v;
		else if (o == 'p')
			u.tshark_packets = v;
		else if (o == 't')
			u.turns = (int)v;
		else if (o == 'd')
			dir = optarg;
		else
			return 2;
	}
	if (!u.squall || u.turns < 1 || !u.tshark_packets) {
		(void)fprintf(stderr,
		        "bench_analyze: SQUALL_BIN names the program; -p and -t are "
		        "numbers above 0\n");
		return 2;
	}
	if (!dir && !mkdtemp(made))
		return 3;
	printf("calibration %.2f ns a step; best of %d\n", calibration_ns(), u.turns);
	r = both(dir ? dir : made, u, snaps, whole);
	if (r)
		(void)fprintf(stderr, "bench_analyze: %s: %s\n", dir ? dir : made,
		        errno ? strerror(errno) : "a program did not succeed");
	if (!dir)
		(void)rmdir(made);
	return r ? 3 : 0;
}
