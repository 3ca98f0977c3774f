/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of imports ask about a schedule and about what an import said. */
#ifndef TESTS_IMPORTS_H
#define TESTS_IMPORTS_H

#include "gen/load/sched.h"
#include "scenarios/imports/import_draft.h"

/* Fails the calling cmocka test with the message. */
void imports_must(int rc, const struct err *e);

/* Bytes that src sends to dst. */
int64_t imports_bytes(const struct sched *s, uint32_t src, uint32_t dst);
/* Messages likewise. */
uint32_t imports_messages(const struct sched *s, uint32_t src, uint32_t dst);

/* The schedule is one that can run. */
void imports_compiles(const struct sched *s);

/* The first line that holds the text, or NULL. */
const char *imports_line(
        const struct import_draft *d, enum import_line_kind kind, const char *text);

#endif
