/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/yaml_emit.h"

#include <string.h>

static void begin_line(struct yaml_emit *m, int depth)
{
	int blanks = m->indent + 2 * depth;

	if (m->is_item)
		fprintf(m->f, "%*s- ", blanks - 2, "");
	else
		fprintf(m->f, "%*s", blanks, "");
	m->is_item = false;
}

/* Length of the steps that both sections begin with, a whole number of steps. */
static size_t common(const char *a, const char *b)
{
	size_t last = 0, i = 0;

	for (;; i++) {
		bool end_a = !a[i] || a[i] == '.', end_b = !b[i] || b[i] == '.';

		if (end_a && end_b && i)
			last = i;
		if (!a[i] || !b[i] || a[i] != b[i])
			return last;
	}
}

static int depth_of(const char *path, size_t len)
{
	int depth = len > 0;

	for (size_t i = 0; i < len; i++)
		depth += path[i] == '.';
	return depth;
}

static void emit_key(struct yaml_emit *m, const char *path)
{
	const char *dot = strrchr(path, '.'), *key = dot ? dot + 1 : path;
	size_t len = dot ? (size_t)(dot - path) : 0, at;
	char section[KNOB_PATH_BYTES];

	(void)snprintf(section, sizeof(section), "%.*s", (int)len, path);
	at = common(m->section, section);
	while (at < len) {
		const char *step = section + at + (at > 0);
		int n = (int)strcspn(step, ".");

		begin_line(m, depth_of(section, at));
		fprintf(m->f, "%.*s:\n", n, step);
		at = (size_t)(step - section) + (size_t)n;
	}
	memcpy(m->section, section, sizeof(section));
	begin_line(m, depth_of(section, len));
	fprintf(m->f, "%s:", key);
}

void yaml_emit(struct yaml_emit *m, const char *path, const char *value)
{
	emit_key(m, path);
	fprintf(m->f, "%s%s\n", *value ? " " : "", value);
}

void yaml_emit_text(struct yaml_emit *m, const char *path, const char *text)
{
	emit_key(m, path);
	fputc(' ', m->f);
	yaml_emit_quoted(m->f, text);
	fputc('\n', m->f);
}

/* Characters that YAML takes for line breaks or refuses: C0, DEL, C1, line and paragraph
 * separators, byte order mark. Writes one as an escape and returns its bytes, or 0. */
static size_t emit_escaped(FILE *f, const unsigned char *t)
{
	if (t[0] < 0x20 || t[0] == 0x7f) {
		fprintf(f, "\\x%02x", t[0]);
		return 1;
	}
	if (t[0] == 0xc2 && t[1] >= 0x80 && t[1] < 0xa0) {
		fprintf(f, "\\x%02x", t[1]);
		return 2;
	}
	if (t[0] == 0xe2 && t[1] == 0x80 && (t[2] == 0xa8 || t[2] == 0xa9)) {
		fprintf(f, "\\u20%02x", t[2] - 0x80);
		return 3;
	}
	if (t[0] == 0xef && t[1] == 0xbb && t[2] == 0xbf) {
		fputs("\\ufeff", f);
		return 3;
	}
	return 0;
}

void yaml_emit_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	while (*text) {
		size_t escaped = emit_escaped(f, (const unsigned char *)text);

		if (!escaped && (*text == '"' || *text == '\\'))
			fputc('\\', f);
		if (!escaped)
			fputc(*text, f);
		text += escaped ? escaped : 1;
	}
	fputc('"', f);
}
