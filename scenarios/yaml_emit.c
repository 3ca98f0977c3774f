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

void yaml_emit_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		switch (*text) {
		case '"':
		case '\\':
			fprintf(f, "\\%c", *text);
			break;
		case '\n':
			fputs("\\n", f);
			break;
		case '\r':
			fputs("\\r", f);
			break;
		case '\t':
			fputs("\\t", f);
			break;
		default:
			fputc(*text, f);
		}
	}
	fputc('"', f);
}
