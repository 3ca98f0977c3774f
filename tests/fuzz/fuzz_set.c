/* SPDX-License-Identifier: Apache-2.0 */
/* --set KEY=VALUE over a scenario that is right: each line of the input is one of them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "scenarios/scenario.h"

#define MAX_SETS 32

static const char base[] = "squall: 1\n"
                           "fabric:\n"
                           "  topology: {kind: leaf-spine, hosts: 4, leaves: 2, spines: 1}\n"
                           "  host_link: {rate: 100Gbps, delay: 1us}\n"
                           "  fabric_link: {rate: 100Gbps, delay: 1us}\n"
                           "  overrides: [{match: {rate: 400Gbps}, ecn: {kmin: 1MB}}]\n"
                           "workload:\n"
                           "  - {pattern: incast, senders: 3, receiver: 0, message: 1KB}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts text into "key\0value\0" pairs in place. */
static uint32_t split(struct scenario_set set[MAX_SETS], char *text)
{
	char *save = NULL;
	uint32_t n = 0;

	for (char *line = strtok_r(text, "\n", &save); line && n < MAX_SETS;
	        line = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value++ = 0;
		set[n++] = (struct scenario_set){line, value};
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario_set set[MAX_SETS];
	struct scenario *s = NULL;
	struct err e = {0};
	char path[64], *text = malloc(size + 1);
	int fd = memfd_create("scenario", 0);

	CHECK(fd >= 0 && text);
	CHECK(write(fd, base, sizeof(base) - 1) == sizeof(base) - 1);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memcpy(text, data, size);
	text[size] = 0;
	if (scenario_load(&s, path, set, split(set, text), NULL, &e) != 0)
		CHECK(s == NULL && e.msg[0]);
	scenario_free(s);
	free(text);
	(void)close(fd);
	return 0;
}
