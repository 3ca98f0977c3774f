/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/table.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/human.h"
#include "analysis/number.h"
#include "analysis/put.h"

#define TABLE_QUEUES  5
#define TABLE_ENTRIES 8
#define TABLE_STORMS  5

static const char *const end_name[] = {
        [RUN_WORKLOAD_DONE] = "workload done",
        [RUN_TIME_UP] = "stopped by stop.after",
        [RUN_STALLED] = "stalled: nothing can move any more",
        [RUN_OUT_OF_TIME] = "stopped at the end of virtual time",
        [RUN_DEADLOCKED] = "stopped by a deadlock",
        [RUN_INTERRUPTED] = "interrupted",
};

static const char *node_name(const struct run_result *r, uint32_t node)
{
	return r->node_name ? r->node_name[node] : "node";
}

/* "leaf0 port 3 to host3 priority 3" */
static void write_place(
        FILE *f, const struct run_result *r, uint32_t node, uint16_t port, uint8_t priority)
{
	put(f, "%s port %u", node_name(r, node), port);
	if (r->first_port && r->peer_node)
		put(f, " to %s", node_name(r, r->peer_node[r->first_port[node] + port]));
	put(f, " priority %u", priority);
}

static void write_head(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	char end[HUMAN_LEN], hops[NUMBER_LEN];

	put(f, "%s  seed %" PRIu64 "  engine %s  %" PRIu32 " hosts\n", s->scenario, s->seed,
	        s->engine, r->n_hosts);
	put(f, "%s at %s, %s packet-hops\n\n", end_name[r->rec->end],
	        human_time(end, s->t_end_ps), number_grouped(hops, s->packet_hops));
}

/* One cell; a percentile that rests on too few samples carries a mark. */
static bool write_cell(FILE *f, int64_t micro, int64_t samples, double p)
{
	char buf[HUMAN_LEN];
	bool weak = micro != STATS_NULL && p > 0 && stats_weak(samples, p);

	put(f, " %8s%c", micro == STATS_NULL ? "-" : human_micro(buf, micro), weak ? '*' : ' ');
	return weak;
}

static bool write_dist(
        FILE *f, const char *name, const struct dist *d, const struct run_result *r)
{
	char buf[NUMBER_LEN];
	bool weak = false;

	put(f, "%-10s", name);
	write_cell(f, d->min, d->samples, 0);
	write_cell(f, d->mean, d->samples, 0);
	for (uint32_t i = 0; i < r->n_percentile && i < STATS_ASKED_MAX; i++)
		weak |= write_cell(f, d->asked[i], d->samples, r->percentile[i]);
	write_cell(f, d->max, d->samples, 0);
	put(f, " %9s\n", number_grouped(buf, d->samples));
	return weak;
}

static void write_dists(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	bool weak = false;

	put(f, "%-10s %8s  %8s ", "", "min", "mean");
	for (uint32_t i = 0; i < r->n_percentile && i < STATS_ASKED_MAX; i++) {
		char buf[NUMBER_LEN], head[NUMBER_LEN + 1];

		(void)snprintf(head, sizeof(head), "p%s", number_double(buf, r->percentile[i]));
		put(f, " %8s ", head);
	}
	put(f, " %8s  %9s\n", "max", "samples");
	weak |= write_dist(f, "FCT us", &s->fct_ps, r);
	weak |= write_dist(f, "net FCT us", &s->net_fct_ps, r);
	weak |= write_dist(f, "slowdown", &s->slowdown_micro, r);
	weak |= write_dist(f, "latency us", &s->latency_ps, r);
	if (r->n_entries > 1)
		put_text("FCT us by workload entry\n", f);
	for (uint32_t i = 0; r->n_entries > 1 && i < r->n_entries && i < TABLE_ENTRIES; i++) {
		char name[11];

		(void)snprintf(
		        name, sizeof(name), "%u %s", i, r->entry[i].pattern); /* may be cut */
		weak |= write_dist(f, name, &r->entry[i].fct_ps, r);
	}
	if (r->n_entries > TABLE_ENTRIES)
		put(f, "... and %u more in entries.csv\n", r->n_entries - TABLE_ENTRIES);
	if (weak)
		put_text("* weak: fewer than 10/(1-p) samples\n", f);
	put_char('\n', f);
}

static void write_messages(FILE *f, const struct run_summary *s, const struct run_record *rec)
{
	char a[NUMBER_LEN], b[NUMBER_LEN], rate[HUMAN_LEN], fair[HUMAN_LEN];

	put(f, "messages       %s of %s completed", number_grouped(a, s->messages_completed),
	        number_grouped(b, s->messages_started));
	if (s->messages_failed)
		put(f, ", %s failed", number_grouped(a, s->messages_failed));
	if (s->messages_lost)
		put(f, ", %s lost", number_grouped(a, s->messages_lost));
	if (s->messages_recorded < s->messages_started)
		put(f,
		        "\n               %s on record, one in %" PRIu64
		        "; percentiles at most %.1f %% above the true value",
		        number_grouped(a, s->messages_recorded), rec->sample_one_in,
		        (double)s->percentile_error_nano * 1e-7);
	put(f, "\ngoodput        %s",
	        s->goodput_bps == STATS_NULL ? "-" : human_rate(rate, s->goodput_bps));
	if (s->fairness_nano != STATS_NULL)
		put(f, ", fairness (Jain) %s", human_micro(fair, s->fairness_nano / 1000));
	put_char('\n', f);
}

