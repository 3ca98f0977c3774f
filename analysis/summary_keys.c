/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/summary_keys.h"

#include <string.h>

#include "dataplane/base/nearest.h"

const char *const result_file_name[RESULT_FILES] = {"summary.json", "run.json"};

#define AT(field)      offsetof(struct run_summary, field)
#define IN_DIST(field) offsetof(struct dist, field)
#define ROW(key, type, ...)                                                                    \
	{                                                                                      \
		RESULT_SUMMARY, type, key, __VA_ARGS__                                         \
	}
#define COST(key, type, ...)                                                                   \
	{                                                                                      \
		RESULT_RUN, type, key, __VA_ARGS__                                             \
	}

/* The nine keys of a distribution; error says how exact its percentiles are. */
#define DIST(key, type, at, unit, empty, what, error)                                          \
	ROW(key ".min", (type), (at) + IN_DIST(min), unit, empty, "Smallest " what "."),       \
	        ROW(key ".mean", (type), (at) + IN_DIST(mean), unit, empty,                    \
	                "Arithmetic mean of every " what "."),                                 \
	        ROW(key ".p50", (type), (at) + IN_DIST(p50), unit, empty,                      \
	                "50th percentile: " what "; " error "."),                              \
	        ROW(key ".p90", (type), (at) + IN_DIST(p90), unit, empty,                      \
	                "90th percentile: " what "; " error "."),                              \
	        ROW(key ".p99", (type), (at) + IN_DIST(p99), unit, empty,                      \
	                "99th percentile: " what "; " error "."),                              \
	        ROW(key ".p99_9", (type), (at) + IN_DIST(p99_9), unit, empty,                  \
	                "99.9th percentile: " what "; " error "."),                            \
	        ROW(key ".p99_99", (type), (at) + IN_DIST(p99_99), unit, empty,                \
	                "99.99th percentile: " what "; " error "."),                           \
	        ROW(key ".max", (type), (at) + IN_DIST(max), unit, empty,                      \
	                "Largest " what "."),                                                  \
	        ROW(key ".samples", KEY_WHOLE, (at) + IN_DIST(samples), "samples", NULL,       \
	                "How many samples: " what ".")

#define EXACT         "nearest rank, error messages.percentile_error"
#define HISTOGRAM     "nearest rank from a histogram, at most 1/128 (0.8 %) above the true value"
#define NO_MESSAGE    "no message completed"
#define NO_COLLECTIVE "no collective finished an iteration"
#define NO_ITERATION  "the workload has no iterations, or none finished"

