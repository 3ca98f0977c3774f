/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog's times of a suite: ${detect}, ${restore} and ${poll} of its cases, so that
 * storms are as long as they must be whatever --set makes of the watchdog. Times of a case may
 * be sums, such as "100us + ${detect} / 2". One thread.
 */
#ifndef QUALIFY_TIMES_H
#define QUALIFY_TIMES_H

#include "dataplane/base/units.h"
#include "scenarios/scenario.h"
#include "scenarios/yaml_tree.h"

enum { QTIME_DETECT, QTIME_RESTORE, QTIME_POLL, QTIME_N };

struct qtimes {
	const char *text[QTIME_N]; /* NULL: the suite has none */
	bool is_set[QTIME_N];      /* by --set */
};

/* `map` is the suite's key `watchdog`, or NULL: no times. The last --set of a key counts. */
NODISCARD int qualify_times_read(struct qtimes *t, const struct yaml_node *map,
        const struct scenario_set *set, uint32_t n_set, struct err *e);

/* NULL: no such name, or t is NULL. */
const char *qualify_time_of(const struct qtimes *t, const char *name, size_t len);
/* The value that --set gives this name, or NULL. */
const char *qualify_time_set(const struct qtimes *t, const char *name);

/* Is this --set one of the watchdog's times? */
bool qualify_is_watchdog_time(const struct scenario_set *set);

/* Puts the sum in place of "A + B * N + C / N"; other texts stay. Blanks belong around / unless
 * it is of times: 1/8 and Gb/s are values. */
NODISCARD int qualify_sum(
        const char **text, enum unit_kind kind, struct arena *arena, struct err *e);

/* The same as a value. */
NODISCARD int qualify_sum_of(int64_t *out, const char *text, enum unit_kind kind,
        struct arena *arena, struct err *e);

#endif
