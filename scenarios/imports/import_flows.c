/* SPDX-License-Identifier: Apache-2.0 */
/* Flow lists: CSV lines src,dst,bytes,start[,priority]. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dataplane/base/text_file.h"
#include "gen/load/flow_csv.h"
#include "scenarios/imports/import_source.h"

/* The first line that is no comment names the columns or is a row of numbers. */
static bool is_it(const char *head, size_t len)
{
	const char *p = head, *end;
	int commas = 0;

	(void)len;
	while (*p == '#' || isspace((unsigned char)*p))
		p = *p == '#' ? p + strcspn(p, "\n") : p + 1;
	if (!strncasecmp(p, "src,dst,", 8))
		return true;
	end = p + strcspn(p, "\r\n#");
	if (!isdigit((unsigned char)*p))
		return false;
	for (; p < end; p++) {
		if (*p == ',')
			commas++;
		else if (!isalnum((unsigned char)*p) && !strchr(" \t.", *p))
			return false;
	}
	return commas == 3 || commas == 4;
}

static int read_flows(struct import_draft *d, const struct import_job *job, struct err *e)
{
	uint32_t last = 0;
	int64_t bytes = 0;
	char *text;
	size_t len;
	int rc;

	if (job->n_paths != 1)
		return err_set(e, -EINVAL, "%s: a flow list is one file", job->path[1]);
	rc = text_file_read(&text, &len, job->path[0], FLOW_CSV_MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	/* messages of any size here; `squall check` knows the path MTU */
	rc = flow_csv_parse(&d->flow, &d->n_flows, job->path[0], text, len, LOAD_MAX_HOSTS,
	        INT64_MAX / 2, e);
	free(text);
	if (rc)
		return rc;
	for (int64_t i = 0; i < d->n_flows; i++) {
		last = d->flow[i].src > last ? d->flow[i].src : last;
		last = d->flow[i].dst > last ? d->flow[i].dst : last;
		bytes += d->flow[i].bytes < INT64_MAX / 2 - bytes ? d->flow[i].bytes : 0;
	}
	d->n_hosts = last + 1;
	d->input_serves = true;
	import_say(d, IMPORT_FOUND,
	        "%" PRId64 " flows of %" PRId64 " bytes in all between hosts 0 and %u",
	        d->n_flows, bytes, last);
	import_say(d, IMPORT_UNKNOWN, "the fabric, and what flows wait for each other");
	import_say(d, IMPORT_ASSUMED, "all hosts hang on one switch");
	return 0;
}

const struct import_source import_flows = {
        .name = "flows",
        .doc = "a flow list (CSV)",
        .is_it = is_it,
        .read = read_flows,
};
