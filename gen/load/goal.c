/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/goal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen/load/goal_labels.h"

struct goal {
	struct sched *s;
	const char *name;
	const char *p, *end, *line_start;
	const char *word; /* the last one read, for messages */
	size_t word_len;
	uint32_t line;
	bool ended_line; /* a line's end was skipped before the last word */
	bool in_rank;
	struct goal_labels labels; /* of the rank being read */
};

static int bad(const struct goal *g, const char *at, struct err *e, const char *fmt, ...)
        PRINTF_LIKE(4, 5);

static int bad(const struct goal *g, const char *at, struct err *e, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut message is still a message */
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%u:%u: %s", g->name, g->line,
	        at >= g->line_start ? (unsigned)(at - g->line_start) + 1 : 1, text);
}

static void new_line(struct goal *g)
{
	g->line++;
	g->line_start = g->p;
	g->ended_line = true;
}

static int skip_comment(struct goal *g, struct err *e)
{
	const char *start = g->p;

	if (g->p[1] == '/') {
		const char *nl = memchr(g->p, '\n', (size_t)(g->end - g->p));

		g->p = nl ? nl : g->end;
		return 0;
	}
	for (g->p += 2; g->end - g->p >= 2; g->p++) {
		if (g->p[0] == '*' && g->p[1] == '/') {
			g->p += 2;
			return 0;
		}
		if (g->p[0] == '\n') {
			g->line++;
			g->line_start = g->p + 1;
		}
	}
	return bad(g, start, e, "a comment that never ends, expected */");
}

