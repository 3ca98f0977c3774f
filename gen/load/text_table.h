/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a text table, one per line, with the position of every field: what flow lists and CDF
 * files are read with. `#` starts a comment, empty lines are skipped, CR LF and a byte order
 * mark are accepted. Total: any bytes give rows or one error. Reads the caller's text, owns
 * nothing.
 */
#ifndef LOAD_TEXT_TABLE_H
#define LOAD_TEXT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define TABLE_MAX_FIELDS      8
#define TABLE_MAX_FIELD_BYTES 47

enum table_separator {
	TABLE_COMMA, /* fields may be empty and hold blanks inside */
	TABLE_BLANK, /* blanks, or one comma with or without blanks */
};

struct text_table {
	const char *name; /* of the file, for messages */
	const char *p, *end;
	enum table_separator separator;
	uint32_t line; /* of the row that was read last, from 1 */
};

struct table_field {
	char text[TABLE_MAX_FIELD_BYTES + 1];
	uint32_t column; /* in bytes, from 1 */
};

struct table_row {
	uint32_t n;
	struct table_field field[TABLE_MAX_FIELDS];
};

void table_init(struct text_table *t, const char *name, const char *text, size_t len,
        enum table_separator separator);

/* 1 with the next row, 0 at the end, -EINVAL with "name:line:column: ...". */
NODISCARD int table_next(struct text_table *t, struct table_row *row, struct err *e);

/* -EINVAL with "name:line:column: ..." for a field of the row that was read last. */
int table_err(const struct text_table *t, uint32_t column, struct err *e, const char *fmt, ...)
        PRINTF_LIKE(4, 5);

#endif
