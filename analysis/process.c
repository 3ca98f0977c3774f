/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

double process_cpu_s(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

double process_wall_s(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t))
		return 0;
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The rest of the line that begins with key, without blanks; false if there is none. */
static int file_value(char *out, size_t len, const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[512];
	int found = 0;

	if (!f)
		return 0;
	while (!found && fgets(line, sizeof(line), f)) {
		const char *p = line + strlen(key);

		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		p += strspn(p, " \t:");
		(void)snprintf(out, len, "%.*s", (int)strcspn(p, "\n"), p); /* may be cut */
		found = 1;
	}
	(void)fclose(f); /* only read */
	return found;
}

static int64_t file_kib(const char *path, const char *key, int64_t otherwise)
{
	char text[64];
	int64_t kib;

	if (!file_value(text, sizeof(text), path, key) || sscanf(text, "%" SCNd64, &kib) != 1)
		return otherwise;
	return kib * 1024;
}

int64_t process_rss_bytes(void)
{
	struct rusage u;
	int64_t peak = file_kib("/proc/self/status", "VmHWM", -1);

	/* ru_maxrss survives exec, so it may be the peak of the program that started this one.
	 */
	if (peak >= 0)
		return peak;
	return getrusage(RUSAGE_SELF, &u) ? 0 : (int64_t)u.ru_maxrss * 1024;
}

/* Control groups v2, as seen inside a container: limit minus what is in use. */
static int64_t cgroup_left_bytes(void)
{
	char text[64];
	int64_t limit, used = 0;

	if (!file_value(text, sizeof(text), "/sys/fs/cgroup/memory.max", "") ||
	        sscanf(text, "%" SCNd64, &limit) != 1)
		return INT64_MAX; /* "max", or no such file */
	if (file_value(text, sizeof(text), "/sys/fs/cgroup/memory.current", "") &&
	        sscanf(text, "%" SCNd64, &used) != 1)
		used = 0;
	return limit > used ? limit - used : 0;
}

static int64_t address_space_left_bytes(void)
{
	int64_t used = file_kib("/proc/self/status", "VmSize", 0);
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY ||
	        r.rlim_cur > (rlim_t)INT64_MAX)
		return INT64_MAX;
	return (int64_t)r.rlim_cur > used ? (int64_t)r.rlim_cur - used : 0;
}

int64_t process_memory_left_bytes(const char **which)
{
	const struct {
		int64_t left;
		const char *name;
	} limits[] = {
	        {file_kib("/proc/meminfo", "MemAvailable", INT64_MAX), "available memory"},
	        {cgroup_left_bytes(), "the control group's memory limit"},
	        {address_space_left_bytes(), "the limit on address space (ulimit -v)"},
	};
	size_t least = 0;

	for (size_t i = 1; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].left < limits[least].left)
			least = i;
	if (which)
		*which = limits[least].name;
	return limits[least].left;
}

const char *process_machine(char *buf, size_t len)
{
	char cpu[128] = "unknown processor";
	struct utsname u;

	(void)file_value(cpu, sizeof(cpu), "/proc/cpuinfo", "model name"); /* else unknown */
	if (uname(&u))
		memset(&u, 0, sizeof(u));
	(void)snprintf(buf, len, "%s, %ld CPUs, %.32s %.64s %.32s", cpu,
	        sysconf(_SC_NPROCESSORS_ONLN), u.sysname, u.release, u.machine);
	return buf;
}

const char *process_utc(char *buf, size_t len)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) || !strftime(buf, len, "%Y-%m-%dT%H:%M:%SZ", &tm))
		buf[0] = '\0';
	return buf;
}
