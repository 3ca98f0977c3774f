/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a packet of 1024 bytes of payload costs, in cycles: the check of its ICRC by each method
 * (masking and comparing with it), the incremental ways, the parsing of its headers. Packets
 * lie in the cache, at all alignments that Ethernet and a VLAN tag give; the best of several
 * rounds.
 *
 *   bench_icrc [-n ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/opcode.h"
#include "dataplane/wire/template.h"
#include "tests/support/cycle_counter.h"

#define PACKETS        32
#define SLOT_BYTES     1280
#define PAYLOAD_BYTES  1024
#define DEFAULT_ROUNDS 200
#define MAX_ROUNDS     100000

struct bench {
	struct cycle_counter counter;
	uint8_t bytes[PACKETS][SLOT_BYTES], payload[PAYLOAD_BYTES];
	uint32_t lengths[PACKETS];
	struct frame frames[PACKETS];
	struct frame_template psn;
	struct payload_template constant;
	enum crc_method method;
	int rounds;
	uint32_t sink;
};

static void make_packets(struct bench *b)
{
	struct rng r = rng_make(1, 0, RNG_LOAD);

	for (int i = 0; i < PAYLOAD_BYTES; i++)
		b->payload[i] = (uint8_t)rng_next(&r);
	for (int i = 0; i < PACKETS; i++) {
		struct frame_spec s = {.ip_version = 4,
		        .opcode = BTH_RC | BTH_WRITE_MIDDLE,
		        .ttl = 64,
		        .ecn = 2,
		        .sport = 0xc000,
		        .pkey = 0xffff,
		        .dqp = 17,
		        .psn = (uint32_t)i,
		        .payload = b->payload,
		        .payload_bytes = PAYLOAD_BYTES};

		b->lengths[i] = frame_build(b->bytes[i] + i % 4 * 2, SLOT_BYTES, &s, true);
		frame_parse(&b->frames[i], FRAME_LINK_ETHERNET, b->bytes[i] + i % 4 * 2,
		        b->lengths[i], 0);
		if (frame_icrc(&b->frames[i]) != ICRC_GOOD)
			exit(1);
	}
	if (!frame_template_init(&b->psn, &b->frames[0]))
		exit(1);
	payload_template_init(&b->constant, b->payload, PAYLOAD_BYTES);
}

static void check(struct bench *b)
{
	for (int i = 0; i < PACKETS; i++)
		b->sink += frame_icrc_by(b->method, &b->frames[i]);
}

static void patch_psn(struct bench *b)
{
	for (int i = 0; i < PACKETS; i++)
		frame_template_psn(&b->psn, b->bytes[i] + i % 4 * 2, b->sink++);
}

static void join_payload(struct bench *b)
{
	for (int i = 0; i < PACKETS; i++)
		b->sink += payload_template_icrc(&b->constant, &b->frames[i]);
}

static void parse(struct bench *b)
{
	struct frame f;

	for (int i = 0; i < PACKETS; i++) {
		frame_parse(&f, FRAME_LINK_ETHERNET, b->bytes[i] + i % 4 * 2, b->lengths[i], 0);
		b->sink += f.psn;
	}
}

static double ns_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(struct bench *b, const char *name, void (*work)(struct bench *))
{
	double best_cycles = 1e18, best_ns = 1e18;

	for (int round = 0; round < b->rounds; round++) {
		double ns = ns_now();
		uint64_t cycles = cycle_counter_read(&b->counter);

		for (int k = 0; k < 16; k++)
			work(b);
		cycles = cycle_counter_read(&b->counter) - cycles;
		ns = ns_now() - ns;
		if ((double)cycles < best_cycles)
			best_cycles = (double)cycles;
		if (ns < best_ns)
			best_ns = ns;
	}
	printf("%-28s %9.1f %9.1f\n", name, best_cycles / (16 * PACKETS),
	        best_ns / (16 * PACKETS));
}

static void measure_methods(struct bench *b)
{
	static const double targets[CRC_METHODS] = {[CRC_PCLMUL] = 160, [CRC_AVX512] = 90};
	char name[64];

	for (enum crc_method m = 0; m < CRC_METHODS; m++) {
		int n = snprintf(name, sizeof(name), "check by %s", crc_method_name(m));

		if (targets[m] > 0)
			(void)snprintf(name + n, sizeof(name) - (size_t)n, " (below %.0f)",
			        targets[m]);
		b->method = m;
		if (crc_method_here(m))
			measure(b, name, check);
		else
			printf("%-28s  this CPU does not have it\n", name);
	}
}

int main(int argc, char **argv)
{
	static struct bench b;
	int option;

	b.rounds = DEFAULT_ROUNDS;
	while ((option = getopt(argc, argv, "n:")) != -1) {
		long n = option == 'n' ? strtol(optarg, NULL, 10) : 0;

		if (n < 1 || n > MAX_ROUNDS) {
			(void)fprintf(stderr, "usage: bench_icrc [-n ROUNDS]\n");
			return 2;
		}
		b.rounds = (int)n;
	}
	cycle_counter_open(&b.counter);
	make_packets(&b);
	printf("a RoCEv2 packet of 1024 bytes of payload; cycles: %s\n",
	        cycle_counter_name(&b.counter));
	printf("%-28s %9s %9s\n", "", "cycles", "ns");
	measure_methods(&b);
	measure(&b, "new PSN in a template", patch_psn);
	measure(&b, "headers over a payload", join_payload);
	measure(&b, "parse", parse);
	cycle_counter_close(&b.counter);
	return b.sink == 1 ? 4 : 0;
}
