/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/text_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void table_init(struct text_table *t, const char *name, const char *text, size_t len,
        enum table_separator separator)
{
	*t = (struct text_table){
	        .name = name, .p = text, .end = text + len, .separator = separator};
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		t->p += 3;
}

int table_err(const struct text_table *t, uint32_t column, struct err *e, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut message is still a message */
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%u:%u: %s", t->name, t->line, column, text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Copies [from, to) without the blanks around it. */
static int take_field(const struct text_table *t, struct table_row *row, const char *line,
        const char *from, const char *to, struct err *e)
{
	struct table_field *f = &row->field[row->n];
	uint32_t column;

	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	column = (uint32_t)(from - line) + 1;
	if (row->n == TABLE_MAX_FIELDS)
		return table_err(t, column, e, "more than %d fields", TABLE_MAX_FIELDS);
	if (to - from > TABLE_MAX_FIELD_BYTES)
		return table_err(t, column, e, "a field of more than %d characters",
		        TABLE_MAX_FIELD_BYTES);
	for (const char *c = from; c < to; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return table_err(t, (uint32_t)(c - line) + 1, e,
			        "byte 0x%02x is no text: is this a binary file?",
			        (unsigned char)*c);
	f->column = column;
	memcpy(f->text, from, (size_t)(to - from));
	f->text[to - from] = '\0';
	row->n++;
	return 0;
}

/* Where the field that begins at p ends, and in *next where the following one begins; NULL: it
 * was the last. */
static const char *field_end(
        enum table_separator separator, const char *p, const char *end, const char **next)
{
	const char *q = p;

	*next = NULL;
	if (separator == TABLE_COMMA) {
		q = memchr(p, ',', (size_t)(end - p));
		if (q)
			*next = q + 1;
		return q ? q : end;
	}
	while (q < end && !is_blank(*q) && *q != ',')
		q++;
	p = q;
	while (p < end && is_blank(*p))
		p++;
	if (p < end && *p == ',')
		*next = p + 1;
	else if (p < end)
		*next = p;
	return q;
}

static int split(const struct text_table *t, struct table_row *row, const char *line,
        const char *end, struct err *e)
{
	const char *p = line, *next;

	row->n = 0;
	while (p < end && is_blank(*p))
		p++;
	if (p == end)
		return 0;
	while (p) {
		const char *to;
		int rc;

		if (t->separator == TABLE_BLANK)
			while (p < end && is_blank(*p))
				p++;
		to = field_end(t->separator, p, end, &next);
		rc = take_field(t, row, line, p, to, e);
		if (rc)
			return rc;
		p = next;
	}
	return 1;
}

int table_next(struct text_table *t, struct table_row *row, struct err *e)
{
	while (t->p < t->end) {
		const char *line = t->p, *end, *comment;
		int rc;

		end = memchr(line, '\n', (size_t)(t->end - line));
		t->p = end ? end + 1 : t->end;
		if (!end)
			end = t->end;
		if (end > line && end[-1] == '\r')
			end--;
		if (++t->line == UINT32_MAX)
			return table_err(t, 1, e, "too many lines");
		comment = memchr(line, '#', (size_t)(end - line));
		rc = split(t, row, line, comment ? comment : end, e);
		if (rc)
			return rc;
	}
	return 0;
}
