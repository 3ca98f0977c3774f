/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of a run: every value of summary.json and run.json as an integer in the unit and
 * scale that its row in summary_keys.c gives, or STATS_NULL. Computed once from a run_result;
 * the JSON files, expectations and the terminal table read it. Borrows texts from the result.
 */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdint.h>

#include "analysis/run_result.h"
#include "analysis/stats.h"
#include "dataplane/base/err.h"

#define SUMMARY_FORMAT "squall.run/1"

struct run_summary {
	const char *format, *engine, *scenario;
	uint64_t seed;
	int64_t t_end_ps, packet_hops;
	int64_t messages_started, messages_completed, messages_failed;
	int64_t messages_recorded, percentile_error_nano;
	int64_t goodput_bps, fairness_nano;
	int64_t algbw_gbps_micro, busbw_gbps_micro;
	struct dist iteration_ps;
	struct dist fct_ps, net_fct_ps, slowdown_micro, latency_ps;
	int64_t queue_max_bytes, queue_p99_bytes;
	int64_t max_shared_bytes, max_headroom_bytes;
	int64_t ecn_marked, ecn_fraction_nano;
	int64_t cnp_sent, cnp_received;
	int64_t rate_cuts, rate_increases;
	int64_t pause_frames, resume_frames, paused_ps, max_paused_ps;
	int64_t drops, drops_lossless, drops_lossy, drops_host, drops_fault, drops_corrupt;
	int64_t drops_watchdog, drops_wred;
	int64_t watchdog_storms, watchdog_restores;
	int64_t headroom_violations;
	int64_t faults, faults_idle;
	int64_t deadlocks, deadlock_first_ps;
	int64_t retransmitted_packets, naks, timeouts, sacks, rnr_naks, messages_lost;
	int64_t n_tainted;
	/* run.json */
	int64_t wall_us, cpu_us, rss_bytes, events, threads, ranks;
	const char *version, *machine, *started;
};

/* -ENOMEM only. */
NODISCARD int summary_init(struct run_summary *s, const struct run_result *r, struct err *e);

/* The figures that exist only after the results are written: cpu, wall, memory. */
void summary_set_costs(struct run_summary *s, const struct run_result *r);

/* The reasons that the record itself gives, appended to r->tainted. */
void summary_taint(struct run_result *r);

/* FCT over the same message alone, in millionths; STATS_NULL unless completed. */
int64_t summary_slowdown_micro(const struct msg_record *m);

#endif
