/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/csv_line.h"

#include <string.h>

#include "analysis/stats.h"
#include "dataplane/base/check.h"

void csv_word(struct csv_line *l, const char *word)
{
	size_t len = strlen(word);

	CHECK(l->len + len + 1 < sizeof(l->text));
	if (l->columns++)
		l->text[l->len++] = ',';
	memcpy(l->text + l->len, word, len);
	l->len += len;
}

void csv_fixed(struct csv_line *l, int64_t value, int decimals)
{
	char buf[NUMBER_LEN];

	csv_word(l, value == STATS_NULL ? "" : number_fixed(buf, value, decimals));
}

void csv_whole(struct csv_line *l, int64_t value)
{
	csv_fixed(l, value, 0);
}

void csv_end(struct csv_line *l, FILE *f)
{
	l->text[l->len++] = '\n';
	(void)fwrite(l->text, 1, l->len, f); /* the stream keeps the error */
	l->len = 0;
	l->columns = 0;
}
