/* SPDX-License-Identifier: Apache-2.0 */
/* What this process has used, and the machine that it runs on, as Linux tells it. */
#ifndef ANALYSIS_PROCESS_H
#define ANALYSIS_PROCESS_H

#include <stddef.h>
#include <stdint.h>

/* User plus system time of every thread so far. */
double process_cpu_s(void);

/* Seconds of a clock that never steps. */
double process_wall_s(void);

/* Peak resident memory. */
int64_t process_rss_bytes(void);

/* What this process may still allocate: the least of available memory, the control group's
 * limit and RLIMIT_AS. INT64_MAX where nothing is known. *which (may be NULL) says what limits.
 */
int64_t process_memory_left_bytes(const char **which);

/* "Intel(R) ..., 2 CPUs, Linux 6.1 x86_64". Returns buf. */
const char *process_machine(char *buf, size_t len);

/* Now in UTC, ISO 8601 to the second. Returns buf. */
const char *process_utc(char *buf, size_t len);

#endif
