/* SPDX-License-Identifier: Apache-2.0 */
/*
 * EAL begins with no PCI device, or with the one that was named, and with nothing else: without
 * that it takes every NIC of the machine that it knows, the operator's own among them.
 */
#include "capture/dpdk/eal.h"

#include <errno.h>
#include <pthread.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_ARGUMENTS 40

int dpdk_fail(struct err *e, int code, const char *fmt, ...)
{
	va_list args;

	if (!e)
		return code;
	e->code = code;
	va_start(args, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, args);
	va_end(args);
	return code;
}

/* "0000:3b:00.0" or "3b:00.0" */
static bool is_pci(const char *device)
{
	unsigned a, b, c, d;
	char end;

	return sscanf(device, "%x:%x:%x.%x%c", &a, &b, &c, &d, &end) == 4 ||
	       sscanf(device, "%x:%x.%x%c", &a, &b, &c, &end) == 3;
}

static bool has_huge_pages(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long n = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "HugePages_Free: %lu", &n) == 1)
			break;
	}
	if (f)
		(void)fclose(f); /* only read */
	return n > 0;
}

struct arguments {
	char *v[MAX_ARGUMENTS];
	int n;
	char text[2048];
	size_t used;
};

static void argument(struct arguments *a, const char *text)
{
	size_t n = strlen(text) + 1;

	if (a->n + 1 >= MAX_ARGUMENTS || a->used + n > sizeof(a->text))
		return;
	memcpy(a->text + a->used, text, n);
	a->v[a->n++] = a->text + a->used;
	a->used += n;
}

/* Only what can do no harm to other devices. */
static int further_arguments(struct arguments *a, const char *text, struct err *e)
{
	static const char *const refused[] = {"-a", "--allow", "-b", "--block", "--vdev",
	        "--no-pci", "-w", "--pci-whitelist"};
	char word[256];
	int n;

	for (; text && sscanf(text, " %255s%n", word, &n) == 1; text += n) {
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
			size_t len = strlen(refused[i]);

			if (strncmp(word, refused[i], len) == 0 &&
			        (refused[i][1] != '-' || word[len] == '\0' || word[len] == '='))
				return dpdk_fail(e, -EINVAL,
				        "--eal %s: the devices of EAL are the one that -i "
				        "names, "
				        "and no other",
				        word);
		}
		argument(a, word);
	}
	return 0;
}

int dpdk_eal_begin(const struct source_config *c, struct err *e)
{
	struct arguments a = {.n = 0};
	char core[16];
	cpu_set_t cpus;
	int r;

	argument(&a, "squall");
	argument(&a, is_pci(c->device) ? "-a" : "--no-pci");
	argument(&a, is_pci(c->device) ? c->device : "--vdev");
	if (!is_pci(c->device))
		argument(&a, c->device);
	if (has_huge_pages()) {
		argument(&a, "--in-memory");
	} else {
		argument(&a, "--no-huge");
		argument(&a, "-m");
		argument(&a, "512");
		argument(&a, "--no-shconf");
	}
	(void)snprintf(core, sizeof(core), "%d", sched_getcpu());
	argument(&a, "-l");
	argument(&a, core);
	argument(&a, "--no-telemetry");
	argument(&a, "--log-level=error");
	r = further_arguments(&a, c->eal, e);
	if (r)
		return r;
	/* EAL binds the thread that begins it to one core; it is not the one that polls. */
	r = pthread_getaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	if (rte_eal_init(a.n, a.v) < 0)
		return dpdk_fail(e, rte_errno ? -rte_errno : -EIO,
		        "%s: DPDK's EAL does not begin: %s (what it printed is above); a "
		        "device "
		        "is a PCI address, or a virtual one such as net_af_packet0,iface=eth1",
		        c->device, rte_strerror(rte_errno));
	if (!r)
		(void)pthread_setaffinity_np(
		        pthread_self(), sizeof(cpus), &cpus); /* as it was: allowed */
	return 0;
}
