/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/collective.h"
#include "analysis/fairness.h"
#include "dataplane/base/msg_stats.h"

int64_t summary_slowdown_micro(const struct msg_record *m)
{
	int64_t micro = msg_slowdown_micro(m);

	return micro < 0 ? STATS_NULL : micro;
}

static int64_t fct_ps(const struct msg_record *m)
{
	return m->status == MSG_COMPLETED ? m->done_ps - m->post_ps : STATS_NULL;
}

static int64_t net_fct_ps(const struct msg_record *m)
{
	return m->status == MSG_COMPLETED && m->first_ps != TIME_NEVER
	               ? m->done_ps - m->first_ps
	               : STATS_NULL;
}

static void dist_of(struct dist *d, const struct run_result *r, int64_t *scratch,
        int64_t (*sample)(const struct msg_record *m))
{
	const struct run_record *rec = r->rec;
	uint64_t n = 0;

	for (uint64_t i = 0; i < rec->n_msg; i++) {
		int64_t v = sample(&rec->msg[i]);

		if (v != STATS_NULL)
			scratch[n++] = v;
	}
	dist_from_samples(d, scratch, n, r->percentile, r->n_percentile);
}

/* Where messages.csv holds a sample: of all messages, not of that. */
static void dists_of_all(struct run_summary *s, const struct run_result *r)
{
	const struct msg_stats *all = r->rec->all;

	dist_from_hist(&s->fct_ps, &all->fct_ps, r->percentile, r->n_percentile);
	dist_from_hist(&s->net_fct_ps, &all->net_fct_ps, r->percentile, r->n_percentile);
	dist_from_hist(
	        &s->slowdown_micro, &all->slowdown_micro, r->percentile, r->n_percentile);
}

/* Payload of completed messages over the time from the first of their posts to the last of
 * their completions: idle gaps of the workload count, unfinished messages do not. */
static int64_t goodput_bps(const struct run_record *rec)
{
	int64_t first_ps = TIME_NEVER, last_ps = 0;
	__int128 bytes = 0;

	if (rec->all) {
		first_ps = rec->all->first_post_ps;
		last_ps = rec->all->last_done_ps;
		bytes = rec->all->bytes;
	}
	for (uint64_t i = 0; !rec->all && i < rec->n_msg; i++) {
		const struct msg_record *m = &rec->msg[i];

		if (m->status != MSG_COMPLETED)
			continue;
		bytes += m->bytes;
		if (m->post_ps < first_ps)
			first_ps = m->post_ps;
		if (m->done_ps > last_ps)
			last_ps = m->done_ps;
	}
	/* what was sent unacknowledged and did not arrive whole */
	bytes -= rec->n.unacknowledged_sent_bytes - rec->n.unacknowledged_arrived_bytes;
	if (first_ps == TIME_NEVER || last_ps <= first_ps)
		return STATS_NULL;
	return (int64_t)(bytes * 8 * PS_PER_S / (last_ps - first_ps));
}

static void messages(struct run_summary *s, const struct run_record *rec)
{
	s->messages_started = (int64_t)rec->n_msg;
	s->messages_completed = 0;
	s->messages_failed = 0;
	s->messages_recorded = (int64_t)rec->n_msg;
	s->percentile_error_nano = 0;
	if (rec->all) {
		s->messages_completed = (int64_t)rec->all->completed;
		s->messages_failed = (int64_t)rec->all->failed;
		s->messages_started = (int64_t)rec->all->unfinished + s->messages_completed +
		                      s->messages_failed;
		s->percentile_error_nano = llround(HIST_MAX_RELATIVE_ERROR * 1e9);
		return;
	}
	for (uint64_t i = 0; i < rec->n_msg; i++) {
		s->messages_completed += rec->msg[i].status == MSG_COMPLETED;
		s->messages_failed += rec->msg[i].status == MSG_FAILED;
	}
}

static void counters(struct run_summary *s, const struct run_record *rec)
{
	const struct run_counters *n = &rec->n;

	s->ecn_marked = n->ecn_marked_packets;
	/* A marked packet stays marked, so each counts once however many switches it crosses.
	 */
	s->ecn_fraction_nano = n->ecn_eligible_packets
	                               ? llround((double)n->ecn_marked_packets /
	                                         (double)n->ecn_eligible_packets * 1e9)
	                               : STATS_NULL;
	s->cnp_sent = n->cnp_sent;
	s->cnp_received = n->cnp_received;
	s->rate_cuts = n->rate_cuts;
	s->rate_increases = n->rate_increases;
	s->pause_frames = n->pause_frames;
	s->resume_frames = n->resume_frames;
	s->drops_lossless = n->drops_lossless;
	s->drops_lossy = n->drops_lossy;
	s->drops_host = n->drops_host;
	s->drops_fault = n->drops_fault;
	s->drops_corrupt = n->drops_corrupt;
	s->drops_watchdog = n->drops_watchdog;
	s->drops_wred = n->drops_wred;
	s->drops = n->drops_lossless + n->drops_lossy + n->drops_host + n->drops_fault +
	           n->drops_corrupt + n->drops_watchdog + n->drops_wred;
	s->watchdog_storms = n->watchdog_storms;
	s->watchdog_restores = n->watchdog_restores;
	s->headroom_violations = n->headroom_violations;
	s->deadlocks = (int64_t)rec->n_deadlock;
	s->deadlock_first_ps = rec->n_deadlock ? rec->deadlock[0].t_ps : STATS_NULL;
	s->faults = (int64_t)rec->n_fault;
	for (uint64_t i = 0; i < rec->n_fault; i++)
		s->faults_idle += !rec->fault[i].packets;
	s->retransmitted_packets = n->retransmitted_packets;
	s->naks = n->naks;
	s->timeouts = n->timeouts;
	s->sacks = n->sacks;
	s->rnr_naks = n->rnr_naks;
	s->messages_lost = n->unacknowledged_sent - n->unacknowledged_arrived;
	s->paused_ps = 0;
	s->max_paused_ps = 0;
	for (uint64_t i = 0; i < rec->n_pause; i++) {
		s->paused_ps += rec->pause[i].paused_ps;
		if (rec->pause[i].paused_ps > s->max_paused_ps)
			s->max_paused_ps = rec->pause[i].paused_ps;
	}
}

