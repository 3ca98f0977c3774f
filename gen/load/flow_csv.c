/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/flow_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#include "gen/load/load_input.h"
#include "gen/load/text_table.h"

static const char *const field_name[FLOW_FIELDS] = {
        [FLOW_SRC] = "src",
        [FLOW_DST] = "dst",
        [FLOW_BYTES] = "bytes",
        [FLOW_START] = "start",
        [FLOW_PRIORITY] = "priority",
};

static int parse_field(int64_t *out, enum flow_field i, const char *text, struct err *e)
{
	switch (i) {
	case FLOW_BYTES:
		return load_quantity(out, UNIT_SIZE, text, "B", e);
	case FLOW_START:
		return load_quantity(out, UNIT_TIME, text, "us", e);
	case FLOW_SRC:
	case FLOW_DST:
	case FLOW_PRIORITY:
	case FLOW_FIELDS:
		break;
	}
	return unit_parse(out, UNIT_COUNT, text, e);
}

int flow_parse(struct load_flow *out, const char *const text[FLOW_FIELDS], uint32_t n,
        enum flow_field *bad, struct err *e)
{
	static const int64_t max[FLOW_FIELDS] = {
	        UINT32_MAX, UINT32_MAX, INT64_MAX, LOAD_MAX_TIME_PS, 7};
	int64_t v[FLOW_FIELDS] = {[FLOW_PRIORITY] = -1};

	for (uint32_t i = 0; i < n; i++) {
		int rc;

		*bad = (enum flow_field)i;
		if (i == FLOW_PRIORITY && !text[i][0])
			break;
		rc = parse_field(&v[i], *bad, text[i], e);
		if (rc) {
			err_prefix(e, "%s", field_name[i]);
			return rc;
		}
		if (v[i] > max[i])
			return err_set(e, -EINVAL, "%s: %s is too large, expected at most %s",
			        field_name[i], text[i],
			        i == FLOW_PRIORITY ? "7"
			        : i == FLOW_START  ? "53 days"
			                           : "4294967295");
	}
	*out = (struct load_flow){
	        .src = (uint32_t)v[FLOW_SRC],
	        .dst = (uint32_t)v[FLOW_DST],
	        .bytes = v[FLOW_BYTES],
	        .start_ps = v[FLOW_START],
	        .priority = (int8_t)v[FLOW_PRIORITY],
	};
	return 0;
}

int flow_check(const struct load_flow *f, uint32_t n_hosts, int64_t max_bytes,
        enum flow_field *bad, struct err *e)
{
	*bad = f->src >= n_hosts ? FLOW_SRC : FLOW_DST;
	if (f->src >= n_hosts || f->dst >= n_hosts)
		return err_set(e, -EINVAL,
		        "%s: host %u is not there, the fabric has hosts 0..%u: correct the "
		        "list "
		        "or raise fabric.topology.hosts",
		        field_name[*bad], *bad == FLOW_SRC ? f->src : f->dst, n_hosts - 1);
	if (f->src == f->dst)
		return err_set(e, -EINVAL,
		        "dst: host %u sends to itself, expected two different hosts", f->src);
	*bad = FLOW_BYTES;
	if (f->bytes < 1 || f->bytes > max_bytes)
		return err_set(e, -EINVAL,
		        "bytes: a message of %" PRId64 " bytes, expected 1 to %" PRId64,
		        f->bytes, max_bytes);
	*bad = FLOW_START;
	if (f->start_ps < 0 || f->start_ps > LOAD_MAX_TIME_PS)
		return err_set(e, -EINVAL,
		        "start: %" PRId64 " ps, expected 0 to %" PRId64 " ps (53 days)",
		        f->start_ps, LOAD_MAX_TIME_PS);
	*bad = FLOW_PRIORITY;
	if (f->priority < -1 || f->priority > 7)
		return err_set(e, -EINVAL, "priority: %d, expected 0 to 7", f->priority);
	return 0;
}

struct rows {
	struct load_flow *at;
	int64_t n, room;
};

static int rows_add(struct rows *r, const struct load_flow *add, struct err *e)
{
	if (r->n == r->room) {
		int64_t room = r->room ? 2 * r->room : 64;
		void *at = realloc(r->at, (size_t)room * sizeof(*r->at));

		if (!at)
			return err_set(e, -ENOMEM, "no memory for %" PRId64 " flows", room);
		r->at = at;
		r->room = room;
	}
	r->at[r->n++] = *add;
	return 0;
}

/* The first row may name the columns; then it names these, in this order. */
static bool is_header(const struct table_row *row)
{
	for (uint32_t i = 0; i < row->n && i < FLOW_FIELDS; i++)
		if (strcasecmp(row->field[i].text, field_name[i]) != 0)
			return false;
	return row->n >= FLOW_PRIORITY && row->n <= FLOW_FIELDS;
}

static bool begins_with_letter(const char *s)
{
	return (*s | 0x20) >= 'a' && (*s | 0x20) <= 'z';
}

static int read_row(struct rows *r, const struct text_table *t, const struct table_row *row,
        uint32_t n_hosts, int64_t max_bytes, struct err *e)
{
	const char *text[FLOW_FIELDS];
	struct load_flow f;
	enum flow_field bad;
	int rc;

	if (row->n < FLOW_PRIORITY || row->n > FLOW_FIELDS)
		return table_err(t, row->field[0].column, e,
		        "%u fields, expected src,dst,bytes,start[,priority]", row->n);
	if (r->n == LOAD_MAX_FLOWS)
		return table_err(
		        t, 1, e, "more than %" PRId64 " flows: split the list", LOAD_MAX_FLOWS);
	for (uint32_t i = 0; i < row->n; i++)
		text[i] = row->field[i].text;
	rc = flow_parse(&f, text, row->n, &bad, e);
	if (!rc)
		rc = flow_check(&f, n_hosts, max_bytes, &bad, e);
	if (rc) {
		err_prefix(e, "%s:%u:%u", t->name, t->line, row->field[bad].column);
		return rc;
	}
	return rows_add(r, &f, e);
}

int flow_csv_parse(struct load_flow **out, int64_t *n, const char *name, const char *text,
        size_t len, uint32_t n_hosts, int64_t max_bytes, struct err *e)
{
	struct rows r = {0};
	struct text_table t;
	struct table_row row;
	bool first = true;
	int rc;

	table_init(&t, name, text, len, TABLE_COMMA);
	while ((rc = table_next(&t, &row, e)) > 0) {
		if (first && is_header(&row))
			rc = 0;
		else if (first && begins_with_letter(row.field[0].text))
			rc = table_err(&t, row.field[0].column, e,
			        "\"%s\" is neither a host number nor the header line "
			        "src,dst,bytes,start[,priority]",
			        row.field[0].text);
		else
			rc = read_row(&r, &t, &row, n_hosts, max_bytes, e);
		if (rc)
			break;
		first = false;
	}
	if (!rc && !r.n)
		rc = err_set(e, -EINVAL,
		        "%s: no flow in it, expected lines src,dst,bytes,start[,priority]",
		        name);
	if (rc) {
		free(r.at);
		return rc;
	}
	*out = r.at;
	*n = r.n;
	return 0;
}
