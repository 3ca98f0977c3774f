/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/findings_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/diagnose.h"

void findings_check(struct tracekit *k, const char *expected, const char *file, int line)
{
	struct diagnosis *d;
	char said[1024] = "";
	size_t n = 0;

	if (diagnose(&d, kit_finish(k), NULL))
		fail_msg("no diagnosis");
	for (uint32_t i = 0; i < d->n; i++) {
		const struct finding *f = &d->finding[i];
		bool root = f->caused_by == FINDING_NONE;

		n += (size_t)snprintf(said + n, sizeof(said) - n, "%s%s%s%s", i ? " " : "",
		        finding_table[f->id]->name, root ? "" : "<",
		        root ? "" : finding_table[f->caused_by]->name);
		if (!f->text[0])
			fail_msg("%s:%d: %s has no text", file, line,
			        finding_table[f->id]->name);
	}
	diagnosis_free(d);
	kit_close(k);
	if (strcmp(said, expected))
		fail_msg("%s:%d: expected \"%s\", found \"%s\"", file, line, expected, said);
}
