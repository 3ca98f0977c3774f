/* SPDX-License-Identifier: Apache-2.0 */
/* MSCCL algorithms: any bytes are one error or a schedule, whose sends are those counted. */
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "scenarios/imports/import_msccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import_draft d = {0};
	struct msccl_algorithm a;
	struct err e = {0};
	uint64_t sends = 0;

	if (msccl_read_text(&d, &a, "input", (const char *)data, size, 1 << 20, &e)) {
		CHECK(e.msg[0]);
	} else {
		for (uint32_t i = 0; i < d.sched.n_ops; i++)
			sends += d.sched.op[i].kind == SCHED_SEND;
		CHECK(sends == a.sends);
	}
	import_draft_fini(&d);
	return 0;
}
