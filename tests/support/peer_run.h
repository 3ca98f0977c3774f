/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one case of the peer simulator's through the built program ($SQUALL_BIN) and reads both
 * FCT files. A failure ends the calling cmocka test.
 */
#ifndef TESTS_PEER_RUN_H
#define TESTS_PEER_RUN_H

#include <stddef.h>
#include <stdint.h>

struct peer_fct {
	size_t n;
	double *fct_ns;   /* ascending */
	double *slowdown; /* ascending; column 7 over column 8 */
	int64_t marks;    /* ecn.marked_packets of our run; -1: not ours */
};

/* The peer's own results of a case. */
struct peer_fct peer_reference(const char *cases, const char *name);

/* `squall run --import FORMAT cases/name --seed seed`, with further arguments up to NULL. */
struct peer_fct peer_run(
        const char *cases, const char *name, unsigned seed, const char *const *more);

/* Means over seeds 1 .. n of one figure of a run. */
double peer_mean(
        const struct peer_fct *run, unsigned n, double (*figure)(const struct peer_fct *));

double peer_p50(const struct peer_fct *r);
double peer_p99(const struct peer_fct *r);
double peer_max(const struct peer_fct *r);
double peer_min(const struct peer_fct *r);
double peer_marks(const struct peer_fct *r);
double peer_slowdown_p50(const struct peer_fct *r);
double peer_slowdown_p99(const struct peer_fct *r);
double peer_slowdown_mean(const struct peer_fct *r);

void peer_fct_free(struct peer_fct *r);

/* A case of our own in a new folder, as dir for peer_run(dir, "."); and its end. */
void peer_case_make(char dir[32], const char *topology, const char *flows, const char *config);
void peer_case_remove(const char *dir);

/* |got - want| <= share * want; prints both either way. */
void peer_near(const char *name, const char *what, double got, double want, double share);

#endif
