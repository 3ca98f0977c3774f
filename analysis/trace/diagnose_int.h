/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of findings share: the result, the network that it shows, what was found so
 * far. Each file looks for one family of faults. */
#ifndef DIAGNOSE_INT_H
#define DIAGNOSE_INT_H

#include "analysis/trace/diagnose.h"
#include "analysis/trace/seen_fabric.h"

struct diagnose {
	const struct trace_result *r;
	struct seen_fabric s;
	struct finding *found[FINDINGS]; /* NULL: not found */
	bool failed;                     /* no memory */
	struct finding nowhere;          /* without memory; not read */

	/* What several families ask. */
	uint64_t lost;         /* transmissions of data that did not reach the next interface */
	uint64_t lost_inside;  /* of these, inside a device */
	bool host_pauses;      /* a host asks for pauses: findings_pause.c */
	uint64_t fabric_xoffs; /* XOFF that no host is known to be behind */
	int64_t fabric_paused_ns; /* of these */
};

/* Adds it, or what is there already: figures and lists are added to. Never NULL but without
 * memory, in which case d->failed. */
struct finding *finding_add(struct diagnose *d, enum finding_id id, const char *fmt, ...)
        PRINTF_LIKE(3, 4);
void finding_more(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
void finding_figure(struct finding *f, const char *name, int64_t value);
void finding_interface(struct finding *f, uint32_t interface);
void finding_flow(struct finding *f, uint32_t flow);
void finding_packets(struct finding *f, const struct trace_result *r, enum trace_event e);

/* Names for people: of an interface, a flow, a host. */
#define NAME_LEN 160
const char *name_interface(char buf[NAME_LEN], const struct trace_result *r, uint32_t i);
const char *name_flow(char buf[NAME_LEN], const struct trace_result *r, uint32_t i);
const char *name_host(char buf[NAME_LEN], const struct trace_result *r, uint32_t i);
const char *name_pauser(char buf[NAME_LEN], const struct diagnose *d, uint32_t pauser);

/* The priority that a flow's data have. */
static inline uint32_t flow_priority(const struct trace_flow *f)
{
	return f->pcp < TRACE_PRIORITIES ? f->pcp : f->dscp >> 3 & 7;
}
static inline bool flow_has_data(const struct trace_flow *f)
{
	return f->counts.data_packets > 0;
}
static inline bool trace_found(const struct diagnose *d, enum finding_id id)
{
	return d->found[id] != NULL;
}

/* Receivers see gaps and say so, and next to nothing is lost on the whole way. */
static inline bool naks_without_loss(const struct diagnose *d)
{
	const struct trace_counts *c = &d->r->roce;

	return d->s.whole && c->missing_psns && c->nak[TRACE_NAK_SEQUENCE] >= 10 &&
	       d->lost * 10 <= c->nak[TRACE_NAK_SEQUENCE];
}

/* In this order: later ones see what earlier ones found. */
void findings_capture(struct diagnose *d);
void findings_pause(struct diagnose *d);
void findings_deadlock(struct diagnose *d);
void findings_link(struct diagnose *d);
void findings_loss(struct diagnose *d);
void findings_ecn(struct diagnose *d);
void findings_cnp(struct diagnose *d);
void findings_path(struct diagnose *d);
void findings_answer(struct diagnose *d);
void findings_effect(struct diagnose *d);

#endif
