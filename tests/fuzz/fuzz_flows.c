/* SPDX-License-Identifier: Apache-2.0 */
/* Flow lists: any bytes are either possible flows in order or one error. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "dataplane/base/check.h"
#include "gen/load/flow_csv.h"

#define HOSTS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct load_flow *flow = NULL;
	struct err e = {0};
	int64_t n = 0;

	if (flow_csv_parse(&flow, &n, "input", (const char *)data, size, HOSTS,
	            INT64_C(1) << 40, &e)) {
		CHECK(e.msg[0]);
		return 0;
	}
	for (int64_t i = 0; i < n; i++) {
		CHECK(flow[i].src < HOSTS && flow[i].dst < HOSTS && flow[i].src != flow[i].dst);
		CHECK(flow[i].bytes > 0 && flow[i].start_ps >= 0);
	}
	free(flow);
	return 0;
}
