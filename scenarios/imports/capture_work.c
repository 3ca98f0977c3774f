/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/capture_work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/tap_frames.h"

static int no_memory(const char *name, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: no memory for its messages", name);
}

void capture_work_fini(struct capture_work *w)
{
	free(w->message);
	free(w->pair);
	free(w->rate_bps);
	*w = (struct capture_work){0};
}

/* The host of an address that the simulator gives; TRACE_NONE: none of those. */
static uint32_t simulated_host(const struct trace_addr *a)
{
	const uint8_t version = a->kind == TRACE_ADDR_IPV6 ? 6 : 4;
	const uint32_t at = version == 6 ? 14 : 2;
	const uint32_t host = (uint32_t)a->ip[at] << 8 | a->ip[at + 1];
	uint8_t ip[16];

	if (a->kind == TRACE_ADDR_LID)
		return TRACE_NONE;
	tap_host_ip(ip, version, host);
	return memcmp(ip, a->ip, version == 6 ? 16 : 4) ? TRACE_NONE : host;
}

static bool is_virtual(const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		if (r->interface[i].frames &&
		        r->interface[i].capture.clock.kind != CLOCK_VIRTUAL)
			return false;
	for (uint32_t i = 0; i < r->n_hosts; i++)
		if (simulated_host(&r->host[i].addr) == TRACE_NONE)
			return false;
	return r->first_ns >= CLOCK_VIRTUAL_EPOCH_NS;
}

static int by_address(const void *a, const void *b, void *hosts)
{
	const struct trace_host *h = hosts;
	const struct trace_addr *x = &h[*(const uint32_t *)a].addr,
	                        *y = &h[*(const uint32_t *)b].addr;

	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return memcmp(x->ip, y->ip, sizeof(x->ip));
}

/* number[i]: of the trace's host i. In order of address, unless the simulator gave them. */
static int number_hosts(struct capture_work *w, const struct trace_result *r, uint32_t **number,
        const char *name, struct err *e)
{
	uint32_t *order = malloc(((size_t)r->n_hosts + 1) * sizeof(*order));

	*number = malloc(((size_t)r->n_hosts + 1) * sizeof(**number));
	if (!order || !*number) {
		free(order);
		return no_memory(name, e);
	}
	for (uint32_t i = 0; i < r->n_hosts; i++)
		order[i] = i;
	qsort_r(order, r->n_hosts, sizeof(*order), by_address, r->host);
	for (uint32_t i = 0; i < r->n_hosts; i++) {
		const uint32_t host =
		        w->virtual_time ? simulated_host(&r->host[order[i]].addr) : i;

		(*number)[order[i]] = host;
		if (host >= w->n_hosts)
			w->n_hosts = host + 1;
	}
	free(order);
	if (w->n_hosts <= LOAD_MAX_HOSTS)
		return 0;
	return err_set(e, -EINVAL, "%s: %u hosts in it, a scenario has at most %d", name,
	        w->n_hosts, LOAD_MAX_HOSTS);
}

static enum load_transport transport_of(const struct trace_flow *f)
{
	return f->transport == TRACE_UC   ? TRANSPORT_UC
	       : f->transport == TRACE_UD ? TRANSPORT_UD
	                                  : TRANSPORT_RC;
}

static int64_t since(int64_t t_ns, int64_t origin_ns)
{
	return t_ns == TRACE_UNKNOWN ? TRACE_UNKNOWN : t_ns - origin_ns;
}

/* Times of messages must fit a run; then they fit all arithmetic here. */
static int find_origin(int64_t *origin_ns, const struct capture_work *w,
        const struct trace_result *r, const char *name, struct err *e)
{
	const int64_t longest_ns = LOAD_MAX_TIME_PS / PS_PER_NS;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (uint32_t i = 0; i < r->n_messages; i++) {
		const struct trace_message *m = &r->message[i];

		first = m->first_ns < first ? m->first_ns : first;
		last = m->first_ns > last ? m->first_ns : last;
		last = m->last_ns > last ? m->last_ns : last;
		last = m->acked_ns > last ? m->acked_ns : last;
		last = m->arrived_ns > last ? m->arrived_ns : last;
	}
	if (w->virtual_time && last - CLOCK_VIRTUAL_EPOCH_NS < longest_ns)
		first = CLOCK_VIRTUAL_EPOCH_NS;
	*origin_ns = first;
	if ((__int128)last - first < longest_ns)
		return 0;
	return err_set(e, -EINVAL,
	        "%s: messages in it are %.0f days apart, a run has at most 53: are its clocks "
	        "right? (editcap -A and -B cut a capture)",
	        name, (double)((__int128)last - first) / 86400e9);
}

static void take(struct capture_work *w, const struct trace_result *r, const uint32_t *number,
        int64_t origin_ns, const struct trace_message *m)
{
	const struct trace_flow *f = &r->flow[m->flow];
	const uint32_t packets = ((m->last_psn - m->first_psn) & 0xffffff) + 1;

	w->reads += m->verb == TRACE_READ;
	w->empty += !m->bytes;
	w->unended += !m->complete;
	if (w->rate_bps && m->interface < r->n_interfaces)
		w->rate_bps[number[f->src_host]] = r->interface[m->interface].speed_bps;
	w->message[w->n_messages++] = (struct capture_message){
	        .first_ns = since(m->first_ns, origin_ns),
	        .last_ns = since(m->last_ns, origin_ns),
	        .arrived_ns = since(m->arrived_ns, origin_ns),
	        .acked_ns = since(m->acked_ns, origin_ns),
	        .number = m->number,
	        .bytes = m->bytes ? m->bytes : 1,
	        .flow = m->flow,
	        .src = number[f->src_host],
	        .dst = number[f->dst_host],
	        .packets = packets,
	        .transport = (uint8_t)transport_of(f),
	        .port = m->sport,
	};
}

