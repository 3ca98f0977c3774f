/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a RoCE capture of any size whose contents are known, and says what is in it as JSON:
 *
 *   make_capture [-n FRAMES] [-s SNAP] [-f FLOWS] [-c CE_EVERY] [-l LOSS_EVERY] [-p PFC_EVERY]
 *                [-S SEED] [-6] [-o pcap|pcapng] FILE
 *
 * Nothing to write is no error: `./lab bench` runs every program of this folder.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/roce_capture.h"

static void say(const struct roce_capture_counts *c)
{
	printf("{\"frames\": %" PRIu64 ", \"data_packets\": %" PRIu64 ", \"acks\": %" PRIu64
	       ", \"naks\": %" PRIu64 ", \"cnps\": %" PRIu64 ", \"ce_packets\": %" PRIu64
	       ", \"retransmitted_packets\": %" PRIu64 ", \"missing_psns\": %" PRIu64
	       ", \"messages\": %" PRIu64 ", \"payload_bytes\": %" PRIu64
	       ", \"xoff_frames\": %" PRIu64 ", \"xon_frames\": %" PRIu64
	       ", \"first_ns\": %" PRId64 ", \"last_ns\": %" PRId64 "}\n",
	        c->frames, c->data_packets, c->acks, c->naks, c->cnps, c->ce_packets,
	        c->retransmitted, c->missing_psns, c->messages, c->payload_bytes,
	        c->xoff_frames, c->xon_frames, c->first_ns, c->last_ns);
}

int main(int argc, char **argv)
{
	struct roce_capture_spec s = {
	        .frames = 1000000, .ce_every = 50, .pfc_every = 5000, .loss_every = 20000};
	enum roce_capture_format format = ROCE_PCAP_NS;
	struct roce_capture_counts c;
	FILE *f;
	int o;

	while ((o = getopt(argc, argv, "n:s:f:c:l:p:S:o:6")) != -1) {
		uint64_t v = optarg ? strtoull(optarg, NULL, 10) : 0;

		switch (o) {
		case 'n':
			s.frames = v;
			break;
		case 's':
			s.snap_bytes = (uint32_t)v;
			break;
		case 'f':
			s.flows = (uint32_t)v;
			break;
		case 'c':
			s.ce_every = (uint32_t)v;
			break;
		case 'l':
			s.loss_every = (uint32_t)v;
			break;
		case 'p':
			s.pfc_every = (uint32_t)v;
			break;
		case 'S':
			s.seed = v;
			break;
		case '6':
			s.ipv6 = true;
			break;
		case 'o':
			format = strcmp(optarg, "pcapng") == 0 ? ROCE_PCAPNG : ROCE_PCAP_NS;
			break;
		default:
			return 2;
		}
	}
	if (optind >= argc) {
		printf("make_capture: no file named, none written\n");
		return 0;
	}
	f = fopen(argv[optind], "w");
	if (f)
		roce_capture_write(f, format, &s, &c);
	if (!f || ferror(f) | fclose(f)) {
		(void)fprintf(stderr, "%s: %s\n", argv[optind], strerror(errno));
		return 3;
	}
	say(&c);
	return 0;
}
