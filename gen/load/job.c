/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of a training iteration as one writes them. */
#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "gen/load/load.h"

static const char *const names[] = {
        [LOAD_JOB_ALL_REDUCE] = "all-reduce",
        [LOAD_JOB_ALL_GATHER] = "all-gather",
        [LOAD_JOB_REDUCE_SCATTER] = "reduce-scatter",
};

#define N_NAMES   (sizeof(names) / sizeof(names[0]))
#define MAX_BYTES (INT64_C(1) << 40)

const char *load_job_name(enum load_job_kind kind)
{
	return names[kind];
}

int load_job_parse(struct load_job *job, const char *name, const char *bytes, struct err *e)
{
	int rc;

	for (size_t i = 0; i < N_NAMES; i++) {
		if (strcmp(names[i], name))
			continue;
		job->kind = (enum load_job_kind)i;
		rc = unit_parse(&job->bytes, UNIT_SIZE, bytes, e);
		if (!rc && (job->bytes < 1 || job->bytes > MAX_BYTES))
			rc = err_set(e, -EINVAL, "%s: expected 1B to 1TiB", bytes);
		return rc;
	}
	return err_set(e, -EINVAL,
	        "\"%.40s\": expected all-reduce, all-gather or reduce-scatter", name);
}