static void write_iterations(FILE *f, const struct run_summary *s)
{
	char a[HUMAN_LEN], b[HUMAN_LEN], n[NUMBER_LEN];

	if (s->iteration_ps.samples)
		put(f, "iterations     %s, mean %s, longest %s\n",
		        number_grouped(n, s->iteration_ps.samples),
		        human_time(a, s->iteration_ps.mean),
		        human_time(b, s->iteration_ps.max));
	if (s->busbw_gbps_micro != STATS_NULL)
		put(f, "collective     algbw %s Gbps, busbw %s Gbps\n",
		        human_micro(a, s->algbw_gbps_micro),
		        human_micro(b, s->busbw_gbps_micro));
}

static void write_control_loop(FILE *f, const struct run_summary *s)
{
	char a[NUMBER_LEN], b[NUMBER_LEN], c[NUMBER_LEN], d[NUMBER_LEN], share[HUMAN_LEN];

	put(f, "ECN            %s packets marked", number_grouped(a, s->ecn_marked));
	if (s->ecn_fraction_nano != STATS_NULL)
		put(f, " (%s %%)", human_micro(share, s->ecn_fraction_nano / 10));
	put(f, "\nCNP            %s sent, %s received; rate %s cuts, %s increases\n",
	        number_grouped(a, s->cnp_sent), number_grouped(b, s->cnp_received),
	        number_grouped(c, s->rate_cuts), number_grouped(d, s->rate_increases));
}

static void write_pfc(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	const struct pause_record *most = NULL;
	char a[NUMBER_LEN], b[NUMBER_LEN], total[HUMAN_LEN], max[HUMAN_LEN];

	put(f, "PFC            %s pause and %s resume frames",
	        number_grouped(a, s->pause_frames), number_grouped(b, s->resume_frames));
	for (uint64_t i = 0; i < r->rec->n_pause; i++)
		if (!most || r->rec->pause[i].paused_ps > most->paused_ps)
			most = &r->rec->pause[i];
	if (most) {
		put(f, "; paused %s in all, %s at ", human_time(total, s->paused_ps),
		        human_time(max, most->paused_ps));
		write_place(f, r, most->node, most->port, most->priority);
	}
	put_char('\n', f);
}

static void write_loss(FILE *f, const struct run_summary *s)
{
	char a[NUMBER_LEN], b[NUMBER_LEN], c[NUMBER_LEN], d[NUMBER_LEN];

	if (s->drops) {
		put(f, "drops          %s: %s lossless, %s lossy, %s by hosts",
		        number_grouped(a, s->drops), number_grouped(b, s->drops_lossless),
		        number_grouped(c, s->drops_lossy), number_grouped(d, s->drops_host));
		if (s->drops_watchdog)
			put(f, ", %s by watchdogs", number_grouped(a, s->drops_watchdog));
		if (s->drops_wred)
			put(f, ", %s not ECN-capable", number_grouped(a, s->drops_wred));
		if (s->drops_fault || s->drops_corrupt)
			put(f, ", %s by faults, %s damaged", number_grouped(a, s->drops_fault),
			        number_grouped(b, s->drops_corrupt));
		put_char('\n', f);
	} else {
		put_text("drops          none\n", f);
	}
	if (s->retransmitted_packets || s->naks || s->timeouts) {
		put(f, "retransmits    %s packets, %s NAKs, ",
		        number_grouped(a, s->retransmitted_packets),
		        number_grouped(b, s->naks));
		if (s->sacks)
			put(f, "%s SACKs, ", number_grouped(c, s->sacks));
		put(f, "%s timeouts\n", number_grouped(d, s->timeouts));
	}
}

static void write_violations(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	char a[NUMBER_LEN], size[HUMAN_LEN], at[HUMAN_LEN];

	if (!s->headroom_violations)
		return;
	put(f, "HEADROOM       %s violations", number_grouped(a, s->headroom_violations));
	if (r->rec->n_violation) {
		const struct headroom_violation *v = &r->rec->violation[0];

		put(f, "; the first at %s, %s missing: ", human_time(at, v->t_ps),
		        human_size(size, v->missing_bytes));
		write_place(f, r, v->node, v->port, v->priority);
	}
	put_char('\n', f);
}

/* "leaf0 port 2 to spine1 priority 3 -> ... -> leaf0 port 2" */
static void write_deadlocks(FILE *f, const struct run_result *r)
{
	char at[HUMAN_LEN];

	for (uint64_t i = 0; i < r->rec->n_deadlock; i++) {
		const struct deadlock_record *d = &r->rec->deadlock[i];

		put(f, "DEADLOCK       seen at %s, each paused queue waits for the next: ",
		        human_time(at, d->t_ps));
		for (uint32_t k = 0; k < d->n_hops; k++) {
			write_place(f, r, d->hop[k].node, d->hop[k].port, d->hop[k].priority);
			put_text(" -> ", f);
		}
		put(f, "%s port %u\n", node_name(r, d->hop[0].node), d->hop[0].port);
	}
}

