/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small fabric, its settings and a workload, all drawn from one seed: stars, trees, rings and
 * leaf-spines, links from no delay at all to 20 us and from 10G to 400G (some whose byte time
 * is no whole picosecond), tiny buffers, every switch, NIC and notification-point setting.
 * Property tests ask for what they can bear.
 */
#ifndef TESTS_SIMKIT_RANDOM_H
#define TESTS_SIMKIT_RANDOM_H

#include "dataplane/base/rng.h"
#include "tests/support/simkit.h"

enum simkit_wish {
	SIMKIT_LOSSLESS = 1 << 0,    /* every priority under PFC, headroom auto, room for all */
	SIMKIT_WHOLE_RATES = 1 << 1, /* only rates at which a byte takes whole picoseconds */
	SIMKIT_NO_CYCLE = 1 << 2,    /* one path between two hosts */
	SIMKIT_NO_STOP = 1 << 3,     /* runs until the workload ends */
	SIMKIT_STORE = 1 << 4,       /* no cut-through */
	SIMKIT_STEP_OFF = 1 << 5,    /* exact serialisation times */
	SIMKIT_ECMP = 1 << 6,        /* each flow keeps to one path */
	SIMKIT_PLAIN_NIC = 1 << 7,   /* go-back-N, hosts that keep up */
	SIMKIT_FAULTS = 1 << 8,      /* up to three faults */
};

void simkit_random(struct simkit *k, uint64_t seed, unsigned wishes);

/* Runs it with as much buffer as its reservations need: what they leave is little. -EINVAL: it
 * cannot be run at all (a ring of windows too long). */
int simkit_fit(struct run_record **out, struct simkit *k, struct err *e);

/* Uniform in [lo, hi]. */
int64_t simkit_draw(struct rng *r, int64_t lo, int64_t hi);

/* First seed and number of runs of a property test; $SIM_SEED and $SIM_RUNS override them, to
 * replay one or to look further. */
void simkit_seeds(uint64_t *first, uint64_t *runs, uint64_t usual_runs);

#endif
