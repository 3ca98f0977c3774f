/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/report_html.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/report_assets.h"

/* In JSON '<' stands only within strings, where \u003c is the same character. */
static void write_safe(FILE *f, const char *json, size_t len)
{
	const char *end = json + len, *p;

	for (; json < end; json = p + 1) {
		p = memchr(json, '<', (size_t)(end - json));
		if (!p)
			p = end;
		(void)fwrite(json, 1, (size_t)(p - json), f); /* the stream keeps the error */
		if (p < end)
			put_text("\\u003c", f);
	}
}

/* A name comes from the command line. */
static void write_name(FILE *f, const char *name)
{
	char *text = NULL;
	size_t len = 0;
	FILE *m = open_memstream(&text, &len);

	if (m) {
		json_text(m, name);
		if (fclose(m))
			len = 0;
	}
	if (text && len)
		write_safe(f, text, len);
	else
		put_text("\"?\"", f); /* out of memory: the page is still right */
	free(text);
}

static void write_half(FILE *f, const char *from, const char *end)
{
	(void)fwrite(from, 1, (size_t)(end - from), f);
}

void report_html_write(FILE *f, const struct report_run *run, size_t n)
{
	write_half(f, report_page_head, report_page_head_end);
	put_text("{\"runs\":[", f);
	for (size_t i = 0; i < n; i++) {
		put_text(i ? ",\n{\"name\":" : "{\"name\":", f);
		write_name(f, run[i].name);
		put_text(",\"data\":", f);
		write_safe(f, run[i].json, run[i].len);
		put_char('}', f);
	}
	put_text("]}\n", f);
	write_half(f, report_page_tail, report_page_tail_end);
}

void report_html_capture(FILE *f, const char *json, size_t len)
{
	write_half(f, report_page_head, report_page_head_end);
	put_text("{\"capture\":", f);
	write_safe(f, json, len);
	put_text("}\n", f);
	write_half(f, report_page_tail, report_page_tail_end);
}
