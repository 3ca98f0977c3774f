/* SPDX-License-Identifier: Apache-2.0 */
/* GOAL text: any bytes are one error or a schedule; one that compiles counts each message once.
 */
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "gen/load/goal.h"
#include "gen/load/sched_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sched_program p;
	struct err e = {0};
	struct sched s;
	uint64_t sends = 0;

	if (goal_parse(&s, "input", (const char *)data, size, &e)) {
		CHECK(e.msg[0]);
		return 0;
	}
	for (uint32_t i = 0; i < s.n_ops; i++)
		sends += s.op[i].kind == SCHED_SEND;
	if (sched_compile(&p, &s, &e)) {
		CHECK(e.msg[0]);
	} else {
		CHECK(p.messages == sends);
		sched_program_fini(&p);
	}
	sched_fini(&s);
	return 0;
}
