/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a filter: reading them, and writing what they mean to libpcap. */
#ifndef CAPTURE_FILTER_INT_H
#define CAPTURE_FILTER_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

/* Where a frame's headers are: behind how many tags, on which link. */
struct filter_at {
	uint32_t link; /* enum frame_link */
	uint32_t tags;
};

/* A part of the text, by offsets. */
struct filter_token {
	uint32_t from, len;
};

/* The token at or after `at`: a word, a number, a parenthesis or another character. */
bool filter_token_next(struct filter_token *t, const char *text, uint32_t at);
bool filter_token_is(const struct filter_token *t, const char *text, const char *word);

/*
 * If the token is a word of ours, writes its expression and returns how many characters of the
 * text it took with its argument; 0 if it is none; -EINVAL for a bad argument.
 */
NODISCARD int filter_word_put(FILE *out, const struct filter_at *at, const char *text,
        const struct filter_token *t, struct err *e);

/* "filter:7: " and the rest; columns count from 1. */
int filter_error(struct err *e, uint32_t at, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
