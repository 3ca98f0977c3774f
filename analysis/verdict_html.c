/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/verdict_html.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/markup_text.h"
#include "analysis/put.h"

static const char style[] =
        ":root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--soft:#667;--line:#dde1e6;"
        "--card:#f6f8fa;--pass:#1a7f37;--fail:#cf222e;--warn:#9a6700}"
        "@media(prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e6e9ed;--soft:#9aa4b0;"
        "--line:#30363d;--card:#1c2128;--pass:#4ac26b;--fail:#ff7b72;--warn:#e3b341}}"
        "*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1rem;"
        "background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}"
        "h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}"
        "p{margin:.3rem 0}.soft{color:var(--soft)}"
        ".sums{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0}"
        ".sums div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
        "padding:.4rem .8rem}.sums b{font-size:1.3rem;margin-right:.4rem}"
        "details{border:1px solid var(--line);border-radius:.4rem;margin:.25rem 0;"
        "background:var(--card)}summary{cursor:pointer;padding:.35rem .6rem;"
        "overflow-wrap:anywhere}"
        "h3{font-size:1rem;margin:1rem 0 .2rem}h3 .soft{font-weight:400}"
        "li{margin:.3rem 0;overflow-wrap:anywhere}a{color:inherit}"
        ".in{padding:.2rem .8rem "
        ".8rem}.tag{display:inline-block;min-width:8.5em;font-weight:600}"
        ".pass{color:var(--pass)}.fail,.invalid{color:var(--fail)}"
        ".expected-fail,.unexpected-pass,.not-run{color:var(--warn)}"
        ".fig{color:var(--soft);font-size:.85rem;margin-left:1rem}"
        ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}"
        "th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid var(--line);"
        "vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;"
        "white-space:nowrap}"
        "@media(max-width:40rem){.tag{min-width:4em}body{padding:.6rem}}";

static void us(FILE *f, int64_t t_ps)
{
	if (t_ps < 0)
		put_text("<td class=n>-</td>", f);
	else
		put(f, "<td class=n>%.3f</td>", (double)t_ps / 1e6);
}

static void cell(FILE *f, const char *text)
{
	put_text("<td>", f);
	markup_text(f, text);
	put_text("</td>", f);
}

static void checks(FILE *f, const struct verdict_case *c)
{
	put_text("<div class=scroll><table><tr><th></th><th>rule</th><th>what</th>"
	         "<th>measured</th><th>expected by the model</th></tr>\n",
	        f);
	for (uint32_t i = 0; i < c->n_checks; i++) {
		const struct verdict_check *k = &c->check[i];

		put(f, "<tr><td class=%s>%s</td>", k->holds ? "pass" : "fail",
		        k->holds ? "holds" : "fails");
		cell(f, k->rule);
		cell(f, k->what);
		cell(f, k->measured);
		cell(f, k->expected);
		put_text("</tr>\n", f);
	}
	put_text("</table></div>\n", f);
}

static void streams(FILE *f, const struct verdict_case *c)
{
	put_text("<div class=scroll><table><tr><th>stream</th><th class=n>ports</th>"
	         "<th class=n>priority</th><th class=n>sent</th><th class=n>received</th>"
	         "<th class=n>lost</th><th class=n>CE</th><th class=n>Gbps</th>"
	         "<th class=n>min us</th><th class=n>p50</th><th class=n>p99</th>"
	         "<th class=n>p99.9</th><th class=n>max</th></tr>\n",
	        f);
	for (uint32_t i = 0; i < c->n_streams; i++) {
		const struct verdict_stream *s = &c->stream[i];

		put_text("<tr>", f);
		cell(f, s->name);
		put(f,
		        "<td class=n>%u to %u</td><td class=n>%u</td><td class=n>%" PRId64
		        "</td><td class=n>%" PRId64 "</td><td class=n>%" PRId64
		        "</td><td class=n>%" PRId64 "</td><td class=n>%.3f</td>",
		        s->from, s->to, s->priority, s->sent_packets, s->received_packets,
		        s->lost_packets, s->marked_packets, (double)s->rate_bps / 1e9);
		us(f, s->min_ps);
		us(f, s->p50_ps);
		us(f, s->p99_ps);
		us(f, s->p999_ps);
		us(f, s->max_ps);
		put_text("</tr>\n", f);
	}
	put_text("</table></div>\n", f);
}

