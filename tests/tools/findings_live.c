/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings_live CAPTURE LOOKS: a capture of one place as if it were taken live, looked at so
 * many times. Prints "+name" when a finding is shown, which two looks in a row must have, and
 * "-name" when it is taken back; at the end of the capture "=name" for those that it ends with.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace/diagnose.h"
#include "analysis/trace/trace.h"
#include "dataplane/base/check.h"
#include "tests/support/capture_read.h"

struct looks {
	bool before[FINDINGS], shown[FINDINGS];
};

static void look(struct looks *l, const struct trace_result *r)
{
	bool now[FINDINGS] = {false};
	struct diagnosis *d;

	CHECK(!diagnose(&d, r, NULL));
	for (uint32_t i = 0; i < d->n; i++)
		now[d->finding[i].id] = true;
	for (uint32_t i = 0; i < FINDINGS; i++) {
		bool shown = now[i] && l->before[i];

		if (shown != l->shown[i])
			printf("%c%s\n", shown ? '+' : '-', finding_table[i]->name);
		l->shown[i] = shown;
	}
	memcpy(l->before, now, sizeof(now));
	diagnosis_free(d);
}

int main(int argc, char **argv)
{
	struct trace_options o = {.threads = 1};
	uint32_t looks = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, at = 0;
	struct looks l = {{false}, {false}};
	struct capture_read c;
	struct diagnosis *d;
	struct trace *t;

	if (!looks)
		return 2;
	capture_read(&c, argv[1], &(struct reader_options){0}, 256);
	if (c.rc || !c.n)
		return 3;
	CHECK(!trace_open(&t, &o, NULL));
	for (uint32_t i = 0, index; i < c.n_interfaces; i++)
		CHECK(!trace_interface_add(t, &c.interface[i], &index, NULL));
	for (uint32_t k = 1; k <= looks; k++) {
		uint32_t to = (uint32_t)((uint64_t)c.n * k / looks);

		CHECK(!trace_feed(t, c.packet + at, to - at, at + 1, NULL));
		at = to;
		look(&l, trace_now(t));
	}
	CHECK(!diagnose(&d, trace_finish(t), NULL));
	for (uint32_t i = 0; i < d->n; i++)
		printf("=%s\n", finding_table[d->finding[i].id]->name);
	diagnosis_free(d);
	trace_close(t);
	capture_read_fini(&c);
	return 0;
}
