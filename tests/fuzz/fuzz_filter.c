/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of filters, on Ethernet and on raw IP. Names are not looked up: libpcap is not asked.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/filter.h"
#include "dataplane/wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t links[] = {FRAME_LINK_ETHERNET, FRAME_LINK_RAW};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	for (int i = 0; i < 2; i++) {
		struct err e = {0};
		char *out = NULL;
		int r = filter_translate(&out, text, links[i], &e);

		if (r ? out || !e.msg[0] : !out)
			abort();
		free(out);
	}
	free(text);
	return 0;
}
