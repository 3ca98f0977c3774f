/* SPDX-License-Identifier: Apache-2.0 */
/* One value of one knob row: from text and to text. Pure; base is the struct of the row's
 * group. */
#ifndef KNOB_VALUE_H
#define KNOB_VALUE_H

#include <stddef.h>

#include "dataplane/base/err.h"
#include "dataplane/base/knob.h"

#define KNOB_LIST_ITEMS     16
#define KNOB_TEXT_BYTES     256
#define KNOB_EXPECTED_BYTES 1000 /* every word of the longest list */

/* A value as written: one text, or the texts of a list. */
struct knob_text {
	const char *item[KNOB_LIST_ITEMS];
	size_t n; /* items; of a list longer than there is room for, the true length */
	int is_list;
};

/* Parses and stores. The message says what is wrong and what was expected, without the key.
 * Text values are stored as the pointer that was passed. KNOB_TABLE rows have no single value.
 */
NODISCARD int knob_parse(
        const struct knob *row, void *base, const struct knob_text *value, struct err *e);

/* Stores the row's default (0 or "" where it has none). */
void knob_default(const struct knob *row, void *base);
void knob_defaults(const struct knob_group *g, void *base);

/* The stored value as one writes it; reading it back gives the same. Returns buf. */
const char *knob_format(const struct knob *row, const void *base, char buf[KNOB_TEXT_BYTES]);

/* A bound in canonical units: never a word. */
const char *knob_format_value(const struct knob *row, int64_t value, char buf[KNOB_TEXT_BYTES]);

/* "a rate with its unit, such as 400Gbps, or port": what a person should write. Returns buf. */
const char *knob_expected(const struct knob *row, char *buf, size_t len);

#endif
