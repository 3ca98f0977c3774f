/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/plain_text.h"

#include <stdbool.h>

void plain_text(char *text)
{
	unsigned char before = 0;

	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		const bool c1 = before == 0xc2 && c >= 0x80 && c <= 0x9f;

		if (c < 0x20 || c == 0x7f || c1)
			*text = '?';
		before = c;
	}
}
