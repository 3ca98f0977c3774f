/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two files of the live view: what is measured, and how it is shown. */
#ifndef TRACE_LIVE_INT_H
#define TRACE_LIVE_INT_H

#include "analysis/trace/trace_live.h"

#define LIVE_HISTORY 240
#define LIVE_FLOWS   64

enum live_figure {
	LIVE_GOODPUT, /* bps */
	LIVE_WIRE,    /* bps */
	LIVE_PACKETS, /* per second, as all below that have no unit */
	LIVE_CE,      /* ppm of data packets */
	LIVE_CNPS,
	LIVE_NAKS, /* RNR as well */
	LIVE_AGAIN,
	LIVE_PAUSED, /* ppm of the time, of the priority LIVE_PAUSED + k; of all ports together
	              */
	LIVE_RTT = LIVE_PAUSED + TRACE_PRIORITIES, /* ns: p99 */
	LIVE_FCT,
	LIVE_FIGURES
};

struct live_flow {
	uint32_t flow;
	uint64_t bytes, data, ce, cnps, again;
};

struct live_finding {
	uint8_t id, severity, depth;
};

struct trace_live {
	struct trace_live_source source;
	int64_t begin_ns, now_ns, before_ns;
	uint32_t looks; /* after the first */
	/* TRACE_UNKNOWN: nothing to measure */
	int64_t now[LIVE_FIGURES], peak[LIVE_FIGURES];
	int64_t history[LIVE_HISTORY][LIVE_FIGURES];
	uint64_t n_rtt, n_fct; /* samples behind the percentiles of now */
	bool ever_paused[TRACE_PRIORITIES], no_speed; /* no_speed: pauses, of unknown length */

	struct trace_counts counts; /* at the look before */
	int64_t paused_ns[TRACE_PRIORITIES];
	struct hist *rtt, *fct;
	struct live_flow *flow; /* totals at the look before */
	uint32_t n_flows, max_flows;

	struct live_finding finding[FINDINGS]; /* of this look */
	uint32_t n_findings;
	bool found[FINDINGS]; /* at the look before */

	struct live_flow top[LIVE_FLOWS]; /* in the last interval, most bytes first */
	uint32_t n_top, n_active;
};

#endif