const struct summary_key summary_keys[] = {
        ROW("format", KEY_TEXT, AT(format), NULL, NULL,
                "Version of this file: " SUMMARY_FORMAT
                ". Keys are only added within a version."),
        ROW("engine", KEY_TEXT, AT(engine), NULL, NULL,
                "What carried the packets: sim, loop, dpdk, mlx5, verbs or af_packet."),
        ROW("seed", KEY_SEED, AT(seed), "count", NULL,
                "Seed of every random stream of the run."),
        ROW("scenario", KEY_TEXT, AT(scenario), NULL, NULL, "Name of the scenario."),
        ROW("sim.t_end_us", KEY_MICRO, AT(t_end_ps), "us", NULL,
                "Simulated time of the last completion, or at which the run stopped."),
        ROW("sim.packet_hops", KEY_WHOLE, AT(packet_hops), "packets", NULL,
                "Packets that left a host or a switch on a link, ACKs and CNPs included."),
        ROW("messages.started", KEY_WHOLE, AT(messages_started), "messages", NULL,
                "Messages posted."),
        ROW("messages.completed", KEY_WHOLE, AT(messages_completed), "messages", NULL,
                "Messages whose last ACK reached the sender; of transports uc and ud, whose "
                "last "
                "packet has left."),
        ROW("messages.lost", KEY_WHOLE, AT(messages_lost), "messages", NULL,
                "Messages of transport uc or ud that are complete for their sender and did not "
                "arrive whole; in a run that was stopped those on their way, too."),
        ROW("messages.failed", KEY_WHOLE, AT(messages_failed), "messages", NULL,
                "Messages given up after retry_limit."),
        ROW("messages.recorded", KEY_WHOLE, AT(messages_recorded), "messages", NULL,
                "Messages in messages.csv: those started, or a sample of them where they are "
                "more than measure.messages."),
        ROW("messages.percentile_error", KEY_NANO, AT(percentile_error_nano), "ratio", NULL,
                "How far percentiles of fct_us, net_fct_us and slowdown can be above the true "
                "value: 0 where all messages are on record, 1/128 where a sample of them is "
                "(the percentiles are of all, from a histogram; min, mean and max are exact)."),
        ROW("goodput_bps", KEY_WHOLE, AT(goodput_bps), "bit/s", NO_MESSAGE,
                "Payload of completed messages, of transports uc and ud of those that arrived "
                "whole, over the time from the first of their posts to "
                "the last of their completions, all hosts together; idle gaps count."),
        ROW("fairness_jain", KEY_NANO, AT(fairness_nano), "ratio", NO_MESSAGE,
                "Jain's index, 1/n to 1, over the goodput of each source-destination pair that "
                "completed a message (its completed payload over its first post to its last "
                "completion; of transports uc and ud what was sent)."),
        ROW("collective.algbw_gbps", KEY_MICRO, AT(algbw_gbps_micro), "Gbit/s", NO_COLLECTIVE,
                "Algorithm bandwidth as nccl-tests defines it: the size of all finished "
                "iterations over the time in which one of them was running, from the first "
                "rank "
                "to begin it to the last to end; of several entries the one with the lowest "
                "bus bandwidth (collectives.csv has all)."),
        ROW("collective.busbw_gbps", KEY_MICRO, AT(busbw_gbps_micro), "Gbit/s", NO_COLLECTIVE,
                "Bus bandwidth as nccl-tests defines it: algbw times 2(n-1)/n for an "
                "all-reduce, (n-1)/n for all-gather, reduce-scatter and all-to-all, 1 for a "
                "broadcast. nccl-tests prints GB/s: an eighth of this."),
        DIST("iteration_us", KEY_MICRO, AT(iteration_ps), "us", NO_ITERATION,
                "time of an iteration (of a collective or of training), from the first rank "
                "to begin it to the last to end, of finished ones",
                EXACT),
        DIST("fct_us", KEY_MICRO, AT(fct_ps), "us", NO_MESSAGE,
                "flow completion time, from the intended send time to the last ACK at the "
                "sender, of completed messages",
                EXACT),
        DIST("net_fct_us", KEY_MICRO, AT(net_fct_ps), "us", NO_MESSAGE,
                "time from the first packet to the last ACK at the sender's port, of completed "
                "messages",
                EXACT),
        DIST("slowdown", KEY_MICRO, AT(slowdown_micro), "ratio", NO_MESSAGE,
                "FCT over the FCT of the same message alone on its path at line rate (no "
                "window, no "
                "congestion control), rounded to 1e-6, of completed messages",
                EXACT),
        DIST("latency_us", KEY_MICRO, AT(latency_ps), "us", "no data packet arrived",
                "one-way latency of a data packet, from the start of its transmission (the "
                "latest "
                "one, if sent again) to its arrival at the receiver, in simulated time to 64 "
                "ps",
                HISTOGRAM),
        ROW("queue_bytes.max", KEY_WHOLE, AT(queue_max_bytes), "bytes", NULL,
                "Deepest egress queue of any switch port and priority, in buffer bytes (frame "
                "and FCS); exact."),
        ROW("queue_bytes.p99", KEY_WHOLE, AT(queue_p99_bytes), "bytes", "no packet was queued",
                "99th percentile of the egress queue over the packets that were queued, each "
                "with its own bytes (those that go straight through are not "
                "counted); " HISTOGRAM "."),
        ROW("buffer_bytes.max_shared", KEY_WHOLE, AT(max_shared_bytes), "bytes", NULL,
                "Most of the shared pool in use in any switch."),
        ROW("buffer_bytes.max_headroom", KEY_WHOLE, AT(max_headroom_bytes), "bytes", NULL,
                "Most headroom in use by one port and priority."),
        ROW("ecn.marked_packets", KEY_WHOLE, AT(ecn_marked), "packets", NULL,
                "Packets that a switch marked CE."),
        ROW("ecn.marked_fraction", KEY_NANO, AT(ecn_fraction_nano), "ratio",
                "no ECN-capable packet was sent",
                "Marked packets over ECN-capable packets sent (data with retransmissions, ACKs "
                "under nic.ack_ect); a packet is marked once at most."),
        ROW("cnp.sent", KEY_WHOLE, AT(cnp_sent), "packets", NULL,
                "Congestion notifications sent, on their own or carried by an ACK."),
        ROW("cnp.received", KEY_WHOLE, AT(cnp_received), "packets", NULL,
                "Congestion notifications that reached their sender."),
        ROW("rate.cuts", KEY_WHOLE, AT(rate_cuts), "count", NULL,
                "Rate decreases of all reaction points."),
        ROW("rate.increases", KEY_WHOLE, AT(rate_increases), "count", NULL,
                "Rate increase steps (recovery, additive, hyper) of all reaction points."),
        ROW("pfc.pause_frames", KEY_WHOLE, AT(pause_frames), "frames", NULL,
                "PFC frames sent that ask for a pause, refreshes included."),
        ROW("pfc.resume_frames", KEY_WHOLE, AT(resume_frames), "frames", NULL,
                "PFC frames sent with a pause time of zero."),
        ROW("pfc.paused_us", KEY_MICRO, AT(paused_ps), "us", NULL,
                "Time paused, summed over every port and priority that was told to pause."),
        ROW("pfc.max_paused_us", KEY_MICRO, AT(max_paused_ps), "us", NULL,
                "Time paused of the port and priority that was paused longest in all."),
        ROW("drops.total", KEY_WHOLE, AT(drops), "packets", NULL,
                "Packets dropped anywhere: lossless, lossy, by hosts, by faults, damaged, by "
                "PFC "
                "watchdogs and by WRED queues."),
        ROW("drops.lossless", KEY_WHOLE, AT(drops_lossless), "packets", NULL,
                "Packets of a lossless priority dropped by a switch."),
        ROW("drops.lossy", KEY_WHOLE, AT(drops_lossy), "packets", NULL,
                "Packets of a lossy priority dropped by a switch."),
        ROW("drops.host", KEY_WHOLE, AT(drops_host), "packets", NULL,
                "Packets that found a NIC's receive buffer full."),
        ROW("drops.fault", KEY_WHOLE, AT(drops_fault), "packets", NULL,
                "Frames of any kind lost by a fault: dropped on a link, on or queued for a "
                "link that went down."),
        ROW("drops.corrupt", KEY_WHOLE, AT(drops_corrupt), "packets", NULL,
                "Frames of any kind damaged on a link and rejected by their FCS or ICRC."),
        ROW("drops.watchdog", KEY_WHOLE, AT(drops_watchdog), "packets", NULL,
                "Packets that a PFC watchdog dropped: queued ones when it saw a storm, "
                "arriving "
                "ones until it was over."),
        ROW("drops.wred", KEY_WHOLE, AT(drops_wred), "packets", NULL,
                "Packets that are not ECN-capable, dropped by a switch where others are "
                "marked."),
        ROW("watchdog.storms", KEY_WHOLE, AT(watchdog_storms), "count", NULL,
                "Queues (port and priority) that a PFC watchdog held for stormed, each time."),
        ROW("watchdog.restores", KEY_WHOLE, AT(watchdog_restores), "count", NULL,
                "Storms that were over before the run was."),
        ROW("headroom_violations", KEY_WHOLE, AT(headroom_violations), "packets", NULL,
                "Packets of a lossless priority that found the headroom full."),
        ROW("deadlock.cycles", KEY_WHOLE, AT(deadlocks), "count", NULL,
                "Cycles of paused queues, each waiting for the next, that nothing but loss or "
                "a "
                "watchdog could undo."),
        ROW("deadlock.first_us", KEY_MICRO, AT(deadlock_first_ps), "us",
                "there was no deadlock", "When the first was seen; looked for every 20 us."),
        ROW("faults.set", KEY_WHOLE, AT(faults), "count", NULL,
                "Faults that the scenario asks for."),
        ROW("faults.idle", KEY_WHOLE, AT(faults_idle), "count", NULL,
                "Of those, faults that changed nothing: no frame met them."),
        ROW("retransmits.packets", KEY_WHOLE, AT(retransmitted_packets), "packets", NULL,
                "Data packets sent again."),
        ROW("retransmits.naks", KEY_WHOLE, AT(naks), "packets", NULL,
                "Negative acknowledgements sent by receivers."),
        ROW("retransmits.sacks", KEY_WHOLE, AT(sacks), "packets", NULL,
                "Selective acknowledgements (nic.retransmit: selective-repeat) that reached "
                "their sender: packets that arrived ahead of a missing one."),
        ROW("retransmits.rnr_naks", KEY_WHOLE, AT(rnr_naks), "packets", NULL,
                "RNR NAKs that reached their sender: the receiver had no receive posted."),
        ROW("retransmits.timeouts", KEY_WHOLE, AT(timeouts), "count", NULL,
                "Retransmission timers that expired."),
        ROW("tainted", KEY_REASONS, AT(n_tainted), NULL, NULL,
                "Why the figures are not those of a complete, healthy run; empty when they "
                "are. Reasons: out of memory, interrupted, stalled, deadlock, unfinished "
                "messages, "
                "failed messages, headroom violations, lost messages (uc, ud), lost packets of "
                "a lossless priority, virtual time ran out. An expectation "
                "compares "
                "how many there are: tainted == 0."),
        ROW("expect", KEY_EXPECTS, 0, NULL, NULL,
                "Each expectation of the scenario: its text, whether it holds, and the value "
                "found (null where the key is null; it then does not hold). Of an interrupted "
                "run nothing is judged: holds is null."),
        COST("wall_s", KEY_MICRO, AT(wall_us), "s", NULL,
                "Real time of the run, results written."),
        COST("cpu_s", KEY_MICRO, AT(cpu_us), "s", NULL,
                "CPU time of the whole process, user and system, all threads, results "
                "written."),
        COST("rss_bytes", KEY_WHOLE, AT(rss_bytes), "bytes", NULL,
                "Peak resident memory of the process."),
        COST("events", KEY_WHOLE, AT(events), "events", NULL,
                "Events that the simulator handled."),
        COST("threads", KEY_WHOLE, AT(threads), "threads", NULL, "Threads that simulated."),
        COST("ranks", KEY_WHOLE, AT(ranks), "processes", NULL, "Processes that took part."),
        COST("version", KEY_TEXT, AT(version), NULL, NULL, "Version of squall."),
        COST("machine", KEY_TEXT, AT(machine), NULL, NULL,
                "Processor, number of CPUs and system."),
        COST("started", KEY_TEXT, AT(started), NULL, NULL, "Start of the run, UTC, ISO 8601."),
};

