/* SPDX-License-Identifier: Apache-2.0 */
/* What happened once: watchdogs, deadlocks, lost lossless packets, faults; and iterations. */
#include "analysis/collective.h"
#include "analysis/json_text.h"
#include "analysis/put.h"
#include "analysis/report_int.h"
#include "analysis/stats.h"

static void name_of(
        FILE *f, const struct run_result *r, uint32_t node, uint32_t port, bool peer)
{
	json_text(f, !r->net ? ""
	             : peer  ? net_peer_name(r->net, node, port)
	                     : r->net->node[node].name);
}

static void place(
        FILE *f, const struct run_result *r, uint32_t node, uint32_t port, uint32_t priority)
{
	name_of(f, r, node, port, false);
	put_char(',', f);
	name_of(f, r, node, port, true);
	put(f, ",%u", priority);
}

static void write_watchdogs(FILE *f, const struct run_result *r)
{
	put_text("\"watchdog\":[", f);
	for (uint64_t i = 0; i < r->rec->n_watchdog && i < REPORT_EVENTS; i++) {
		const struct watchdog_event *w = &r->rec->watchdog[i];

		put_text(i ? ",[" : "[", f);
		report_number(f, w->t_ps, 6);
		put_char(',', f);
		place(f, r, w->node, w->port, w->priority);
		put(f, ",%d,", w->kind);
		report_number(
		        f, w->kind == WATCHDOG_STORM ? w->paused_since_ps : STATS_NULL, 6);
		put(f, ",%lld]", (long long)w->dropped_packets);
	}
	put_text("],\n", f);
}

static void write_deadlocks(FILE *f, const struct run_result *r)
{
	put_text("\"deadlock\":[", f);
	for (uint64_t i = 0; i < r->rec->n_deadlock && i < REPORT_EVENTS; i++) {
		const struct deadlock_record *d = &r->rec->deadlock[i];

		put_text(i ? ",[" : "[", f);
		report_number(f, d->t_ps, 6);
		for (uint32_t k = 0; k < d->n_hops && k < DEADLOCK_MAX_HOPS; k++) {
			put_text(",[", f);
			place(f, r, d->hop[k].node, d->hop[k].port, d->hop[k].priority);
			put_char(']', f);
		}
		put_char(']', f);
	}
	put_text("],\n", f);
}

static void write_violations(FILE *f, const struct run_result *r)
{
	put_text("\"violation\":[", f);
	for (uint64_t i = 0; i < r->rec->n_violation && i < REPORT_EVENTS; i++) {
		const struct headroom_violation *v = &r->rec->violation[i];

		put_text(i ? ",[" : "[", f);
		report_number(f, v->t_ps, 6);
		put_char(',', f);
		place(f, r, v->node, v->port, v->priority);
		put(f, ",%lld]", (long long)v->missing_bytes);
	}
	put_text("],\n", f);
}

static void write_faults(FILE *f, const struct run_result *r)
{
	put_text("\"fault\":[", f);
	for (uint64_t i = 0; i < r->rec->n_fault && i < REPORT_EVENTS; i++) {
		const struct fault_record *x = &r->rec->fault[i];

		put(f, "%s[%u,", i ? "," : "", x->fault);
		report_number(f, x->first_ps == TIME_NEVER ? STATS_NULL : x->first_ps, 6);
		put_char(',', f);
		report_number(f, x->last_ps == TIME_NEVER ? STATS_NULL : x->last_ps, 6);
		put(f, ",%lld,", (long long)x->packets);
		json_text(f, r->fault_name ? r->fault_name[x->fault] : "");
		put_char(']', f);
	}
	put_text("],\n", f);
}

void report_events(FILE *f, const struct run_result *r)
{
	write_watchdogs(f, r);
	write_deadlocks(f, r);
	write_violations(f, r);
	write_faults(f, r);
}

static const struct run_collective *find(
        const struct run_result *r, const struct iteration_record *it)
{
	for (uint32_t i = 0; i < r->n_collective; i++)
		if (r->collective[i].entry == it->entry && r->collective[i].part == it->part)
			return &r->collective[i];
	return NULL;
}

static void write_iteration(
        FILE *f, const struct run_result *r, const struct iteration_record *it)
{
	const struct run_collective *c = find(r, it);
	const bool ended = it->end_ps != TIME_NEVER;
	const int64_t time_ps = ended ? it->end_ps - it->start_ps : STATS_NULL;

	put(f, "[%u,%u,%u,", it->entry, it->part, it->iteration);
	json_text(f, c ? c->name : "iteration");
	put_char(',', f);
	report_number(f, it->start_ps, 6);
	put_char(',', f);
	report_number(f, time_ps, 6);
	put_char(',', f);
	report_number(
	        f, c && ended ? collective_algbw_micro(c->bytes, time_ps) : STATS_NULL, 6);
	put_char(',', f);
	report_number(
	        f, c && ended ? collective_busbw_micro(c, c->bytes, time_ps) : STATS_NULL, 6);
	put_char(',', f);
	if (ended && r->node_name)
		json_text(f, r->node_name[it->slowest_host]);
	else
		put_text("null", f);
	put_char(',', f);
	report_number(f, c ? c->bytes : STATS_NULL, 0);
	put_char(']', f);
}

void report_iterations(FILE *f, const struct run_result *r)
{
	put(f, "\"iterations\":{\"all\":%llu,\"rows\":[",
	        (unsigned long long)r->rec->n_iteration);
	for (uint64_t i = 0; i < r->rec->n_iteration && i < REPORT_ITERATIONS; i++) {
		put_text(i ? ",\n" : "", f);
		write_iteration(f, r, &r->rec->iteration[i]);
	}
	put_text("]}", f);
}
