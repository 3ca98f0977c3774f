/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many messages a workload has, without enumerating hundreds of millions of them: each
 * program is run alone for a few operations, as if all that it waits for had come, and those
 * that go on are judged by a few of them. For progress displays and estimates of memory. Cold
 * path, milliseconds.
 */
#ifndef LOAD_COUNT_H
#define LOAD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/load/load.h"

struct load_count {
	uint64_t messages;
	bool known; /* false: programs of this workload go on and on */
	bool exact; /* every program was run to its end */
};

/* Messages from stop.after on are left out as far as schedules say when they come. */
struct load_count load_count(const struct load_entry *entry, uint32_t n_entries);

/* The largest message among the first operations of every program of an entry. */
int64_t load_largest_bytes(const struct load_entry *en);

#endif
