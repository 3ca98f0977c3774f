/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_hpcc_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/text_file.h"

int hpcc_text_open(struct hpcc_text *t, const char *dir, const char *name, struct err *e)
{
	int rc, n;

	memset(t, 0, sizeof(*t));
	n = snprintf(t->path, sizeof(t->path), "%s/%s", dir, name);
	if (n < 0 || (size_t)n >= sizeof(t->path))
		return err_set(e, -EINVAL, "%.200s: the path is longer than %zu characters",
		        dir, sizeof(t->path) - 1);
	rc = text_file_read(&t->text, &t->len, t->path, HPCC_FILE_MAX, e);
	if (rc == -ENOENT || rc == -ENOTDIR)
		return err_set(e, -EINVAL,
		        "%s: no such file; the import reads config.txt and the topology and "
		        "flow "
		        "files that it names, all from the same folder",
		        t->path);
	t->line = t->word_line = t->word_column = 1;
	return rc;
}

void hpcc_text_close(struct hpcc_text *t)
{
	free(t->text);
	t->text = NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next character is consumed. */
static void advance(struct hpcc_text *t)
{
	if (t->text[t->at++] == '\n') {
		t->line++;
		t->line_start = t->at;
	}
}

bool hpcc_text_word(struct hpcc_text *t)
{
	size_t len = 0;

	while (t->at < t->len && is_blank(t->text[t->at]))
		advance(t);
	t->word_line = t->line;
	t->word_column = (uint32_t)(t->at - t->line_start) + 1;
	t->word_cut = false;
	for (; t->at < t->len && !is_blank(t->text[t->at]); t->at++) {
		if (len == HPCC_WORD_MAX)
			t->word_cut = true;
		else /* a NUL must not end the word */
			t->word[len++] = t->text[t->at] ? t->text[t->at] : '\1';
	}
	t->word[len] = '\0';
	return len > 0;
}

bool hpcc_text_skip_line(struct hpcc_text *t)
{
	bool any = false;

	for (; t->at < t->len && t->text[t->at] != '\n'; t->at++)
		any |= !is_blank(t->text[t->at]);
	return any;
}

int hpcc_text_error(const struct hpcc_text *t, struct err *e, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut message is still a message */
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%u:%u: %s", t->path, t->word_line, t->word_column, text);
}

const char *hpcc_text_shown(const struct hpcc_text *t, char buf[64])
{
	size_t i;

	for (i = 0; t->word[i] && i < 40; i++)
		buf[i] = isprint((unsigned char)t->word[i]) ? t->word[i] : '?';
	buf[i] = '\0';
	if (t->word[i] || t->word_cut)
		memcpy(buf + i, "...", 4);
	return buf;
}

static int want_word(struct hpcc_text *t, const char *what, struct err *e)
{
	if (hpcc_text_word(t))
		return 0;
	return hpcc_text_error(t, e,
	        "the file ends where %s was expected; it is cut short or a count in it is too "
	        "large",
	        what);
}

static bool made_of(const char *word, const char *set)
{
	return word[0] && word[strspn(word, set)] == '\0';
}

int hpcc_text_count(struct hpcc_text *t, int64_t *out, int64_t min, int64_t max,
        const char *what, struct err *e)
{
	int rc = want_word(t, what, e);
	char shown[64];
	long long v = 0;

	if (rc)
		return rc;
	if (made_of(t->word, "0123456789") && !t->word_cut) {
		errno = 0;
		v = strtoll(t->word, NULL, 10);
		if (!errno && v >= min && v <= max) {
			*out = v;
			return 0;
		}
	}
	return hpcc_text_error(t, e, "%s is \"%s\"; expected a whole number from %lld to %lld",
	        what, hpcc_text_shown(t, shown), (long long)min, (long long)max);
}

static bool parse_real(const char *word, size_t len, double *out)
{
	char text[HPCC_WORD_MAX + 1], *end;

	memcpy(text, word, len);
	text[len] = '\0';
	if (!made_of(text, "+-0123456789.eE"))
		return false;
	errno = 0;
	*out = strtod(text, &end);
	return *end == '\0' && end != text && errno == 0;
}

int hpcc_text_real(struct hpcc_text *t, double *out, double min, double max, const char *what,
        struct err *e)
{
	int rc = want_word(t, what, e);
	char shown[64];
	double v;

	if (rc)
		return rc;
	if (!t->word_cut && parse_real(t->word, strlen(t->word), &v) && v >= min && v <= max) {
		*out = v;
		return 0;
	}
	return hpcc_text_error(t, e, "%s is \"%s\"; expected a number from %g to %g", what,
	        hpcc_text_shown(t, shown), min, max);
}

/* The number in front of a unit; *unit is what follows it. */
static bool split_unit(const struct hpcc_text *t, double *v, const char **unit)
{
	size_t len = strspn(t->word, "+-0123456789.eE");

	*unit = t->word + len;
	return !t->word_cut && parse_real(t->word, len, v);
}

int hpcc_text_rate(struct hpcc_text *t, int64_t *rate_bps, const char *what, struct err *e)
{
	static const struct {
		const char *unit;
		double bps;
	} table[] = {
	        {"", 1},
	        {"bps", 1},
	        {"b/s", 1},
	        {"Bps", 8},
	        {"B/s", 8},
	        {"kbps", 1e3},
	        {"kb/s", 1e3},
	        {"Kbps", 1e3},
	        {"Kb/s", 1e3},
	        {"kBps", 8e3},
	        {"kB/s", 8e3},
	        {"KBps", 8e3},
	        {"KB/s", 8e3},
	        {"Kib/s", 1024},
	        {"KiB/s", 8192},
	        {"Mbps", 1e6},
	        {"Mb/s", 1e6},
	        {"MBps", 8e6},
	        {"MB/s", 8e6},
	        {"Mib/s", 1048576},
	        {"MiB/s", 8388608},
	        {"Gbps", 1e9},
	        {"Gb/s", 1e9},
	        {"GBps", 8e9},
	        {"GB/s", 8e9},
	        {"Gib/s", 1073741824},
	        {"GiB/s", 8589934592},
	};
	int rc = want_word(t, what, e);
	char shown[64];
	const char *unit;
	double v;

	if (rc)
		return rc;
	if (split_unit(t, &v, &unit)) {
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			double bps = v * table[i].bps;

			if (strcmp(unit, table[i].unit) || bps < 1 || bps > 1e13)
				continue;
			*rate_bps = (int64_t)bps;
			return 0;
		}
	}
	return hpcc_text_error(t, e,
	        "%s is \"%s\"; expected a rate above zero with its unit, such as 100Gbps or "
	        "20Mb/s",
	        what, hpcc_text_shown(t, shown));
}

int64_t hpcc_ns_from_real(double value, int64_t factor)
{
	int64_t whole = (int64_t)value;
	double rest = value - (double)whole;
	uint64_t fraction = (uint64_t)(rest * 0x1p64);

	return whole * factor +
	       (int64_t)(((unsigned __int128)fraction * (uint64_t)factor) >> 64);
}

int hpcc_text_delay(struct hpcc_text *t, int64_t *delay_ns, const char *what, struct err *e)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} table[] = {
	        {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {"", 1000000000}};
	int rc = want_word(t, what, e);
	char shown[64];
	const char *unit;
	double v;

	if (rc)
		return rc;
	if (split_unit(t, &v, &unit) && v >= 0) {
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
			if (strcmp(unit, table[i].unit) || v * (double)table[i].ns > 1e9)
				continue;
			*delay_ns = hpcc_ns_from_real(v, table[i].ns);
			return 0;
		}
	}
	return hpcc_text_error(t, e,
	        "%s is \"%s\"; expected a time from 0 to 1 s with its unit, such as 1000ns or "
	        "0.001ms",
	        what, hpcc_text_shown(t, shown));
}
