/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/csv_line.h"

#include <string.h>

#include "analysis/put.h"
#include "analysis/stats.h"
#include "dataplane/base/check.h"

/* Room for one more column, behind a comma unless it is the first. */
static char *next_column(struct csv_line *l, size_t len)
{
	CHECK(l->len + len + 2 <= sizeof(l->text));
	if (l->columns++)
		l->text[l->len++] = ',';
	return l->text + l->len;
}

void csv_word(struct csv_line *l, const char *word)
{
	size_t len = strlen(word);

	memcpy(next_column(l, len), word, len);
	l->len += len;
}

void csv_fixed(struct csv_line *l, int64_t value, int decimals)
{
	char *to = next_column(l, NUMBER_LEN);

	if (value != STATS_NULL)
		l->len += number_put(to, value, decimals);
}

void csv_whole(struct csv_line *l, int64_t value)
{
	csv_fixed(l, value, 0);
}

void csv_end(struct csv_line *l, FILE *f)
{
	l->text[l->len++] = '\n';
	put_bytes(l->text, l->len, f);
	l->len = 0;
	l->columns = 0;
}
