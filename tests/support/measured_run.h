/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One whole run of the program as a child process, with what the kernel says it used. For
 * tests/bench; nothing here is timed from inside the program.
 */
#ifndef TESTS_MEASURED_RUN_H
#define TESTS_MEASURED_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct measured_run {
	double wall_s, cpu_s; /* cpu_s: user and system */
	int64_t rss_bytes;    /* peak */
	int64_t packet_hops, events;
};

/* Runs `squall run ARGUMENT... --quiet --out OUT` with the program that $SQUALL_BIN names;
 * arguments end with NULL. False, said on stderr, if it could not be run or did not succeed. */
bool measured_run(struct measured_run *r, const char *out, const char *const *argument);

/* The same on so many processes under mpirun; rss_bytes is what all of them say in run.json. */
bool measured_ranks(
        struct measured_run *r, uint32_t ranks, const char *out, const char *const *argument);

/* Nanoseconds of CPU for a step of a fixed loop of multiplications and loads that stay in the
 * first-level cache: what this machine gives right now. */
double calibration_ns(void);

#endif