const size_t n_summary_keys = sizeof(summary_keys) / sizeof(summary_keys[0]);

const struct summary_key *summary_key_find(const char *key, const char **nearest)
{
	struct nearest near;

	nearest_init(&near, key);
	for (size_t i = 0; i < n_summary_keys; i++) {
		const struct summary_key *k = &summary_keys[i];

		if (k->file != RESULT_SUMMARY)
			continue;
		if (!strcmp(k->key, key))
			return k;
		nearest_offer(&near, k->key);
	}
	*nearest = nearest_get(&near);
	return NULL;
}

bool summary_key_is_number(const struct summary_key *k)
{
	return k->type == KEY_WHOLE || k->type == KEY_MICRO || k->type == KEY_NANO ||
	       k->type == KEY_REASONS;
}

int64_t summary_key_raw(const struct summary_key *k, const struct run_summary *s)
{
	int64_t raw;

	memcpy(&raw, (const char *)s + k->offset, sizeof(raw));
	return raw;
}

int summary_key_decimals(const struct summary_key *k)
{
	return k->type == KEY_MICRO ? 6 : k->type == KEY_NANO ? 9 : 0;
}

static bool same_group(size_t a, size_t b, int group_len)
{
	return a < n_summary_keys && b < n_summary_keys &&
	       !strncmp(summary_keys[a].key, summary_keys[b].key, (size_t)group_len + 1);
}

struct key_place summary_key_place(size_t row)
{
	const struct summary_key *k = &summary_keys[row];
	const char *dot = strchr(k->key, '.');
	struct key_place p = {.name = dot ? dot + 1 : k->key};

	if (dot) {
		p.group_len = (int)(dot - k->key);
		p.opens_group = !same_group(row - 1, row, p.group_len);
		p.closes_group = !same_group(row + 1, row, p.group_len);
	}
	p.ends_file = row + 1 == n_summary_keys || summary_keys[row + 1].file != k->file;
	return p;
}
