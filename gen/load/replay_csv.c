/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/replay_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gen/load/flow_csv.h"
#include "gen/load/load_input.h"
#include "gen/load/text_table.h"

enum field { SRC, DST, BYTES, START, QP, PORT, PRIORITY, AFTER, FIELDS };

#define NEEDED QP /* fields that each row has */

static const char *const field_name[FIELDS] = {
        "src", "dst", "bytes", "start", "qp", "port", "priority", "after"};
static const int64_t field_max[FIELDS] = {
        UINT32_MAX, UINT32_MAX, INT64_MAX, LOAD_MAX_TIME_PS, REPLAY_MAX_QP, UINT16_MAX, 7};

#define FORM "src,dst,bytes,start[,qp[,port[,priority[,after]]]]"

void replay_rows_fini(struct replay_rows *r)
{
	free(r->at);
	free(r->after);
	*r = (struct replay_rows){0};
}

static int grow(void *array, uint32_t n, uint32_t *room, size_t size, struct err *e)
{
	void **at = array, *more;

	if (n < *room)
		return 0;
	more = realloc(*at, (*room ? 2 * (size_t)*room : 64) * size);
	if (!more)
		return err_set(e, -ENOMEM, "no memory for %u messages", n);
	*at = more;
	*room = *room ? 2 * *room : 64;
	return 0;
}

static int number(uint32_t *out, const char **p)
{
	uint64_t v = 0;
	const char *at = *p;

	while (*at >= '0' && *at <= '9' && v <= UINT32_MAX)
		v = 10 * v + (uint64_t)(*at++ - '0');
	if (at == *p || v > UINT32_MAX)
		return -EINVAL;
	*out = (uint32_t)v;
	*p = at;
	return 0;
}

/* "1.0.4+2.3.4" */
static int parse_after(
        struct replay_rows *r, struct replay_row *row, const char *text, struct err *e)
{
	const char *p = text;

	row->first_after = r->n_after;
	while (*p) {
		struct replay_after a;

		if (row->n_after == REPLAY_MAX_AFTER)
			return err_set(
			        e, -EINVAL, "after: more than %d messages", REPLAY_MAX_AFTER);
		if (number(&a.src, &p) || *p++ != '.' || number(&a.qp, &p) || *p++ != '.' ||
		        number(&a.n, &p) || (*p && (*p++ != '+' || !*p)))
			return err_set(e, -EINVAL,
			        "after: \"%s\", expected SRC.QP.N, several joined by +", text);
		if (grow(&r->after, r->n_after, &r->room_after, sizeof(a), e))
			return -ENOMEM;
		r->after[r->n_after++] = a;
		row->n_after++;
	}
	return 0;
}

static int parse_field(int64_t *v, enum field i, const char *text, struct err *e)
{
	int rc = i == BYTES   ? load_quantity(v, UNIT_SIZE, text, "B", e)
	         : i == START ? load_quantity(v, UNIT_TIME, text, "us", e)
	                      : unit_parse(v, UNIT_COUNT, text, e);

	if (rc)
		return err_prefix(e, "%s", field_name[i]);
	if (*v < 0 || *v > field_max[i])
		return err_set(e, -EINVAL, "%s: %s, expected at most %" PRId64, field_name[i],
		        text, field_max[i]);
	return 0;
}

static int parse_row(struct replay_rows *r, struct replay_row *out, const struct table_row *row,
        enum field *bad, struct err *e)
{
	int64_t v[FIELDS] = {[PRIORITY] = -1};
	int rc = 0;

	for (uint32_t i = 0; i < row->n && i < AFTER && !rc; i++) {
		*bad = (enum field)i;
		if (i >= NEEDED && !row->field[i].text[0])
			continue;
		rc = parse_field(&v[i], *bad, row->field[i].text, e);
	}
	*out = (struct replay_row){
	        .src = (uint32_t)v[SRC],
	        .dst = (uint32_t)v[DST],
	        .bytes = v[BYTES],
	        .start_ps = v[START],
	        .qp = (uint32_t)v[QP],
	        .port = (uint16_t)v[PORT],
	        .priority = (int8_t)v[PRIORITY],
	};
	if (!rc && row->n > AFTER) {
		*bad = AFTER;
		rc = parse_after(r, out, row->field[AFTER].text, e);
	}
	return rc;
}

/* As in flow lists. */
static int check_row(const struct replay_row *w, uint32_t n_hosts, int64_t max_bytes,
        enum field *bad, struct err *e)
{
	const struct load_flow f = {.src = w->src,
	        .dst = w->dst,
	        .bytes = w->bytes,
	        .start_ps = w->start_ps,
	        .priority = w->priority};
	enum flow_field what;
	int rc = flow_check(&f, n_hosts, max_bytes, &what, e);

	if (rc)
		*bad = what == FLOW_PRIORITY ? PRIORITY : (enum field)what;
	return rc;
}

static bool is_header(const struct table_row *row)
{
	for (uint32_t i = 0; i < row->n; i++)
		if (strcasecmp(row->field[i].text, field_name[i]) != 0)
			return false;
	return row->n >= NEEDED;
}

static int read_row(struct replay_rows *r, const struct text_table *t,
        const struct table_row *row, uint32_t n_hosts, int64_t max_bytes, struct err *e)
{
	struct replay_row w;
	enum field bad = SRC;
	int rc;

	if (row->n < NEEDED)
		return table_err(
		        t, row->field[0].column, e, "%u fields, expected " FORM, row->n);
	if (r->n == LOAD_MAX_FLOWS)
		return table_err(t, 1, e, "more than %" PRId64 " messages", LOAD_MAX_FLOWS);
	rc = parse_row(r, &w, row, &bad, e);
	if (!rc)
		rc = check_row(&w, n_hosts, max_bytes, &bad, e);
	if (rc) {
		(void)err_prefix(e, "%s:%u:%u", t->name, t->line, row->field[bad].column);
		return rc;
	}
	w.line = t->line;
	rc = grow(&r->at, r->n, &r->room, sizeof(*r->at), e);
	if (!rc)
		r->at[r->n++] = w;
	return rc;
}

int replay_csv_parse(struct replay_rows *out, const char *name, const char *text, size_t len,
        uint32_t n_hosts, int64_t max_bytes, struct err *e)
{
	struct text_table t;
	struct table_row row;
	bool first = true;
	int rc;

	*out = (struct replay_rows){0};
	table_init(&t, name, text, len, TABLE_COMMA);
	while ((rc = table_next(&t, &row, e)) > 0) {
		rc = first && is_header(&row) ? 0
		                              : read_row(out, &t, &row, n_hosts, max_bytes, e);
		if (rc)
			break;
		first = false;
	}
	if (!rc && !out->n)
		rc = err_set(e, -EINVAL, "%s: no message in it, expected lines " FORM, name);
	if (rc)
		replay_rows_fini(out);
	return rc;
}
