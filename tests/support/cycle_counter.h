/* SPDX-License-Identifier: Apache-2.0 */
/* Core cycles of this thread, by the performance counter where the system gives it, else by the
 * time stamp counter, which runs at a rate of its own. For benchmarks. */
#ifndef TESTS_CYCLE_COUNTER_H
#define TESTS_CYCLE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct cycle_counter {
	int fd; /* < 0: none */
};

void cycle_counter_open(struct cycle_counter *c);
void cycle_counter_close(struct cycle_counter *c);
const char *cycle_counter_name(const struct cycle_counter *c);
uint64_t cycle_counter_read(const struct cycle_counter *c);

#endif
