/* SPDX-License-Identifier: Apache-2.0 */
/* Flow lists: CSV lines src,dst,bytes,start[,priority]. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dataplane/base/text_file.h"
#include "dataplane/fabric/topo.h"
#include "gen/load/flow_csv.h"
#include "scenarios/imports/import_check.h"
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

static int parse(
        struct import_draft *d, const char *name, const char *text, size_t len, struct err *e)
{
	const int64_t max_bytes = import_max_bytes();
	struct err why = {0};
	uint32_t last = 0;
	int rc = flow_csv_parse(
	        &d->flow, &d->n_flows, name, text, len, LOAD_MAX_HOSTS, max_bytes, e);

	for (int64_t i = 0; !rc && i < d->n_flows; i++) {
		last = d->flow[i].src > last ? d->flow[i].src : last;
		last = d->flow[i].dst > last ? d->flow[i].dst : last;
	}
	d->n_hosts = last + 1;
	if (rc || last < TOPO_MAX_SWITCH_PORTS)
		return rc;
	free(d->flow);
	d->flow = NULL;
	rc = flow_csv_parse(&d->flow, &d->n_flows, name, text, len, TOPO_MAX_SWITCH_PORTS,
	        max_bytes, &why); /* where the first of those hosts is */
	return err_set(e, rc ? rc : -EINVAL,
	        "%s; an import hangs all hosts on one switch, which has at most %d ports",
	        why.msg, TOPO_MAX_SWITCH_PORTS);
}

static int read_flows(struct import_draft *d, const struct import_job *job, struct err *e)
{
	int64_t bytes = 0;
	char *text;
	size_t len;
	int rc;

	if (job->n_paths != 1)
		return err_set(e, -EINVAL, "%s: a flow list is one file", job->path[1]);
	rc = text_file_read(&text, &len, job->path[0], FLOW_CSV_MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	rc = parse(d, job->path[0], text, len, e);
	free(text);
	if (rc)
		return rc;
	for (int64_t i = 0; i < d->n_flows; i++)
		bytes += d->flow[i].bytes < INT64_MAX / 2 - bytes ? d->flow[i].bytes : 0;
	d->input_serves = true;
	import_say(d, IMPORT_FOUND,
	        "%" PRId64 " flows of %" PRId64 " bytes in all between hosts 0 and %u",
	        d->n_flows, bytes, d->n_hosts - 1);
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