static void queues(struct run_summary *s, const struct run_record *rec)
{
	s->queue_max_bytes = rec->max_queue_bytes;
	s->queue_p99_bytes =
	        rec->queue_bytes.count ? hist_percentile(&rec->queue_bytes, 99) : STATS_NULL;
	s->max_shared_bytes = rec->max_shared_bytes;
	s->max_headroom_bytes = rec->max_headroom_bytes;
}

static void iterations(struct run_summary *s, const struct run_result *r, int64_t *scratch)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < r->rec->n_iteration; i++) {
		const struct iteration_record *it = &r->rec->iteration[i];

		if (it->part == 0 && it->end_ps != TIME_NEVER)
			scratch[n++] = it->end_ps - it->start_ps;
	}
	dist_from_samples(&s->iteration_ps, scratch, n, r->percentile, r->n_percentile);
}

void summary_set_costs(struct run_summary *s, const struct run_result *r)
{
	s->wall_us = llround(r->wall_s * 1e6);
	s->cpu_us = llround(r->cpu_s * 1e6);
	s->rss_bytes = r->rss_bytes;
}

int summary_init(struct run_summary *s, const struct run_result *r, struct err *e)
{
	const struct run_record *rec = r->rec;
	uint64_t room = rec->n_msg > rec->n_iteration ? rec->n_msg : rec->n_iteration;
	int64_t *scratch = malloc((room + 1) * sizeof(*scratch));
	int code;

	memset(s, 0, sizeof(*s));
	if (!scratch)
		return err_set(e, -ENOMEM, "results: out of memory for %llu messages",
		        (unsigned long long)rec->n_msg);
	s->format = SUMMARY_FORMAT;
	s->engine = r->engine;
	s->scenario = r->scenario;
	s->seed = r->seed;
	s->t_end_ps = rec->t_end_ps;
	s->packet_hops = rec->n.packet_hops;
	s->events = rec->n.events;
	s->threads = rec->threads;
	s->ranks = rec->ranks ? rec->ranks : 1;
	s->n_tainted = r->n_tainted;
	collective_slowest(&s->algbw_gbps_micro, &s->busbw_gbps_micro, r);
	iterations(s, r, scratch);
	s->version = r->version;
	s->machine = r->machine;
	s->started = r->started;
	summary_set_costs(s, r);
	messages(s, rec);
	counters(s, rec);
	queues(s, rec);
	s->goodput_bps = goodput_bps(rec);
	if (rec->all) {
		dists_of_all(s, r);
	} else {
		dist_of(&s->fct_ps, r, scratch, fct_ps);
		dist_of(&s->net_fct_ps, r, scratch, net_fct_ps);
		dist_of(&s->slowdown_micro, r, scratch, summary_slowdown_micro);
	}
	dist_from_hist(&s->latency_ps, &rec->latency_ps, r->percentile, r->n_percentile);
	free(scratch);
	code = fairness_jain_nano(&s->fairness_nano, rec);
	return code ? err_set(e, code, "results: out of memory for the fairness index") : 0;
}

static void taint(struct run_result *r, const char *reason)
{
	if (r->n_tainted < sizeof(r->tainted) / sizeof(r->tainted[0]))
		r->tainted[r->n_tainted++] = reason;
}

void summary_taint(struct run_result *r)
{
	const struct run_record *rec = r->rec;
	bool unfinished = rec->all && rec->all->unfinished;
	bool failed = rec->all && rec->all->failed;

	for (uint64_t i = 0; i < rec->n_msg; i++) {
		unfinished |= rec->msg[i].status == MSG_UNFINISHED;
		failed |= rec->msg[i].status == MSG_FAILED;
	}
	if (rec->end == RUN_INTERRUPTED)
		taint(r, "interrupted");
	if (rec->end == RUN_STALLED)
		taint(r, "stalled");
	if (rec->n_deadlock)
		taint(r, "deadlock");
	if (rec->end == RUN_OUT_OF_TIME)
		taint(r, "virtual time ran out");
	if (rec->end != RUN_INTERRUPTED && rec->end != RUN_STALLED && unfinished)
		taint(r, "unfinished messages");
	if (failed)
		taint(r, "failed messages");
	if (rec->n.headroom_violations)
		taint(r, "headroom violations");
	/* each message on its way has a packet on its way */
	if (rec->n.unacknowledged_sent - rec->n.unacknowledged_arrived > rec->data_packets_left)
		taint(r, "lost messages");
	if (rec->n.drops_lossless + rec->n.lossless_lost)
		taint(r, "lost packets of a lossless priority");
}
