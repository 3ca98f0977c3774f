/* SPDX-License-Identifier: Apache-2.0 */
/* Reading CDF tables: lines `bytes probability`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/text_file.h"
#include "dataplane/base/units.h"
#include "gen/load/cdf.h"
#include "gen/load/load_input.h"
#include "gen/load/text_table.h"

int cdf_point_parse(
        struct load_cdf_point *out, const char *bytes, const char *probability, struct err *e)
{
	int rc = load_quantity(&out->bytes, UNIT_SIZE, bytes, "B", e);

	if (rc) {
		err_prefix(e, "bytes");
		return rc;
	}
	rc = unit_parse(&out->probability_q32, UNIT_FRACTION, probability, e);
	if (rc)
		err_prefix(e, "probability");
	return rc;
}

struct points {
	struct load_cdf_point *at;
	int64_t n, room;
};

static int points_add(struct points *p, const struct load_cdf_point *add, struct err *e)
{
	if (p->n == p->room) {
		int64_t room = p->room ? 2 * p->room : 32;
		void *at = realloc(p->at, (size_t)room * sizeof(*p->at));

		if (!at)
			return err_set(
			        e, -ENOMEM, "no memory for %" PRId64 " CDF points", room);
		p->at = at;
		p->room = room;
	}
	p->at[p->n++] = *add;
	return 0;
}

static int read_point(struct points *p, const struct text_table *t, const struct table_row *row,
        struct err *e)
{
	struct load_cdf_point point;
	int rc;

	if (row->n != 2)
		return table_err(t, row->field[0].column, e,
		        "%u fields, expected 2: bytes and cumulative probability", row->n);
	if (p->n == CDF_MAX_POINTS)
		return table_err(
		        t, 1, e, "more than %d points: thin the table", CDF_MAX_POINTS);
	rc = cdf_point_parse(&point, row->field[0].text, row->field[1].text, e);
	if (rc) {
		err_prefix(e, "%s:%u:%u", t->name, t->line, row->field[0].column);
		return rc;
	}
	return points_add(p, &point, e);
}

int cdf_parse(struct load_cdf_point **out, int64_t *n, const char *name, const char *text,
        size_t len, struct err *e)
{
	struct points p = {0};
	struct text_table t;
	struct table_row row;
	int rc;

	table_init(&t, name, text, len, TABLE_BLANK);
	while ((rc = table_next(&t, &row, e)) > 0) {
		rc = read_point(&p, &t, &row, e);
		if (rc)
			break;
	}
	if (!rc) {
		rc = cdf_check(p.at, p.n, e);
		if (rc)
			err_prefix(e, "%s", name);
	}
	if (rc) {
		free(p.at);
		return rc;
	}
	*out = p.at;
	*n = p.n;
	return 0;
}

static const struct cdf_shipped *find_shipped(const char *name)
{
	for (const struct cdf_shipped *s = cdf_shipped; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

int cdf_load(struct load_cdf_point **out, int64_t *n, const char *name_or_file,
        const char *base_dir, struct err *e)
{
	const struct cdf_shipped *shipped = find_shipped(name_or_file);
	char path[LOAD_PATH_BYTES];
	char *text;
	size_t len;
	int rc = load_path(path, base_dir, name_or_file, e);

	if (rc)
		return rc;
	/* A person's own table goes before a shipped one of the same name. */
	if (shipped && access(path, F_OK) != 0)
		return cdf_parse(
		        out, n, shipped->name, shipped->text, strlen(shipped->text), e);
	rc = text_file_read(&text, &len, path, CDF_MAX_FILE_BYTES, e);
	if (rc)
		return rc;
	rc = cdf_parse(out, n, path, text, len, e);
	free(text);
	return rc;
}