static int by_pair(const void *a, const void *b)
{
	const struct capture_message *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* A connection that has another source port than before was made anew. */
static int find_pairs(struct capture_work *w, const char *name, struct err *e)
{
	qsort(w->message, w->n_messages, sizeof(*w->message), by_pair);
	w->pair = malloc(((size_t)w->n_messages + 1) * sizeof(*w->pair));
	if (!w->pair)
		return no_memory(name, e);
	for (uint32_t i = 0; i < w->n_messages; i++) {
		struct capture_message *m = &w->message[i];
		struct capture_pair *p = w->n_pairs ? &w->pair[w->n_pairs - 1] : NULL;
		const bool same_flow = i && m[-1].flow == m->flow;

		if (!same_flow || m[-1].port != m->port) {
			w->reconnected += same_flow;
			w->pair[w->n_pairs] = (struct capture_pair){.src = m->src,
			        .dst = m->dst,
			        .flow = m->flow,
			        .first = i,
			        .qp = p && p->src == m->src ? p->qp + 1 : 0};
			p = &w->pair[w->n_pairs++];
		}
		m->pair = w->n_pairs - 1;
		p->n++;
	}
	return 0;
}

static int check(const struct trace_result *r, const char *name, struct err *e)
{
	if (!r->all_messages)
		return err_set(e, -EINVAL, "%s: no RDMA message in it, only %" PRIu64 " frames",
		        name, r->frames);
	if (r->all_messages > r->n_messages || r->n_messages > CAPTURE_MAX_MESSAGES)
		return err_set(e, -EINVAL,
		        "%s: %" PRIu64 " messages in it, an import holds at most %u: cut the "
		        "capture (editcap -A and -B), or leave hosts out",
		        name, r->all_messages, CAPTURE_MAX_MESSAGES);
	return 0;
}

int capture_work_init(struct capture_work *w, const struct trace_result *r, const char *name,
        int8_t (*priority)(const void *arg, const struct trace_flow *f), const void *arg,
        struct err *e)
{
	uint32_t *number = NULL;
	int64_t origin_ns;
	int rc;

	*w = (struct capture_work){.virtual_time = is_virtual(r)};
	rc = check(r, name, e);
	if (!rc)
		rc = number_hosts(w, r, &number, name, e);
	if (!rc)
		rc = find_origin(&origin_ns, w, r, name, e);
	if (!rc) {
		w->message = malloc(((size_t)r->n_messages + 1) * sizeof(*w->message));
		w->rate_bps = calloc(w->n_hosts, sizeof(*w->rate_bps));
		if (!w->message || !w->rate_bps)
			rc = no_memory(name, e);
	}
	if (!rc)
		w->end_ns = r->last_ns > origin_ns ? r->last_ns - origin_ns : 1;
	for (uint32_t i = 0; i < r->n_messages && !rc; i++) {
		take(w, r, number, origin_ns, &r->message[i]);
		w->message[i].priority = priority(arg, &r->flow[r->message[i].flow]);
	}
	if (!rc)
		rc = find_pairs(w, name, e);
	free(number);
	if (rc)
		capture_work_fini(w);
	return rc;
}

static int by_time(const void *a, const void *b, void *work)
{
	const struct capture_work *w = work;
	const struct capture_message *x = &w->message[*(const uint32_t *)a],
	                             *y = &w->message[*(const uint32_t *)b];

	if (x->turn_ns != y->turn_ns)
		return x->turn_ns < y->turn_ns ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x > y) - (x < y);
}

static void write_after(FILE *f, const struct capture_work *w, const struct capture_message *m)
{
	for (uint32_t k = 0; k < m->n_after; k++) {
		const struct capture_message *on = &w->message[m->after[k]];
		const struct capture_pair *p = &w->pair[on->pair];

		fprintf(f, "%s%" PRIu32 ".%" PRIu32 ".%" PRIu32, k ? "+" : "", p->src, p->qp,
		        m->after[k] - p->first);
	}
}

void capture_work_write(FILE *f, const struct capture_work *w, enum load_transport transport)
{
	uint32_t *order = malloc(((size_t)w->n_messages + 1) * sizeof(*order)), n = 0;
	char start[48];

	fputs("src,dst,bytes,start,qp,port,priority,after\n", f);
	for (uint32_t i = 0; order && i < w->n_messages; i++)
		if (w->message[i].transport == transport)
			order[n++] = i;
	if (order)
		qsort_r(order, n, sizeof(*order), by_time, (void *)(uintptr_t)w);
	for (uint32_t i = 0; i < n; i++) {
		const struct capture_message *m = &w->message[order[i]];

		fprintf(f, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%s,%" PRIu32 ",%u,", m->src,
		        m->dst, m->bytes,
		        unit_format(start, sizeof(start), UNIT_TIME, m->start_ps),
		        w->pair[m->pair].qp, m->port);
		if (m->priority >= 0)
			fprintf(f, "%d", m->priority);
		fputc(',', f);
		write_after(f, w, m);
		fputc('\n', f);
	}
	free(order);
}
