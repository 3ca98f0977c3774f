/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/own_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/out_file.h"
#include "analysis/result_folder.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool same_stream(FILE *a, FILE *b)
{
	int c, d;

	do {
		c = getc_unlocked(a);
		d = getc_unlocked(b);
	} while (c == d && c != EOF);
	return c == d;
}

static bool same_bytes(const char *a, const char *b)
{
	FILE *x = fopen(a, "r"), *y = fopen(b, "r");
	bool same = x && y && same_stream(x, y);

	if (x)
		(void)fclose(x); /* only read */
	if (y)
		(void)fclose(y);
	return same;
}

/* The files as they would be written, against those that are there. */
static int compare(
        const struct scenario *s, const char *dir, struct out_set *set, struct err *e)
{
	char name[OUT_READ_BYTES];
	int rc = scenario_add_resolved(set, s, dir, result_name(RESULT_NAME_SCENARIO), e);

	if (!rc)
		rc = out_set_flush(set, e);
	for (const struct out_file *o = set->first; o && !rc; o = o->next) {
		if (same_bytes(o->path, out_file_readable(name, o)))
			continue;
		rc = err_set(e, -EINVAL,
		        "%s: is what this run reads, and its results would replace it: choose "
		        "another --out",
		        o->path);
	}
	return rc;
}

int own_inputs_kept(const struct scenario *s, const char *dir, struct err *e)
{
	struct out_set set;
	char *own;
	int rc = 0;

	if (asprintf(&own, "%s/%s", dir, result_name(RESULT_NAME_SCENARIO)) < 0)
		return err_set(e, -ENOMEM, "%s: out of memory", dir);
	out_set_init(&set);
	if (same_file(own, s->path))
		rc = compare(s, dir, &set, e);
	out_set_abort(&set);
	free(own);
	return rc;
}
