/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL logs: any bytes are one error or a schedule that can run. */
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "gen/load/sched_program.h"
#include "scenarios/imports/import_nccl_log.h"

/* What a few bytes can ask for is large: a ring of thousands of ranks is a million messages. */
#define MAX_FUZZ_OPS 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct import_job job = {.stem = "x"};
	struct import_draft d = {0};
	struct sched_program p;
	struct nccl_log l;
	struct err e = {0};
	int rc = nccl_log_init(&l, &e);

	CHECK(!rc);
	rc = nccl_lines_text("input", (const char *)data, size, nccl_log_take, &l, &e);
	if (!rc)
		rc = nccl_log_import(&d, &l, "input", &job, &e);
	if (rc) {
		CHECK(e.msg[0]);
	} else if (d.sched.n_ops < MAX_FUZZ_OPS) {
		CHECK(!sched_compile(&p, &d.sched, &e));
		sched_program_fini(&p);
	}
	nccl_log_fini(&l);
	import_draft_fini(&d);
	return 0;
}
