/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a live capture costs: squall capture, tcpdump and dumpcap take the same paced packets
 * from a veth pair, in turns, into files of memory. CPU is user plus system of the capturing
 * process from before the first packet until half a second after the last, the best of several
 * turns, over the packets in its file; what it takes to begin stands beside. What the kernel
 * does as it fills the ring is the sender's, for all three alike.
 *
 *   bench_capture [-n PACKETS] [-t TURNS] [-r PACKETS_PER_SECOND]
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/reader.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/veth.h"

#define BURST     32
#define MAX_BYTES 1200
#define NS_PER_S  INT64_C(1000000000)
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))

static const char *file; /* every tool writes it anew */

struct tool {
	const char *name, *argv[16];
};

struct figure {
	double begin_ns; /* of CPU, until the first packet */
	double ns;       /* of CPU from then on, per packet in the file */
	double captured;
};

static void sleep_ns(int64_t ns)
{
	struct timespec t = {ns / NS_PER_S, ns % NS_PER_S};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void send_paced(uint32_t payload_bytes, uint64_t packets, uint64_t rate)
{
	static uint8_t bytes[BURST][MAX_BYTES];
	struct veth_frame frames[BURST];
	struct frame_spec s = {.ip_version = 4,
	        .ecn = 2,
	        .ttl = 64,
	        .sport = 0xc000,
	        .opcode = BTH_RC | (payload_bytes ? BTH_WRITE_MIDDLE : BTH_ACKNOWLEDGE),
	        .dqp = 0x11,
	        .payload_bytes = payload_bytes};
	int fd = veth_sender_open(VETH_SENDER);
	struct timespec next;

	s.src.mac[0] = 2;
	memset(s.dst.mac, 0xff, 6);
	for (uint32_t i = 0; i < BURST; i++) {
		s.psn = i;
		frames[i] = (struct veth_frame){
		        bytes[i], frame_build(bytes[i], MAX_BYTES, &s, true)};
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &next); /* cannot fail */
	for (uint64_t sent = 0; sent < packets; sent += BURST) {
		(void)veth_send(fd, frames, BURST);
		next.tv_nsec += (long)(BURST * NS_PER_S / (int64_t)rate);
		next.tv_sec += next.tv_nsec / NS_PER_S;
		next.tv_nsec %= NS_PER_S;
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	(void)close(fd);
}

static uint64_t count_packets(void)
{
	struct packet_batch b;
	struct reader *r;
	uint64_t n = 0;
	struct err e;

	if (reader_open(&r, file, NULL, &e))
		return 0;
	if (!packet_batch_init(&b, 4096, &e)) {
		while (reader_fill(r, &b, &e) > 0)
			n += b.n;
		packet_batch_fini(&b);
	}
	reader_close(r);
	return n;
}

static pid_t start(const struct tool *t)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	int null = open("/dev/null", O_RDWR);

	(void)dup2(null, STDOUT_FILENO);
	(void)dup2(null, STDERR_FILENO);
	(void)execvp(t->argv[0], (char *const *)(uintptr_t)t->argv);
	_exit(127);
}

/* Nanoseconds of CPU that a process has used; negative: it is none. */
static int64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return -1;
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void turn(struct figure *best, const struct tool *t, uint32_t payload_bytes,
        uint64_t packets, uint64_t rate)
{
	int64_t start_ns, end_ns;
	uint64_t captured;
	pid_t pid;
	double ns;

	(void)unlink(file);
	pid = start(t);
	sleep_ns(NS_PER_S);
	start_ns = cpu_ns(pid);
	send_paced(payload_bytes, packets, rate);
	sleep_ns(NS_PER_S / 2);
	end_ns = cpu_ns(pid);
	(void)kill(pid, SIGINT);
	(void)waitpid(pid, NULL, 0); /* it is ours */
	captured = count_packets();
	if (start_ns < 0 || end_ns < start_ns || !captured)
		return;
	ns = (double)(end_ns - start_ns) / (double)captured;
	if (best->captured > 0 && ns >= best->ns)
		return;
	*best = (struct figure){(double)start_ns, ns, (double)captured / (double)packets};
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const char *squall = getenv("SQUALL_BIN");
	uint64_t packets = 640000, rate = 200000;
	char name[64];
	int turns = 3, option;
	static const uint32_t payload[] = {0, 1024};

	while ((option = getopt(argc, argv, "n:t:r:")) != -1) {
		if (option == 'n')
			packets = number(optarg) / BURST * BURST;
		else if (option == 't')
			turns = (int)number(optarg);
		else if (option == 'r')
			rate = number(optarg);
		else
			return 2;
	}
	if (!packets || turns < 1 || !rate || !squall) {
		fprintf(stderr,
		        "bench_capture: SQUALL_BIN names the program; -n, -t and -r are "
		        "numbers above 0\n");
		return 2;
	}
	if (!veth_open())
		return 77;
	(void)snprintf(name, sizeof(name), "/dev/shm/bench_capture.%d", (int)getpid());
	file = name;
	const struct tool tools[] = {
	        {"squall capture", {squall, "capture", "-i", VETH_TARGET, "-w", name, "--snap",
	                                   "96", NULL}},
	        {"tcpdump -w", {"tcpdump", "-i", VETH_TARGET, "-w", name, "-s", "96", "-n",
	                               "-Z", "root", "--time-stamp-precision=nano", NULL}},
	        {"dumpcap", {"dumpcap", "-q", "-i", VETH_TARGET, "-w", name, "-s", "96", NULL}},
	};

	printf("%" PRIu64 " packets at %" PRIu64 " a second, snap 96, best of %d\n", packets,
	        rate, turns);
	printf("%-16s %8s %14s %10s %12s\n", "", "payload", "CPU ns/packet", "captured",
	        "CPU ms before");
	for (size_t p = 0; p < COUNT(payload); p++) {
		struct figure best[COUNT(tools)] = {{0}};

		for (int i = 0; i < turns; i++) {
			for (size_t k = 0; k < COUNT(tools); k++)
				turn(&best[k], &tools[k], payload[p], packets, rate);
		}
		for (size_t k = 0; k < COUNT(tools); k++) {
			if (best[k].captured > 0)
				printf("%-16s %8u %14.0f %9.2f%% %12.0f\n", tools[k].name,
				        payload[p], best[k].ns, 100 * best[k].captured,
				        best[k].begin_ns / 1e6);
			else
				printf("%-16s %8u %14s\n", tools[k].name, payload[p],
				        "not here");
		}
	}
	(void)unlink(name);
	return 0;
}
