/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files: any bytes are a scenario that can be written and read back, or one error. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "scenarios/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario *s = NULL;
	struct err e = {0};
	char path[64];
	int fd = memfd_create("scenario", 0);

	CHECK(fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (scenario_load(&s, path, NULL, 0, NULL, &e) != 0)
		CHECK(s == NULL && strstr(e.msg, "/proc/self/fd/"));
	else
		CHECK(s && s->topo && s->n_entries);
	scenario_free(s);
	(void)close(fd);
	return 0;
}
