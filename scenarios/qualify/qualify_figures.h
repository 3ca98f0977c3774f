/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a run at the tester's ports, for the rules and for the report. Pure. */
#ifndef QUALIFY_FIGURES_H
#define QUALIFY_FIGURES_H

#include "scenarios/qualify/qualify_run.h"

/* Of the packets sent in [after, before). */
struct qwindow {
	int64_t sent, received, lost, marked;
	int64_t in_bytes; /* on the wire, of what arrived in [after, before) */
};

struct qwindow qualify_window(
        const struct qrun *r, uint32_t stream, int64_t after_ps, int64_t before_ps);

/* settle and end where the check does not say. */
int64_t qualify_after_ps(const struct qrun *r, const struct qcheck *k);
int64_t qualify_before_ps(const struct qrun *r, const struct qcheck *k);

/* One-way times of what was sent in [after, before), sorted; malloc'd, NULL if none or -ENOMEM
 * in *rc. */
int64_t *qualify_latencies(const struct qrun *r, uint32_t stream, int64_t after_ps,
        int64_t before_ps, uint64_t *n, int *rc);

/* How much later than planned a packet was sent, at most. */
int64_t qualify_lag_ps(const struct qrun *r, uint32_t stream);

/* Did the switch tell this sender to stop? */
bool qualify_was_paused(const struct qrun *r, uint32_t port, uint8_t priority);

/* The switch's own count of valid pause frames that came to a port for one priority. */
int64_t qualify_pfc_counter(const struct qrun *r, uint32_t port, uint8_t priority);

/* Frames (FCS counted) that a switch's egress serves in one priority while its classes want
 * more than there is: deficit round robin behind strict priorities, as a fluid. Bits per second
 * on the wire, for each of the eight priorities. */
struct qdemand {
	double wire_bps;    /* offered */
	double frame_bytes; /* with FCS */
};

void qualify_water_fill(double served_wire_bps[8], const struct qdemand demand[8],
        const struct switch_cfg *sw, double capacity_bps);

/* What the streams to a port offer, by priority. */
void qualify_demand(
        struct qdemand demand[8], const struct qrun *r, uint32_t port, int64_t after_ps);

/* The switch's own profile of a port, as the case asked for it. */
/* Of the cables, one way; all are alike. */
int64_t qualify_delay_ps(const struct qrun *r);

const struct switch_cfg *qualify_profile(const struct qrun *r, uint32_t port);

/* "stream a (port 1 to 0, priority 3)" */
const char *qualify_stream_text(char *buf, size_t len, const struct qstream *s);

#endif
