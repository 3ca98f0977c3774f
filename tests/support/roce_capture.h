/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of RoCE traffic of any length whose contents are known exactly: flows of WRITE
 * messages with acknowledgements, CE marks and the CNPs they cause, PFC, losses with the NAK
 * and the go-back-N that follow. Every frame has a correct ICRC. Seen at one point behind all
 * receivers, at a fixed rate. The same spec gives the same bytes.
 */
#ifndef TESTS_ROCE_CAPTURE_H
#define TESTS_ROCE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum roce_capture_format { ROCE_PCAPNG, ROCE_PCAP_NS };

struct roce_capture_spec {
	uint64_t frames;
	uint32_t flows;           /* 0: 256 */
	uint32_t payload_bytes;   /* of a packet; 0: 1024 */
	uint32_t message_packets; /* 0: 64 */
	uint32_t snap_bytes;      /* 0: whole frames */
	uint64_t rate_bps;        /* 0: 400 Gb/s */
	uint32_t ce_every;   /* every so many data packets are marked, on average; 0: none */
	uint32_t pfc_every;  /* so many frames between XOFFs; 0: none */
	uint32_t loss_every; /* about so many data packets between losses; 0: none */
	bool ipv6;
	uint64_t seed;
};

/* Retransmitted: a PSN that was shown before. Missing: one that was not shown before a later
 * one. Messages: last packets shown for the first time. */
struct roce_capture_counts {
	uint64_t frames, data_packets, acks, naks, cnps, ce_packets, retransmitted,
	        missing_psns;
	uint64_t messages, payload_bytes, xoff_frames, xon_frames;
	int64_t first_ns, last_ns;
};

/* Errors stay in the stream. */
void roce_capture_write(FILE *f, enum roce_capture_format format,
        const struct roce_capture_spec *s, struct roce_capture_counts *c);

#endif
