/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities: what is accepted prints as a text that reads back the same. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum unit_kind kinds[] = {
	        UNIT_COUNT, UNIT_TIME, UNIT_RATE, UNIT_SIZE, UNIT_FRACTION};
	char *text = malloc(size + 1), buf[48];

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct err e = {0};
		int64_t v = -1, back = -1;

		if (unit_parse(&v, kinds[k], text, &e) != 0) {
			CHECK(e.msg[0]);
			continue;
		}
		CHECK(v >= 0);
		CHECK(unit_parse(&back, kinds[k], unit_format(buf, sizeof(buf), kinds[k], v),
		              &e) == 0);
		CHECK(back == v);
	}
	free(text);
	return 0;
}