/* Blanks, comments and, where they may be, ends of lines. */
static int skip(struct goal *g, struct err *e)
{
	g->ended_line = false;
	while (g->p < g->end) {
		if (*g->p == '\n') {
			g->p++;
			new_line(g);
		} else if (*g->p == ';') {
			g->p++;
			g->ended_line = true;
		} else if (*g->p == ' ' || *g->p == '\t' || *g->p == '\r') {
			g->p++;
		} else if (*g->p == '/' && g->end - g->p >= 2 &&
		           (g->p[1] == '/' || g->p[1] == '*')) {
			int rc = skip_comment(g, e);

			if (rc)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

/* A word, or one other character; empty at the end of the text. */
static int next_word(struct goal *g, struct err *e)
{
	int rc = skip(g, e);

	if (rc)
		return rc;
	g->word = g->p;
	while (g->p < g->end && is_word_char(*g->p))
		g->p++;
	if (g->p == g->word && g->p < g->end)
		g->p++;
	g->word_len = (size_t)(g->p - g->word);
	return 0;
}

static bool is(const struct goal *g, const char *word)
{
	return g->word_len == strlen(word) && !memcmp(g->word, word, g->word_len);
}

static const char *shown(const struct goal *g, char buf[48])
{
	char text[41];
	size_t n = g->word_len < 40 ? g->word_len : 40;

	for (size_t i = 0; i < n; i++)
		text[i] = g->word[i] > ' ' && g->word[i] <= '~' ? g->word[i] : '?';
	text[n] = '\0';
	(void)snprintf(buf, 48, "%s%s%s", n ? "\"" : "the end of the file", text,
	        n < g->word_len ? "..\""
	        : n             ? "\""
	                        : "");
	return buf;
}

static int unexpected(const struct goal *g, const char *expected, struct err *e)
{
	char buf[48];

	return bad(g, g->word, e, "%s where %s was expected", shown(g, buf), expected);
}

/* The digits of the current word; *unit is what follows them. */
static bool take_digits(const struct goal *g, uint64_t *v, const char **unit)
{
	const char *end = g->word + g->word_len, *c = g->word;

	for (*v = 0; c < end && *c >= '0' && *c <= '9'; c++) {
		if (*v > (UINT64_MAX >> 1) / 10 - 1)
			return false;
		*v = *v * 10 + (uint64_t)(*c - '0');
	}
	*unit = c;
	return c > g->word;
}

static int number(struct goal *g, uint64_t *v, uint64_t max, const char *what, struct err *e)
{
	const char *unit;
	char buf[48];
	int rc = next_word(g, e);

	if (rc)
		return rc;
	if (take_digits(g, v, &unit) && unit == g->word + g->word_len && *v <= max)
		return 0;
	if (is(g, "-1"))
		return bad(g, g->word, e,
		        "-1: a receive from any %s matches whatever comes first, which a "
		        "schedule cannot say beforehand; name the %s",
		        what, what);
	return bad(g, g->word, e, "%s where %s was expected, a number from 0 to %" PRIu64,
	        shown(g, buf), what, max);
}

/* "1024b", or "1024 b". */
static int size(struct goal *g, int64_t *bytes, struct err *e)
{
	const char *unit, *end;
	uint64_t v;
	int rc = next_word(g, e);

	if (rc)
		return rc;
	end = g->word + g->word_len;
	if (!take_digits(g, &v, &unit) || v > (uint64_t)INT64_MAX / 2)
		return unexpected(g, "a size such as 1024b", e);
	*bytes = (int64_t)v;
	if (unit + 1 == end && (*unit == 'b' || *unit == 'B'))
		return 0;
	if (unit == end) {
		rc = next_word(g, e);
		if (rc || is(g, "b") || is(g, "B"))
			return rc;
	}
	return unexpected(g, "b after the number of bytes", e);
}

static int expect(struct goal *g, const char *word, struct err *e)
{
	char what[40];
	int rc = next_word(g, e);

	if (rc || is(g, word))
		return rc;
	(void)snprintf(what, sizeof(what), "\"%s\"", word);
	return unexpected(g, what, e);
}

/* tag N, cpu N, nic N in any order, until something else stands there. */
static int read_options(struct goal *g, struct sched_op *o, struct err *e)
{
	for (;;) {
		const struct goal before = *g;
		uint64_t v;
		int rc = next_word(g, e);

		if (rc)
			return rc;
		if (!g->ended_line && is(g, "tag") && o->kind != SCHED_CALC) {
			rc = number(g, &v, UINT32_MAX, "tag", e);
			o->tag = (uint32_t)v;
		} else if (!g->ended_line && is(g, "cpu")) {
			rc = number(g, &v, UINT8_MAX, "cpu", e);
			o->cpu = (uint8_t)v;
		} else if (!g->ended_line && is(g, "nic") && o->kind != SCHED_CALC) {
			rc = number(g, &v, UINT8_MAX, "nic", e);
			o->nic = (uint8_t)v;
		} else if (g->ended_line || is(g, "}") || !g->word_len) {
			g->p = before.p;
			g->line = before.line;
			g->line_start = before.line_start;
			return 0;
		} else {
			return unexpected(g, "tag, cpu, nic or the end of the line", e);
		}
		if (rc)
			return rc;
	}
}

/* The current word is send, recv or calc. */
static int read_op(struct goal *g, uint32_t *index, struct err *e)
{
	struct sched_op o = {.line = g->line};
	const char *at = g->word;
	const ptrdiff_t column = at - g->line_start + 1;
	uint64_t v;
	int rc;

	o.column = column > 0 && column <= UINT8_MAX ? (uint8_t)column : 0;
	o.kind = is(g, "send") ? SCHED_SEND : is(g, "recv") ? SCHED_RECV : SCHED_CALC;
	if (o.kind == SCHED_CALC) {
		rc = number(g, &v, INT64_MAX / 2, "a time", e);
		o.value = (int64_t)v;
	} else {
		rc = size(g, &o.value, e);
		if (!rc)
			rc = expect(g, o.kind == SCHED_SEND ? "to" : "from", e);
		if (!rc) {
			rc = number(g, &v, UINT32_MAX, "rank", e);
			o.peer = (uint32_t)v;
		}
	}
	if (!rc)
		rc = read_options(g, &o, e);
	if (rc)
		return rc;
	rc = sched_add(g->s, &o, index, e);
	if (rc)
		(void)err_prefix(e, "%s:%u:%u", g->name, o.line,
		        at >= g->line_start ? (unsigned)(at - g->line_start) + 1 : 1);
	return rc;
}

static bool is_op(const struct goal *g)
{
	return is(g, "send") || is(g, "recv") || is(g, "calc");
}

/* "l2 requires l1": label is l2. */
static int read_requires(
        struct goal *g, const char *label, size_t label_len, bool started, struct err *e)
{
	uint32_t op, on;
	char buf[48];
	int rc;

	if (!goal_label_find(&g->labels, label, label_len, &op)) {
		g->word = label;
		g->word_len = label_len;
		return bad(g, label, e, "no operation is labelled %s above this line",
		        shown(g, buf));
	}
	rc = next_word(g, e);
	if (rc)
		return rc;
	if (!goal_label_find(&g->labels, g->word, g->word_len, &on))
		return bad(g, g->word, e, "no operation is labelled %s above this line",
		        shown(g, buf));
	if (on == op)
		return bad(g, label, e, "%s waits for itself", shown(g, buf));
	rc = sched_wait(g->s, op, on, started, e);
	if (rc)
		(void)err_prefix(e, "%s:%u", g->name, g->line);
	return rc;
}

/* The current word begins a statement inside a rank's braces. */
static int read_statement(struct goal *g, struct err *e)
{
	const char *label = g->word;
	size_t label_len = g->word_len;
	uint32_t index;
	int rc;

	if (is_op(g))
		return read_op(g, &index, e);
	if (!isalnum((unsigned char)*label) && *label != '_')
		return unexpected(g, "an operation, a label or }", e);
	rc = next_word(g, e);
	if (rc)
		return rc;
	if (is(g, "requires") || is(g, "irequires"))
		return read_requires(g, label, label_len, is(g, "irequires"), e);
	if (!is(g, ":"))
		return unexpected(g, "\":\", requires or irequires after the label", e);
	rc = next_word(g, e);
	if (!rc && !is_op(g))
		rc = unexpected(g, "send, recv or calc", e);
	if (!rc)
		rc = read_op(g, &index, e);
	if (rc)
		return rc;
	rc = goal_label_add(&g->labels, label, label_len, index, e);
	if (rc == -EEXIST) {
		g->word = label;
		g->word_len = label_len;
		char buf[48];

		return err_set(e, -EINVAL, "%s:%u: the label %s is there twice in this rank",
		        g->name, g->s->op[index].line, shown(g, buf));
	}
	return rc;
}

static int read_head(struct goal *g, struct err *e)
{
	uint64_t n = 0;
	int rc = expect(g, "num_ranks", e);

	if (!rc)
		rc = number(g, &n, LOAD_MAX_HOSTS, "the number of ranks", e);
	if (!rc && !n)
		return err_set(e, -EINVAL,
		        "%s:%u:%u: num_ranks 0: expected the number of ranks, 1 to %d", g->name,
		        g->line, (unsigned)(g->word - g->line_start) + 1, LOAD_MAX_HOSTS);
	return rc ? rc : sched_init(g->s, g->name, (uint32_t)n, e);
}

static int begin_rank(struct goal *g, struct err *e)
{
	uint64_t rank = 0;
	const char *at = g->word;
	int rc = number(g, &rank, UINT32_MAX, "a rank", e);

	if (!rc) {
		rc = sched_rank(g->s, (uint32_t)rank, e);
		if (rc)
			(void)err_prefix(e, "%s:%u:%u", g->name, g->line,
			        (unsigned)(at - g->line_start) + 1);
	}
	if (!rc)
		rc = expect(g, "{", e);
	goal_labels_clear(&g->labels);
	g->in_rank = true;
	return rc;
}

static int read_all(struct goal *g, struct err *e)
{
	int rc = read_head(g, e);

	while (!rc) {
		rc = next_word(g, e);
		if (rc || !g->word_len)
			break;
		if (g->in_rank && is(g, "}"))
			g->in_rank = false;
		else if (g->in_rank)
			rc = read_statement(g, e);
		else if (is(g, "rank"))
			rc = begin_rank(g, e);
		else
			rc = unexpected(g, "\"rank\" or the end of the file", e);
	}
	if (!rc && g->in_rank)
		rc = bad(g, g->p, e,
		        "the file ends inside a rank, expected }; is it cut short?");
	if (!rc && !g->s->n_ops)
		rc = err_set(e, -EINVAL, "%s: no operation in it", g->name);
	return rc;
}

int goal_parse(struct sched *out, const char *name, const char *text, size_t len, struct err *e)
{
	struct goal g = {
	        .s = out,
	        .name = name,
	        .p = text,
	        .end = text + len,
	        .line_start = text,
	        .line = 1,
	};
	int rc;

	*out = (struct sched){0};
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		g.p += 3;
	rc = read_all(&g, e);
	goal_labels_fini(&g.labels);
	if (!rc)
		rc = sched_finish(out, e);
	if (rc)
		sched_fini(out);
	return rc;
}
