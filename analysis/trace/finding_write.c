/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as JSON, for people, and as documentation. */
#include <inttypes.h>
#include <string.h>

#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/trace/diagnose.h"
#include "analysis/wrap_text.h"
#include "dataplane/base/nearest.h"

const char *finding_severity_name(enum finding_severity s)
{
	static const char *const name[] = {"info", "warning", "error"};

	return name[s];
}

const struct finding_kind *finding_find(const char *name, const char **nearest)
{
	struct nearest near;

	nearest_init(&near, name);
	for (int i = 0; i < FINDINGS; i++) {
		if (!strcmp(finding_table[i]->name, name))
			return finding_table[i];
		nearest_offer(&near, finding_table[i]->name);
	}
	*nearest = nearest_get(&near);
	return NULL;
}

static void packets(FILE *f, const struct trace_result *r, const struct finding *n)
{
	put_text("\"packets\": [", f);
	for (uint32_t i = 0; i < n->n_packets; i++) {
		const struct trace_packet *p = &n->packet[i];

		put(f, "%s{\"file\": ", i ? ", " : "");
		json_text(f, p->file < r->n_files ? r->file[p->file].path : NULL);
		put(f, ", \"number\": %" PRIu64 ", \"t_ns\": %" PRId64 ", \"interface\": %u",
		        p->number, p->t_ns, p->interface);
		if (p->flow != TRACE_NONE)
			put(f, ", \"flow\": %u, \"psn\": %u", p->flow, p->psn);
		put_char('}', f);
	}
	put_char(']', f);
}

static void evidence(FILE *f, const struct trace_result *r, const struct finding *n)
{
	char text[TRACE_ADDR_LEN];

	put_text("\"evidence\": {\"text\": ", f);
	json_text(f, n->text);
	put_text(",\n    \"figures\": {", f);
	for (uint32_t i = 0; i < n->n_figures; i++)
		put(f, "%s\"%s\": %" PRId64, i ? ", " : "", n->figure[i].name,
		        n->figure[i].value);
	put_text("},\n    \"interfaces\": [", f);
	for (uint32_t i = 0; i < n->n_interfaces; i++) {
		put(f, "%s{\"index\": %u, \"name\": ", i ? ", " : "", n->interface[i]);
		json_text(f, r->interface[n->interface[i]].capture.name);
		put_char('}', f);
	}
	put_text("],\n    \"flows\": [", f);
	for (uint32_t i = 0; i < n->n_flows; i++) {
		const struct trace_flow *w = &r->flow[n->flow[i]];

		put(f, "%s{\"index\": %u, \"src\": \"%s\"", i ? ", " : "", n->flow[i],
		        trace_addr_text(text, &w->src));
		put(f, ", \"dst\": \"%s\", \"dqp\": %u}", trace_addr_text(text, &w->dst),
		        w->dqp);
	}
	put_text("],\n    ", f);
	packets(f, r, n);
	put_char('}', f);
}

void diagnosis_json_write(FILE *f, const struct trace_result *r, const struct diagnosis *d)
{
	put_char('[', f);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct finding *n = &d->finding[i];
		const struct finding_kind *k = finding_table[n->id];

		put(f, "%s\n  {\"name\": \"%s\", \"title\": ", i ? "," : "", k->name);
		json_text(f, k->title);
		put(f, ", \"severity\": \"%s\", \"caused_by\": ",
		        finding_severity_name((enum finding_severity)n->severity));
		json_text(f, n->caused_by == FINDING_NONE ? NULL
		                                          : finding_table[n->caused_by]->name);
		put_text(",\n   ", f);
		evidence(f, r, n);
		put_text(",\n   \"advice\": ", f);
		json_text(f, k->advice);
		put_char('}', f);
	}
	put_char(']', f);
}

static void first_packet(
        FILE *f, const struct trace_result *r, const struct finding *n, int indent)
{
	const struct trace_packet *p = &n->packet[0];

	if (!n->n_packets)
		return;
	put(f, "%*sfirst packet: number %" PRIu64, indent, "", p->number);
	if (r->n_files > 1 && p->file < r->n_files)
		put(f, " of %s", r->file[p->file].path);
	put(f, ", %" PRId64 " ns after the first frame\n", p->t_ns - r->first_ns);
}

void diagnosis_table_write(FILE *f, const struct trace_result *r, const struct diagnosis *d)
{
	const int columns = wrap_columns(f);

	for (uint32_t i = 0; i < d->n; i++) {
		const struct finding *n = &d->finding[i];
		const struct finding_kind *k = finding_table[n->id];
		const int at = 2 + 4 * n->depth, in = at + 4;

		if (!n->depth)
			put_char('\n', f);
		put(f, "%*s%s%s: %s (%s)\n%*s", at, "", n->depth ? "-> " : "", k->name,
		        k->title, finding_severity_name((enum finding_severity)n->severity), in,
		        "");
		wrap_text(f, n->text, in, in, columns);
		if (n->depth)
			continue;
		first_packet(f, r, n, in);
		put(f, "%*s", in, "");
		wrap_text(f, k->advice, in, in, columns);
	}
}

static void cause_names(
        FILE *f, const struct finding_kind *k, const char *before, const char *mark)
{
	for (const uint8_t *c = k->causes; c && *c != FINDING_NONE; c++)
		put(f, "%s%s%s%s", c == k->causes ? before : ", ", mark,
		        finding_table[*c]->name, mark);
	if (k->causes && *k->causes != FINDING_NONE)
		put_char('\n', f);
}

static void paragraph(FILE *f, const char *head, const char *text)
{
	put(f, "\n  %s\n    ", head);
	wrap_text(f, text, 4, 4, wrap_columns(f));
}

void finding_explain(FILE *f, const struct finding_kind *k)
{
	put(f, "%s: %s (%s)\n", k->name, k->title,
	        finding_severity_name((enum finding_severity)k->severity));
	paragraph(f, "What it means", k->means);
	paragraph(f, "How it is detected", k->detected);
	paragraph(f, "What to do", k->advice);
	cause_names(f, k, "\n  Follows from, where that is found as well: ", "");
}

void finding_list(FILE *f)
{
	for (int i = 0; i < FINDINGS; i++)
		put(f, "  %-27s %s\n", finding_table[i]->name, finding_table[i]->title);
}

void finding_markdown_write(FILE *f)
{
	put_text("| finding | | severity |\n|---|---|---|\n", f);
	for (int i = 0; i < FINDINGS; i++)
		put(f, "| [%s](#%s) | %s | %s |\n", finding_table[i]->name,
		        finding_table[i]->name, finding_table[i]->title,
		        finding_severity_name(
		                (enum finding_severity)finding_table[i]->severity));
	for (int i = 0; i < FINDINGS; i++) {
		const struct finding_kind *k = finding_table[i];

		put(f, "\n## %s\n\n%s (%s).\n\n", k->name, k->title,
		        finding_severity_name((enum finding_severity)k->severity));
		put(f,
		        "**What it means.** %s\n\n**How it is detected.** %s\n\n**What to "
		        "do.** %s\n",
		        k->means, k->detected, k->advice);
		cause_names(f, k, "\nFollows from, where that is found as well: ", "`");
		if (k->never_root)
			put_text("\nSaid only below another finding: by itself it is no "
			         "fault.\n",
			        f);
	}
}
