/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/record_sample.h"

#include <stdlib.h>

#include "dataplane/base/check.h"

#define SAMPLE_COMPLETED 100

static const char *const names[] = {"host0", "host1", "host2", "host3", "sw0"};
static const uint32_t first_port[] = {0, 1, 2, 3, 4}, peer[] = {4, 4, 4, 4, 0, 1, 2, 3};
static const double percentiles[] = {50, 99};

static void *zeroed(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	CHECK(p);
	return p;
}

static void fill_messages(struct run_record *r)
{
	r->n_msg = SAMPLE_COMPLETED + 2;
	r->msg = zeroed(r->n_msg, sizeof(*r->msg));
	for (uint32_t i = 0; i < r->n_msg; i++) {
		int64_t k = i + 1;

		r->msg[i] = (struct msg_record){
		        .post_ps = k * PS_PER_US,
		        .first_ps = k * PS_PER_US + PS_PER_US / 2,
		        .done_ps = k * PS_PER_US + k * 10 * PS_PER_US,
		        .alone_ps = 10 * PS_PER_US,
		        .bytes = 1000000,
		        .src = 1 + (uint32_t)k % 3,
		        .seq = i,
		        .priority = 3,
		};
	}
	r->msg[SAMPLE_COMPLETED].status = MSG_FAILED;
	r->msg[SAMPLE_COMPLETED].done_ps = TIME_NEVER;
	r->msg[SAMPLE_COMPLETED + 1].status = MSG_UNFINISHED;
	r->msg[SAMPLE_COMPLETED + 1].first_ps = TIME_NEVER;
	r->msg[SAMPLE_COMPLETED + 1].done_ps = TIME_NEVER;
}

static void fill_places(struct run_record *r)
{
	r->n_queue = 2;
	r->queue = zeroed(r->n_queue, sizeof(*r->queue));
	r->queue[0] = (struct queue_record){4, 0, 3, 512000};
	r->queue[1] = (struct queue_record){4, 2, 3, 900};
	r->n_pause = 2;
	r->pause = zeroed(r->n_pause, sizeof(*r->pause));
	r->pause[0] = (struct pause_record){1, 0, 3, 1500000, 2};
	r->pause[1] = (struct pause_record){2, 0, 3, 2500001, 1};
	r->n_violation = 1;
	r->violation = zeroed(r->n_violation, sizeof(*r->violation));
	r->violation[0] = (struct headroom_violation){7 * PS_PER_US, 4, 2, 3, 1086};
	r->n_row = 2;
	r->row = zeroed(r->n_row, sizeof(*r->row));
	r->row[0] = (struct series_row){.t_ps = 10 * PS_PER_US, .delivered_bytes = 1024};
	r->row[1] = (struct series_row){
	        .t_ps = 20 * PS_PER_US + 1, .paused_ports = 2, .mean_alpha_q32 = Q32_ONE / 2};
}

struct run_record *record_sample(void)
{
	struct run_record *r = zeroed(1, sizeof(*r));

	hist_init(&r->latency_ps);
	hist_init(&r->queue_bytes);
	for (int64_t i = 1; i <= 1000; i++)
		hist_add(&r->latency_ps, i * PS_PER_NS);
	for (int64_t i = 1; i <= 100; i++)
		hist_add(&r->queue_bytes, i);
	fill_messages(r);
	fill_places(r);
	r->end = RUN_TIME_UP;
	r->t_end_ps = 1100 * PS_PER_US;
	r->max_queue_bytes = 512000;
	r->max_shared_bytes = 600000;
	r->max_headroom_bytes = 1086;
	r->threads = 2;
	r->n.packet_hops = 1234567;
	r->n.events = 2000000;
	r->n.data_packets_sent = 3;
	r->n.ecn_eligible_packets = 3;
	r->n.ecn_marked_packets = 1;
	r->n.cnp_sent = 5;
	r->n.cnp_received = 4;
	r->n.rate_cuts = 4;
	r->n.rate_increases = 40;
	r->n.pause_frames = 3;
	r->n.resume_frames = 2;
	r->n.drops_lossless = 1;
	r->n.drops_lossy = 2;
	r->n.drops_host = 4;
	r->n.headroom_violations = 1;
	r->n.retransmitted_packets = 6;
	r->n.naks = 1;
	r->n.timeouts = 1;
	return r;
}

struct run_result record_sample_result(const struct run_record *rec)
{
	return (struct run_result){
	        .rec = rec,
	        .engine = "sim",
	        .scenario = "by \"hand\"",
	        .seed = UINT64_MAX,
	        .n_hosts = 4,
	        .node_name = names,
	        .first_port = first_port,
	        .peer_node = peer,
	        .percentile = percentiles,
	        .n_percentile = 2,
	        .wall_s = 1.25,
	        .cpu_s = 1,
	        .rss_bytes = 4096,
	        .version = "0",
	        .machine = "none",
	        .started = "2000-01-01T00:00:00Z",
	};
}
