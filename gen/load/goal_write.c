/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "gen/load/goal.h"

static void write_op(FILE *f, const struct sched_op *o, uint32_t label)
{
	if (o->kind == SCHED_CALC)
		fprintf(f, "l%u: calc %" PRId64, label, o->value);
	else
		fprintf(f, "l%u: %s %" PRId64 "b %s %u tag %u", label,
		        o->kind == SCHED_SEND ? "send" : "recv", o->value,
		        o->kind == SCHED_SEND ? "to" : "from", o->peer, o->tag);
	if (o->cpu)
		fprintf(f, " cpu %u", o->cpu);
	if (o->nic && o->kind != SCHED_CALC)
		fprintf(f, " nic %u", o->nic);
	fputc('\n', f);
}

void goal_write(FILE *f, const struct sched *s)
{
	fprintf(f, "num_ranks %u\n", s->n_ranks);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const uint32_t first = s->begin[r];

		fprintf(f, "\nrank %u {\n", r);
		for (uint32_t i = first; i < s->end[r]; i++) {
			write_op(f, &s->op[i], i - first + 1);
			for (uint32_t k = s->first_on[i]; k < s->first_on[i + 1]; k++)
				if (sched_on_op(s->on[k]) < i)
					fprintf(f, "l%u %srequires l%u\n", i - first + 1,
					        sched_on_started(s->on[k]) ? "i" : "",
					        sched_on_op(s->on[k]) - first + 1);
		}
		/* What is waited for must have its label before it is named. */
		for (uint32_t i = first; i < s->end[r]; i++)
			for (uint32_t k = s->first_on[i]; k < s->first_on[i + 1]; k++)
				if (sched_on_op(s->on[k]) >= i)
					fprintf(f, "l%u %srequires l%u\n", i - first + 1,
					        sched_on_started(s->on[k]) ? "i" : "",
					        sched_on_op(s->on[k]) - first + 1);
		fputs("}\n", f);
	}
}
