/* SPDX-License-Identifier: Apache-2.0 */
/* Flow-size distributions: any bytes are either a distribution to draw from or one error. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "dataplane/base/check.h"
#include "gen/load/cdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct load_cdf_point *point = NULL;
	struct err e = {0};
	int64_t n = 0, former = 1;

	if (cdf_parse(&point, &n, "input", (const char *)data, size, &e)) {
		CHECK(e.msg[0]);
		return 0;
	}
	CHECK(n > 0);
	for (uint64_t i = 0; i < 64; i++) {
		int64_t bytes = cdf_size(point, n, i << 58);

		CHECK(bytes >= former);
		former = bytes;
	}
	CHECK(cdf_mean_bytes_q32(point, n) > 0);
	free(point);
	return 0;
}
