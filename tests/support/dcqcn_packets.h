/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A minimal packet simulation of DCQCN, written from the papers (SIGCOMM 2015 sections 3 and 5,
 * CoNEXT 2016 eqs 1-2) without a line of the product: N senders with endless data share one
 * FIFO. Doubles and seconds; it answers what a packet-level DCQCN of those rules does.
 */
#ifndef TESTS_DCQCN_PACKETS_H
#define TESTS_DCQCN_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/support/dcqcn_fluid.h"

#define PACKETS_MAX_FLOWS 128

struct packets_cfg {
	struct fluid_cfg law; /* its delay_s is split over the four hops */
	int flows;
	double stagger_s; /* flow i starts at i * stagger_s */
	double end_s;
	double min_rate_bps;
	double sample_s;    /* the queue is sampled this often in the second half */
	double window_s;    /* over which rates are averaged for Jain's index */
	double fair_from_s; /* windows that begin this long after the last start count */
	bool mark_on_enqueue;
	uint64_t seed;
};

struct packets_result {
	/* of the second half */
	double queue_mean_bytes, queue_sd_bytes;
	double alpha_mean;
	double rate_mean_bps; /* over flows, of what they sent */
	double jain;          /* mean over the windows that count, 0 if there is none */
};

/* 0, or -1 for a configuration out of its range or lack of memory. */
int packets_run(struct packets_result *r, const struct packets_cfg *c);

#endif