/* Combinations of a case have its name before the blank. */
static size_t base_len(const char *name)
{
	return strcspn(name, " ");
}

static bool same_case(const struct verdict_case *a, const struct verdict_case *b)
{
	const size_t n = base_len(a->name);

	return !strcmp(a->suite, b->suite) && base_len(b->name) == n &&
	       !strncmp(a->name, b->name, n);
}

/* "(pmax=25%)", or the whole name where the case has one run. */
static const char *combination(const struct verdict_case *c)
{
	const char *rest = c->name + base_len(c->name);

	return *rest ? rest + 1 : c->name;
}

#define SHOWN_FIGURES 3

/* Was a check of that rule with that outcome before the i-th? */
static bool is_repeated(const struct verdict_case *c, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (c->check[k].holds == c->check[i].holds &&
		        !strcmp(c->check[k].rule, c->check[i].rule))
			return true;
	return false;
}

/* At a glance: what was measured of the switch, a figure of each rule, what fails first. */
static void figures(FILE *f, const struct verdict_case *c)
{
	uint32_t n = 0, shown = 0;

	for (int holds = 0; holds < 2; holds++)
		for (uint32_t i = 0; i < c->n_checks; i++) {
			const struct verdict_check *k = &c->check[i];

			n += !k->is_stimulus && k->holds == holds;
			if (k->is_stimulus || k->holds != holds || shown == SHOWN_FIGURES ||
			        is_repeated(c, i))
				continue;
			put_text(shown++ ? "; " : "<span class=fig>", f);
			markup_text(f, k->rule);
			put_char(' ', f);
			markup_text(f, k->measured);
		}
	if (n > shown)
		put(f, "; %u more", n - shown);
	if (shown)
		put_text("</span>", f);
}

static void one_run(FILE *f, const struct verdict *v, uint32_t i)
{
	const struct verdict_case *c = &v->c[i];
	const char *word = verdict_word(c->status);

	put(f, "<details id=c%u%s><summary><span class=\"tag %s\">%s</span> ", i,
	        verdict_is_bad(c->status) ? " open" : "", word, word);
	markup_text(f, combination(c));
	figures(f, c);
	put_text("</summary><div class=in>\n", f);
	if (*c->reason) {
		put_text("<p class=soft>known deviation: ", f);
		markup_text(f, c->reason);
		put_text("</p>\n", f);
	}
	if (c->n_checks)
		checks(f, c);
	if (c->n_streams)
		streams(f, c);
	if (c->events_seen)
		put(f,
		        "<p class=soft>%" PRIu64
		        " pause frames; the first are in evidence/</p>\n",
		        c->events_seen);
	put_text("</div></details>\n", f);
}

/* All combinations of the case that begins at first; returns where the next one does. */
static uint32_t one_case(FILE *f, const struct verdict *v, uint32_t first)
{
	const struct verdict_case *c = &v->c[first];
	uint32_t end = first;

	while (end < v->n_cases && same_case(c, &v->c[end]))
		end++;
	put_text("<h3>", f);
	for (size_t i = 0; i < base_len(c->name); i++)
		put_char(c->name[i] == '<' || c->name[i] == '&' ? '?' : c->name[i], f);
	put(f, " <span class=soft>%u run%s</span></h3>\n<p>", end - first,
	        end - first == 1 ? "" : "s");
	markup_text(f, c->doc);
	put_text("</p>\n", f);
	if (*c->follows) {
		put_text("<p class=soft>follows ", f);
		markup_text(f, c->follows);
		put_text("</p>\n", f);
	}
	for (uint32_t i = first; i < end; i++)
		one_run(f, v, i);
	return end;
}

