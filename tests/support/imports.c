/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/imports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/load/sched_program.h"

void imports_must(int rc, const struct err *e)
{
	if (rc)
		fail_msg("%s", e->msg);
}

int64_t imports_bytes(const struct sched *s, uint32_t src, uint32_t dst)
{
	int64_t bytes = 0;

	for (uint32_t i = s->begin[src]; i < s->end[src]; i++)
		if (s->op[i].kind == SCHED_SEND && s->op[i].peer == dst)
			bytes += s->op[i].value;
	return bytes;
}

uint32_t imports_messages(const struct sched *s, uint32_t src, uint32_t dst)
{
	uint32_t n = 0;

	for (uint32_t i = s->begin[src]; i < s->end[src]; i++)
		n += s->op[i].kind == SCHED_SEND && s->op[i].peer == dst;
	return n;
}

void imports_compiles(const struct sched *s)
{
	struct sched_program p;
	struct err e = {0};

	imports_must(sched_compile(&p, s, &e), &e);
	sched_program_fini(&p);
}

const char *imports_line(
        const struct import_draft *d, enum import_line_kind kind, const char *text)
{
	for (uint32_t i = 0; i < d->line[kind].n; i++)
		if (strstr(d->line[kind].at[i], text))
			return d->line[kind].at[i];
	return NULL;
}
