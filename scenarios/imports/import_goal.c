/* SPDX-License-Identifier: Apache-2.0 */
/* GOAL schedules of LogGOPSim. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"
#include "gen/load/goal.h"
#include "gen/load/sched_program.h"
#include "scenarios/imports/import_source.h"

static bool is_it(const char *head, size_t len)
{
	const char *at = strstr(head, "num_ranks");

	(void)len;
	return at && strspn(at + 9, " \t") && (at == head || at[-1] == '\n' || at[-1] == '/');
}

static int describe(struct import_draft *d, struct err *e)
{
	const struct sched *s = &d->sched;
	struct sched_program p;
	uint64_t calcs = 0;
	int64_t bytes = 0;
	int rc = sched_compile(&p, s, e);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < s->n_ops; i++) {
		calcs += s->op[i].kind == SCHED_CALC;
		bytes += s->op[i].kind == SCHED_SEND ? s->op[i].value : 0;
	}
	import_say(d, IMPORT_FOUND,
	        "%u ranks, %" PRIu64 " messages of %" PRId64 " bytes in all, %" PRIu64
	        " calculations, %u dependencies",
	        s->n_ranks, p.messages, bytes, calcs, s->first_on[s->n_ops]);
	sched_program_fini(&p);
	return 0;
}

static int read_goal(struct import_draft *d, const struct import_job *job, struct err *e)
{
	char *text;
	size_t len;
	int rc;

	if (job->n_paths != 1)
		return err_set(e, -EINVAL, "%s: a GOAL schedule is one file", job->path[1]);
	rc = text_file_read(&text, &len, job->path[0], GOAL_MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	rc = goal_parse(&d->sched, job->path[0], text, len, e);
	free(text);
	if (!rc)
		rc = describe(d, e);
	d->n_hosts = d->sched.n_ranks;
	d->input_serves = true;
	import_say(d, IMPORT_UNKNOWN, "the fabric: GOAL has none");
	import_say(d, IMPORT_ASSUMED,
	        "rank r is host r, all on one switch; a calc counts nanoseconds");
	return rc;
}

const struct import_source import_goal = {
        .name = "goal",
        .doc = "a GOAL schedule (LogGOPSim)",
        .is_it = is_it,
        .read = read_goal,
};
