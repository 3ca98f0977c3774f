/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of scenario_random.c share: a stream of draws, the topology with the names of
 * its places, and values that this scenario gives to keys whatever the table would draw.
 */
#ifndef TESTS_SCENARIO_DRAW_H
#define TESTS_SCENARIO_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/rng.h"

#define PER_MILLE 1000

/* A topology that is small, and some of its cables. */
struct scenario_shape {
	const char *text;
	int64_t n_hosts;
	const char *cable[6][2]; /* a host's first, then between switches */
};

#define SCENARIO_MAX_FORCED 24

struct scenario_draw {
	FILE *f;
	struct rng rng;
	unsigned share; /* of the optional keys that are set, in 1/1000 */
	const struct scenario_shape *shape;
	struct {
		const char *path, *key;
		char value[32];
	} forced[SCENARIO_MAX_FORCED];
	size_t n_forced;
};

int64_t draw_between(struct scenario_draw *t, int64_t lo, int64_t hi);
bool draw_chance(struct scenario_draw *t, unsigned per_mille);
int64_t draw_log(struct scenario_draw *t, int64_t lo, int64_t hi); /* over magnitudes */
const char *draw_one(struct scenario_draw *t, const char *const *of, size_t n);

#define DRAW_ONE(t, ...)                                                                       \
	draw_one(t, (const char *const[]){__VA_ARGS__},                                        \
	        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

void draw_shape(struct scenario_draw *t);
void draw_put_host(struct scenario_draw *t);
void draw_put_switch(struct scenario_draw *t);
void draw_put_link(struct scenario_draw *t); /* both directions, one of them, or all */
void draw_put_direction(struct scenario_draw *t);

/* What a scenario is about: a few keys that only together reach some code. */
void draw_moods(struct scenario_draw *t);
/* NULL: the table draws. */
const char *draw_forced(const struct scenario_draw *t, const char *path, const char *key);

/* One entry of faults[], with its dash and line end. */
void draw_put_fault(struct scenario_draw *t);
/* One entry of workload[] in a form that the table does not know. */
void draw_put_special_load(struct scenario_draw *t);

#endif
