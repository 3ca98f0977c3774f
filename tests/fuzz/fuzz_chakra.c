/* SPDX-License-Identifier: Apache-2.0 */
/* Chakra traces: any bytes are one error or a trace; two ranks with it are an error or a
 * schedule. */
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "scenarios/imports/import_chakra.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chakra_trace trace[2] = {{0}};
	struct import_draft d = {0};
	struct err e = {0};
	int rc = chakra_trace_parse(&trace[0], "input", data, size, &e);

	if (!rc)
		rc = chakra_trace_parse(&trace[1], "input", data, size, &e);
	if (!rc)
		rc = chakra_schedule(&d, trace, 2, &e);
	CHECK(!rc || e.msg[0]);
	chakra_trace_fini(&trace[0]);
	chakra_trace_fini(&trace[1]);
	import_draft_fini(&d);
	return 0;
}