/* What one looks for first. */
static void not_passed(FILE *f, const struct verdict *v)
{
	bool any = false;

	for (uint32_t i = 0; i < v->n_cases; i++) {
		const struct verdict_case *c = &v->c[i];
		const struct verdict_check *k = verdict_first_failed(c);

		if (c->status == VERDICT_PASS || c->status == VERDICT_NOT_RUN)
			continue;
		put_text(any ? "" : "<h2>Not passed</h2>\n<ul>\n", f);
		any = true;
		put(f, "<li><span class=%s>%s</span> <a href=\"#c%u\">",
		        verdict_word(c->status), verdict_word(c->status), i);
		markup_text(f, c->suite);
		put_char('.', f);
		markup_text(f, c->name);
		put_text("</a>", f);
		if (k) {
			put_text("<br><span class=soft>", f);
			markup_text(f, k->rule);
			put_text(": ", f);
			markup_text(f, k->what);
			put_text(": ", f);
			markup_text(f, k->measured);
			put_text("; expected ", f);
			markup_text(f, k->expected);
			put_text("</span>", f);
		}
		put_text("</li>\n", f);
	}
	put_text(any ? "</ul>\n" : "", f);
}

/* What makes this another switch than that of the asic file. */
static void sets(FILE *f, const struct verdict *v)
{
	if (v->defect) {
		put_text("<p class=fail>A defect is planted in this switch: ", f);
		markup_text(f, v->defect);
		put_text("</p>\n", f);
	}
	if (!v->n_set)
		return;
	put_text("<p>Set for all cases:", f);
	for (uint32_t i = 0; i < v->n_set; i++) {
		put_text(i ? ", <code>" : " <code>", f);
		markup_text(f, v->set[i].key);
		put_char('=', f);
		markup_text(f, v->set[i].value);
		put_text("</code>", f);
	}
	put_text("</p>\n", f);
}

static void head(FILE *f, const struct verdict *v)
{
	put_text("<!doctype html>\n<html lang=en><meta charset=utf-8>"
	         "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>",
	        f);
	markup_text(f, v->suite);
	put_text(" on ", f);
	markup_text(f, v->asic);
	put(f, "</title>\n<style>%s</style>\n<h1>Qualification: ", style);
	markup_text(f, v->suite);
	put_text(" on ", f);
	markup_text(f, v->asic);
	put_text("</h1>\n<p>", f);
	markup_text(f, v->asic_doc);
	put_text("</p>\n", f);
	sets(f, v);
	put_text("<p class=soft>squall ", f);
	markup_text(f, v->version);
	put_text(", ", f);
	markup_text(f, v->started);
	put(f, ", %u cases in %.1f s", v->n_cases, v->wall_s);
	put_text(v->interrupted ? ", interrupted</p>\n" : "</p>\n", f);
}

void verdict_html_write(FILE *f, const struct verdict *v)
{
	const char *suite = "";

	head(f, v);
	put_text("<div class=sums>", f);
	for (int i = 0; i < VERDICT_N_STATUS; i++) {
		const char *word = verdict_word((enum verdict_status)i);

		if (v->count[i] || i == VERDICT_PASS || i == VERDICT_FAIL)
			put(f, "<div><b class=%s>%u</b>%s</div>", word, v->count[i], word);
	}
	put_text("</div>\n", f);
	not_passed(f, v);
	for (uint32_t i = 0; i < v->n_cases;) {
		if (strcmp(suite, v->c[i].suite) != 0) {
			suite = v->c[i].suite;
			put_text("<h2>", f);
			markup_text(f, suite);
			put_text("</h2>\n", f);
		}
		i = one_case(f, v, i);
	}
	put_text("</html>\n", f);
}
