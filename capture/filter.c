/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/filter.h"

#include <ctype.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/filter_int.h"
#include "dataplane/wire/frame.h"

#define MAX_TAGS   2
#define MAX_DEPTH  64
#define DLT_RAW_IP 12 /* pcap_open_dead takes the host's numbers */

int filter_error(struct err *e, uint32_t at, const char *fmt, ...)
{
	char text[600];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(e, -EINVAL, "filter:%u: %s", at + 1, text);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.:-\\", c));
}

bool filter_token_next(struct filter_token *t, const char *text, uint32_t at)
{
	uint32_t n = 0;

	at += (uint32_t)strspn(text + at, " \t\r\n");
	if (!text[at])
		return false;
	while (in_word(text[at + n]))
		n++;
	if (!n) {
		bool twice = strchr("&|=<>", text[at]) && text[at + 1] == text[at];

		n = twice ? 2 : 1;
	}
	*t = (struct filter_token){at, n};
	return true;
}

bool filter_token_is(const struct filter_token *t, const char *text, const char *word)
{
	return strlen(word) == t->len && !strncasecmp(text + t->from, word, t->len);
}

static bool is_one_of(
        const struct filter_token *t, const char *text, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (filter_token_is(t, text, word[i]))
			return true;
	}
	return false;
}

#define IS_ONE_OF(t, text, words) is_one_of(t, text, words, sizeof(words) / sizeof((words)[0]))

/* What libpcap expects a name behind: "host data" is a host. */
static const char *const takes_name[] = {"host", "net", "mask", "port", "portrange", "src",
        "dst", "gateway", "proto", "protochain", "ifname", "on", "action", "reason", "ruleset",
        "rset", "srnr", "type", "subtype", "dir"};
static const char *const joins[] = {"and", "or", "&&", "||"};
static const char *const negates[] = {"not", "!"};

/* Goes over a text token by token and checks what libpcap would say without a position. */
struct walk {
	struct filter_token t, before;
	uint32_t depth, open[MAX_DEPTH]; /* where each parenthesis stands */
	bool in_index;                   /* of ether[...] */
	bool operand;                    /* one has just ended */
	bool says_vlan;
};

static int walk_parenthesis(struct walk *w, char c, struct err *e)
{
	if (c == '(') {
		if (w->depth == MAX_DEPTH)
			return filter_error(
			        e, w->t.from, "more than %d parentheses", MAX_DEPTH);
		w->open[w->depth++] = w->t.from;
		w->operand = false;
		return 0;
	}
	if (!w->depth)
		return filter_error(e, w->t.from, "a ) without its (");
	if (!w->operand)
		return filter_error(e, w->t.from, "expected a condition before )");
	w->depth--;
	return 0;
}

static int walk_token(struct walk *w, const char *text, struct err *e)
{
	char c = text[w->t.from];

	if (w->in_index || c == '[') {
		w->in_index = c != ']';
		w->operand = true;
		return 0;
	}
	if (c == '(' || c == ')')
		return walk_parenthesis(w, c, e);
	if (IS_ONE_OF(&w->t, text, joins)) {
		if (!w->operand)
			return filter_error(e, w->t.from, "expected a condition before %.*s",
			        (int)w->t.len, text + w->t.from);
		w->operand = false;
		return 0;
	}
	w->says_vlan |= filter_token_is(&w->t, text, "vlan");
	w->operand = !IS_ONE_OF(&w->t, text, negates);
	return 0;
}

static int walk_end(const struct walk *w, const char *text, struct err *e)
{
	if (w->depth)
		return filter_error(e, w->open[w->depth - 1], "a ( without its )");
	if (w->t.len && !w->operand)
		return filter_error(e, (uint32_t)strlen(text),
		        "expected a condition behind %.*s", (int)w->t.len, text + w->t.from);
	return 0;
}

/* One pass: our words replaced, the rest as it stands. vlan: whether the text says it. */
static int translate_at(
        FILE *out, const char *text, const struct filter_at *at, bool *vlan, struct err *e)
{
	struct walk w = {.before = {0}};
	uint32_t done = 0;
	int r;

	while (filter_token_next(&w.t, text, done)) {
		(void)fprintf(out, "%.*s", (int)(w.t.from - done), text + done);
		r = walk_token(&w, text, e);
		if (r)
			return r;
		r = 0;
		if (!w.in_index && !(w.before.len && IS_ONE_OF(&w.before, text, takes_name)))
			r = filter_word_put(out, at, text, &w.t, e);
		if (r < 0)
			return r;
		if (!r) {
			(void)fprintf(out, "%.*s", (int)w.t.len, text + w.t.from);
			r = (int)w.t.len;
		}
		w.before = w.t;
		done = w.t.from + (uint32_t)r;
	}
	*vlan = w.says_vlan;
	return walk_end(&w, text, e);
}

/*
 * libpcap's vlan moves the offsets of all that stands behind it, so each number of tags has the
 * whole text once more, under a condition that the frame has so many.
 */
static int translate_tags(FILE *out, const char *text, uint32_t link, struct err *e)
{
	bool vlan;
	int r = 0;

	for (uint32_t tags = 0; !r && tags <= MAX_TAGS; tags++) {
		struct filter_at at = {link, tags};
		uint32_t type_at = 12 + 4 * tags;

		(void)fprintf(out, "%s((", tags ? " or (vlan and " : "");
		if (tags < MAX_TAGS)
			(void)fprintf(out,
			        "ether[%u:2] != 0x8100 and ether[%u:2] != 0x88a8 and "
			        "ether[%u:2] != 0x9100 and ",
			        type_at, type_at, type_at);
		(void)fputs("(", out);
		r = translate_at(out, text, &at, &vlan, e);
		(void)fputs("))", out);
	}
	(void)fputs(")))))", out);
	return r;
}

static int check_text(const char *text, struct err *e)
{
	size_t n = strlen(text);

	if (n > FILTER_MAX_CHARS)
		return err_set(e, -EINVAL, "filter: %zu characters, expected at most %d", n,
		        FILTER_MAX_CHARS);
	for (size_t i = 0; i < n; i++) {
		if (!isprint((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
			return filter_error(e, (uint32_t)i,
			        "character 0x%02x is none of a filter's",
			        (unsigned char)text[i]);
	}
	return 0;
}

int filter_translate(char **out, const char *text, uint32_t link, struct err *e)
{
	struct filter_at plain = {link, 0};
	char *other = NULL;
	size_t len;
	FILE *f;
	bool vlan = false;
	int r = check_text(text, e);

	*out = NULL;
	if (r)
		return r;
	f = open_memstream(&other, &len);
	if (!f)
		return err_set(e, -ENOMEM, "filter: out of memory");
	r = translate_at(f, text, &plain, &vlan, e);
	if (!r && link == FRAME_LINK_ETHERNET && !vlan && text[strspn(text, " \t\r\n")]) {
		rewind(f);
		r = translate_tags(f, text, link, e);
	}
	if (fclose(f) && !r)
		r = err_set(e, -ENOMEM, "filter: out of memory");
	if (r) {
		free(other);
		return r;
	}
	*out = other;
	return 0;
}
