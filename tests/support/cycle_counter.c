/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/cycle_counter.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

void cycle_counter_open(struct cycle_counter *c)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	c->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

void cycle_counter_close(struct cycle_counter *c)
{
	if (c->fd >= 0)
		(void)close(c->fd);
}

const char *cycle_counter_name(const struct cycle_counter *c)
{
	if (c->fd >= 0)
		return "core cycles";
#if defined(__x86_64__)
	return "time stamp counter";
#else
	return "ns";
#endif
}

uint64_t cycle_counter_read(const struct cycle_counter *c)
{
	uint64_t v = 0;

	if (c->fd >= 0)
		return read(c->fd, &v, sizeof(v)) == (ssize_t)sizeof(v) ? v : 0;
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}
