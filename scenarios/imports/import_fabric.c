/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_fabric.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int topology_file(
        struct import_draft *d, const struct scenario *s, const char *suffix, struct err *e)
{
	struct import_beside *b = &d->beside[d->n_beside];
	FILE *f;
	int rc;

	*b = (struct import_beside){.key = "fabric.topology.file"};
	(void)snprintf(b->suffix, sizeof(b->suffix), "%s", suffix);
	f = open_memstream(&b->text, &b->len);
	if (!f)
		return err_set(e, -ENOMEM, "%s: no memory for its topology", s->path);
	d->n_beside++;
	rc = scenario_emit_topology(f, s, e);
	if (fclose(f) && !rc)
		rc = err_set(e, -ENOMEM, "%s: no memory for its topology", s->path);
	return rc;
}

/* ECMP and marks are drawn from the seed, so it belongs to the fabric. */
int import_fabric(struct import_draft *d, struct scenario **s, const struct import_job *job,
        struct err *e)
{
	static const char suffix[] = "-topology.txt";
	char name[240];
	size_t len;
	FILE *f;
	int rc;

	rc = scenario_load(s, job->fabric, NULL, 0, NULL, e);
	if (rc)
		return err_prefix(e, "--fabric"), rc;
	f = open_memstream(&d->fabric, &len);
	if (!f)
		return err_set(e, -ENOMEM, "%s: no memory for its fabric", job->fabric);
	(void)snprintf(name, sizeof(name), "%.200s%s", job->stem, suffix);
	fprintf(f, "seed: %" PRId64 "\n\n", (*s)->run.seed);
	rc = scenario_emit_fabric(f, *s, name, e);
	if (fclose(f) && !rc)
		rc = err_set(e, -ENOMEM, "%s: no memory for its fabric", job->fabric);
	if (!rc && (*s)->topo_cfg.kind == TOPO_FILE)
		rc = topology_file(d, *s, suffix, e);
	return rc;
}