static void write_faults(FILE *f, const struct run_result *r)
{
	for (uint64_t i = 0; i < r->rec->n_fault && r->fault_name; i++) {
		const struct fault_record *t = &r->rec->fault[i];
		char n[NUMBER_LEN], from[HUMAN_LEN], to[HUMAN_LEN];

		put(f, "faults[%u] %s: ", t->fault, r->fault_name[t->fault]);
		if (t->packets)
			put(f, "%s frames from %s to %s\n", number_grouped(n, t->packets),
			        human_time(from, t->first_ps), human_time(to, t->last_ps));
		else
			put_text("did nothing, because no frame met it\n", f);
	}
}

/* When the storm that begins with event i was over; TIME_NEVER: not in what is on record. */
static int64_t restored_ps(const struct run_record *rec, uint64_t i)
{
	const struct watchdog_event *storm = &rec->watchdog[i];

	for (uint64_t k = i + 1; k < rec->n_watchdog; k++) {
		const struct watchdog_event *w = &rec->watchdog[k];

		if (w->kind == WATCHDOG_RESTORED && w->node == storm->node &&
		        w->port == storm->port && w->priority == storm->priority)
			return w->t_ps;
	}
	return TIME_NEVER;
}

static void write_watchdog(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	const struct run_record *rec = r->rec;
	char a[NUMBER_LEN], b[NUMBER_LEN], at[HUMAN_LEN], lasted[HUMAN_LEN];
	uint32_t shown = 0;

	if (!s->watchdog_storms)
		return;
	put(f, "watchdog       %s storms, %s of them over\n",
	        number_grouped(a, s->watchdog_storms), number_grouped(b, s->watchdog_restores));
	for (uint64_t i = 0; i < rec->n_watchdog && shown < TABLE_STORMS; i++) {
		const struct watchdog_event *w = &rec->watchdog[i];
		const int64_t end_ps = restored_ps(rec, i);

		if (w->kind != WATCHDOG_STORM)
			continue;
		shown++;
		put_text("               ", f);
		write_place(f, r, w->node, w->port, w->priority);
		put(f, " from %s", human_time(at, w->t_ps));
		if (end_ps == TIME_NEVER)
			put_text(", not over\n", f);
		else
			put(f, ", restored after %s\n", human_time(lasted, end_ps - w->t_ps));
	}
	if (s->watchdog_storms > shown)
		put(f, "               ... and %s more\n",
		        number_grouped(a, s->watchdog_storms - shown));
}

static void write_queues(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	char size[HUMAN_LEN], shared[HUMAN_LEN], headroom[HUMAN_LEN];

	for (uint64_t i = 0; i < r->rec->n_queue && i < TABLE_QUEUES; i++) {
		const struct queue_record *q = &r->rec->queue[i];

		if (q->max_bytes * 100 < r->rec->queue[0].max_bytes)
			break; /* a few ACKs beside a congested port */
		put(f, "%-14s %-10s ", i ? "" : "deepest queues",
		        human_size(size, q->max_bytes));
		write_place(f, r, q->node, q->port, q->priority);
		put_char('\n', f);
	}
	put(f, "buffer         at most %s shared, %s headroom\n",
	        human_size(shared, s->max_shared_bytes),
	        human_size(headroom, s->max_headroom_bytes));
}

static void write_expectations(FILE *f, const struct run_result *r)
{
	char buf[NUMBER_LEN];

	if (r->n_expect)
		put_text("\nexpectations\n", f);
	for (uint32_t i = 0; i < r->n_expect; i++) {
		const struct run_expect *x = &r->expect[i];

		put(f, "  %s  %-40s %s\n",
		        !run_judged(r) ? "not judged"
		        : x->holds     ? "holds"
		                       : "FAILS",
		        x->text,
		        x->has_value ? number_double(buf, x->value) : "null in this run");
	}
}

static void write_taints(FILE *f, const struct run_result *r)
{
	if (!r->n_tainted)
		return;
	put_text("\ntainted: ", f);
	for (uint32_t i = 0; i < r->n_tainted; i++)
		put(f, "%s%s", i ? ", " : "", r->tainted[i]);
	put_char('\n', f);
}

void table_write(FILE *f, const struct run_summary *s, const struct run_result *r)
{
	write_head(f, s, r);
	write_dists(f, s, r);
	write_messages(f, s, r->rec);
	write_iterations(f, s);
	write_control_loop(f, s);
	write_pfc(f, s, r);
	write_loss(f, s);
	write_violations(f, s, r);
	write_deadlocks(f, r);
	write_watchdog(f, s, r);
	write_faults(f, r);
	write_queues(f, s, r);
	write_expectations(f, r);
	write_taints(f, r);
}
