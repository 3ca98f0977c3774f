/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a white-space separated text file, with their position, for the import of the HPCC
 * ns-3 family's files. Any bytes are safe; files above HPCC_FILE_MAX are refused. Every message
 * says file:line:column and what was expected. One thread; open and close are a pair.
 */
#ifndef IMPORT_HPCC_TEXT_H
#define IMPORT_HPCC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define HPCC_WORD_MAX 63
#define HPCC_FILE_MAX ((size_t)512 << 20)

struct hpcc_text {
	char path[512];
	char *text;
	size_t len, at;
	size_t line_start; /* where the line of `at` begins */
	uint32_t line;
	char word[HPCC_WORD_MAX + 1];
	bool word_cut; /* the word was longer than that */
	uint32_t word_line, word_column;
};

/* Reads dir/name. */
NODISCARD int hpcc_text_open(
        struct hpcc_text *t, const char *dir, const char *name, struct err *e);
void hpcc_text_close(struct hpcc_text *t);

/* The next word into t->word; false at the end of the file. */
bool hpcc_text_word(struct hpcc_text *t);

/* Drops the words up to the end of the line that the last word stands on; true if there were
 * any. */
bool hpcc_text_skip_line(struct hpcc_text *t);

/* -EINVAL with "path:line:column: " of the last word and the text. */
int hpcc_text_error(const struct hpcc_text *t, struct err *e, const char *fmt, ...)
        PRINTF_LIKE(3, 4);

/* The last word as it may be shown in a message: printable, 40 characters at most. */
const char *hpcc_text_shown(const struct hpcc_text *t, char buf[64]);

/* The next word as a quantity; `what` names it in messages ("the size of flow 3"). */
NODISCARD int hpcc_text_count(struct hpcc_text *t, int64_t *out, int64_t min, int64_t max,
        const char *what, struct err *e);
NODISCARD int hpcc_text_real(struct hpcc_text *t, double *out, double min, double max,
        const char *what, struct err *e);
NODISCARD int hpcc_text_rate(
        struct hpcc_text *t, int64_t *rate_bps, const char *what, struct err *e);
NODISCARD int hpcc_text_delay(
        struct hpcc_text *t, int64_t *delay_ns, const char *what, struct err *e);

/*
 * Seconds (or value * factor nanoseconds) to whole nanoseconds as that simulator does it: the
 * value becomes 64.64 fixed point, is multiplied exactly and cut, so 2.001 s is 2000999999 ns
 * (2.001 is not a binary fraction) where a product in double gives 2001000000.
 */
int64_t hpcc_ns_from_real(double value, int64_t factor);

#endif
