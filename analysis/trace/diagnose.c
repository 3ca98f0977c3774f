/* SPDX-License-Identifier: Apache-2.0 */
/* All families of findings in turn; then which follows from which. */
#include "analysis/trace/diagnose.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plain_text.h"
#include "analysis/trace/diagnose_int.h"

static void append(struct finding *f, const char *fmt, va_list args)
{
	size_t at = strlen(f->text);

	(void)vsnprintf(f->text + at, sizeof(f->text) - at, fmt, args);
	plain_text(f->text + at); /* names of interfaces are somebody else's */
}

struct finding *finding_add(struct diagnose *d, enum finding_id id, const char *fmt, ...)
{
	struct finding *f = d->found[id];
	va_list args;

	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f) {
			d->failed = true;
			return &d->nowhere;
		}
		f->id = (uint8_t)id;
		f->severity = finding_table[id]->severity;
		f->caused_by = FINDING_NONE;
		d->found[id] = f;
	} else {
		finding_more(f, "; ");
	}
	va_start(args, fmt);
	append(f, fmt, args);
	va_end(args);
	return f;
}

void finding_more(struct finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	append(f, fmt, args);
	va_end(args);
}

void finding_figure(struct finding *f, const char *name, int64_t value)
{
	for (uint32_t i = 0; i < f->n_figures; i++)
		if (!strcmp(f->figure[i].name, name))
			return; /* of the first */
	if (f->n_figures < FINDING_LIST_MAX)
		f->figure[f->n_figures++] = (struct finding_figure){name, value};
}

static void list_add(uint32_t *list, uint32_t *n, uint32_t value)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i] == value)
			return;
	if (*n < FINDING_LIST_MAX)
		list[(*n)++] = value;
}

void finding_interface(struct finding *f, uint32_t interface)
{
	list_add(f->interface, &f->n_interfaces, interface);
}

void finding_flow(struct finding *f, uint32_t flow)
{
	list_add(f->flow, &f->n_flows, flow);
}

void finding_packets(struct finding *f, const struct trace_result *r, enum trace_event e)
{
	for (uint32_t i = 0; i < r->n_event[e] && f->n_packets < FINDING_LIST_MAX; i++)
		f->packet[f->n_packets++] = r->event[e][i];
}

static void causes(struct diagnose *d)
{
	for (uint32_t i = 0; i < FINDINGS; i++) {
		const uint8_t *cause = finding_table[i]->causes;

		for (; d->found[i] && cause && *cause != FINDING_NONE; cause++)
			if (d->found[*cause]) {
				d->found[i]->caused_by = *cause;
				break;
			}
	}
	for (uint32_t i = 0; i < FINDINGS; i++)
		if (d->found[i] && d->found[i]->caused_by == FINDING_NONE &&
		        finding_table[i]->never_root) {
			free(d->found[i]);
			d->found[i] = NULL;
		}
}

static void collect(struct diagnose *d, struct diagnosis *out, uint32_t cause, uint8_t depth)
{
	for (uint32_t i = 0; i < FINDINGS; i++) {
		struct finding *f = d->found[i];

		if (!f || f->caused_by != cause)
			continue;
		f->depth = depth;
		out->finding[out->n++] = *f;
		collect(d, out, i, (uint8_t)(depth + 1));
	}
}

static void look(struct diagnose *d)
{
	d->lost = d->s.lost;
	findings_capture(d);
	findings_pause(d);
	findings_deadlock(d);
	findings_link(d);
	findings_loss(d);
	findings_ecn(d);
	findings_cnp(d);
	findings_path(d);
	findings_answer(d);
	findings_effect(d);
}

int diagnose(struct diagnosis **out, const struct trace_result *r, struct err *e)
{
	struct diagnose d = {.r = r};

	*out = calloc(1, sizeof(**out));
	d.failed = !*out || seen_fabric_init(&d.s, r);
	if (!d.failed)
		look(&d);
	if (!d.failed) {
		causes(&d);
		collect(&d, *out, FINDING_NONE, 0);
	}
	seen_fabric_fini(&d.s);
	for (uint32_t i = 0; i < FINDINGS; i++)
		free(d.found[i]);
	if (!d.failed)
		return 0;
	free(*out);
	*out = NULL;
	return err_set(e, -ENOMEM, "diagnosis: out of memory");
}

void diagnosis_free(struct diagnosis *d)
{
	free(d);
}
