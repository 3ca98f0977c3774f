/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded messages: any bytes are an entry whose programs come to their ends, or one error. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "dataplane/base/units.h"
#include "gen/load/plan.h"
#include "scenarios/knob_value.h"

#define HOSTS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *arg, const struct plan_message *m)
{
	uint64_t *n = arg;

	CHECK(m->bytes > 0);
	++*n;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t rate[HOSTS];
	const struct load_env env = {.n_hosts = HOSTS,
	        .seed = 1,
	        .stop_ps = TIME_NEVER,
	        .path_mtu_bytes = 1024,
	        .header_wire_bytes = 82,
	        .host_rate_bps = rate};
	struct load_cfg cfg = {0};
	struct plan_totals totals = {0};
	struct load_entry en;
	struct err e = {0};
	uint64_t n = 0;
	char path[64];
	int fd = memfd_create("list", 0);

	for (int i = 0; i < HOSTS; i++)
		rate[i] = INT64_C(100000000000);
	CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	knob_defaults(&load_knobs, &cfg);
	cfg.pattern = LOAD_REPLAY;
	cfg.file = path;
	if (load_entry_init(&en, &cfg, &env, 0, &e)) {
		CHECK(e.msg[0]);
	} else {
		CHECK(!plan_run(&en, 1, UINT64_MAX, count, &n, &totals, &e));
		CHECK(n == totals.messages && n > 0);
		load_entry_fini(&en);
	}
	close(fd);
	return 0;
}
