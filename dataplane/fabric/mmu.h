/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared-buffer accounting of one switch: ingress counters per port and priority with a
 * guaranteed reserve, a shared pool under a dynamic threshold (alpha times what is free), and
 * headroom for what arrives after XOFF. Signed 64-bit bytes (frame + FCS, in whole cells where
 * the switch has cells). Lossless traffic is accounted at ingress (IEEE 802.1Q clause 36; the
 * accounting rule is that of the ns-3 HPCC model), lossy traffic tail-drops at egress.
 * Pure: no clock, no output; the caller sends what the verdicts ask for.
 */
#ifndef FABRIC_MMU_H
#define FABRIC_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "dataplane/base/compiler.h"

#define MMU_ALPHA_SHIFT 16

struct mmu {
	int64_t pool_bytes;         /* buffer minus every reserve and headroom */
	int64_t shared_bytes;       /* in use */
	int64_t max_shared_bytes;   /* exact maximum so far; the owner may start it anew */
	int64_t lossy_bytes;        /* of shared_bytes: what lossy priorities have queued */
	int64_t max_headroom_bytes; /* largest headroom use of one port and priority */
};

/* Of one ingress port and priority. */
struct mmu_ingress {
	int64_t used_bytes;     /* reserve and shared, without headroom */
	int64_t headroom_bytes; /* in use */
	bool xoff;              /* the peer was told to stop */
	/* why, by blame.h: the egress that holds most of it, and whether it was kept from
	 * sending */
	bool cause_paused;
	uint16_t cause_port;
};

/* Of a port profile. Headroom is given per call: it differs from port to port. */
struct mmu_limits {
	int64_t alpha_q16;
	int64_t reserve_bytes;
	int64_t xon_offset_bytes;
};

static ALWAYS_INLINE int64_t mmu_threshold(const struct mmu *m, int64_t alpha_q16)
{
	return ((m->pool_bytes - m->shared_bytes) * alpha_q16) >> MMU_ALPHA_SHIFT;
}

static ALWAYS_INLINE int64_t mmu_above_reserve(
        const struct mmu_ingress *in, int64_t reserve_bytes)
{
	int64_t over = in->used_bytes - reserve_bytes;

	return over > 0 ? over : 0;
}

/* True if a packet that leaves the moment it arrives would change nothing: it fits, and neither
 * XOFF nor XON would follow. */
static ALWAYS_INLINE bool mmu_passes(const struct mmu *m, const struct mmu_ingress *in,
        const struct mmu_limits *lim, int64_t bytes)
{
	int64_t over = in->used_bytes + bytes - lim->reserve_bytes;

	return !in->xoff && in->headroom_bytes == 0 &&
	       (over > 0 ? over : 0) < mmu_threshold(m, lim->alpha_q16);
}

/*
 * Admission with counters that may be too high, by releases that are put off. True: it is
 * admitted with exact ones too, without XOFF and without a new maximum of the shared pool, and
 * has been, if take. False: unsure.
 */
static ALWAYS_INLINE bool mmu_early_lossless(struct mmu *m, struct mmu_ingress *in,
        const struct mmu_limits *lim, int64_t bytes, bool take)
{
	int64_t over = in->used_bytes + bytes - lim->reserve_bytes;
	int64_t from_pool = over < bytes ? over : bytes;
	int64_t shared_bytes;

	over = over > 0 ? over : 0;
	shared_bytes = m->shared_bytes + (from_pool > 0 ? from_pool : 0);
	if (shared_bytes > m->max_shared_bytes ||
	        over >= ((m->pool_bytes - shared_bytes) * lim->alpha_q16) >> MMU_ALPHA_SHIFT)
		return false;
	if (take) {
		in->used_bytes += bytes;
		m->shared_bytes = shared_bytes;
	}
	return true;
}

/* Lossless admission. False: neither shared pool nor headroom can take it. */
static ALWAYS_INLINE bool mmu_admit_lossless(struct mmu *m, struct mmu_ingress *in,
        const struct mmu_limits *lim, int64_t headroom_bytes, int64_t bytes)
{
	int64_t threshold = mmu_threshold(m, lim->alpha_q16);
	int64_t over = in->used_bytes + bytes - lim->reserve_bytes;
	int64_t from_pool = over < bytes ? over : bytes;

	if (over <= 0) {
		in->used_bytes += bytes;
		return true;
	}
	/* with alpha above 1 the threshold is more than there is */
	if (over <= threshold && m->shared_bytes + from_pool <= m->pool_bytes) {
		in->used_bytes += bytes;
		m->shared_bytes += from_pool;
		if (m->shared_bytes > m->max_shared_bytes)
			m->max_shared_bytes = m->shared_bytes;
		return true;
	}
	if (in->headroom_bytes + bytes > headroom_bytes)
		return false;
	in->headroom_bytes += bytes;
	if (in->headroom_bytes > m->max_headroom_bytes)
		m->max_headroom_bytes = in->headroom_bytes;
	return true;
}

/* After an admission: must the peer be stopped now? Records that it was. */
static ALWAYS_INLINE bool mmu_wants_xoff(
        const struct mmu *m, struct mmu_ingress *in, const struct mmu_limits *lim)
{
	if (in->xoff)
		return false;
	if (in->headroom_bytes == 0 &&
	        mmu_above_reserve(in, lim->reserve_bytes) < mmu_threshold(m, lim->alpha_q16))
		return false;
	in->xoff = true;
	return true;
}

static ALWAYS_INLINE void mmu_release_lossless(
        struct mmu *m, struct mmu_ingress *in, const struct mmu_limits *lim, int64_t bytes)
{
	int64_t from_headroom = bytes < in->headroom_bytes ? bytes : in->headroom_bytes;
	int64_t rest = bytes - from_headroom;
	int64_t over = mmu_above_reserve(in, lim->reserve_bytes);

	in->headroom_bytes -= from_headroom;
	m->shared_bytes -= rest < over ? rest : over;
	in->used_bytes -= rest;
	ASSERT(in->used_bytes >= 0 && m->shared_bytes >= 0);
}

/* After a release: may the peer go on? Records that it was told. */
static ALWAYS_INLINE bool mmu_wants_xon(
        const struct mmu *m, struct mmu_ingress *in, const struct mmu_limits *lim)
{
	int64_t over;

	if (LIKELY(!in->xoff) || in->headroom_bytes > 0)
		return false;
	over = mmu_above_reserve(in, lim->reserve_bytes);
	if (over > 0 && over + lim->xon_offset_bytes > mmu_threshold(m, lim->alpha_q16))
		return false;
	in->xoff = false;
	return true;
}

static ALWAYS_INLINE bool mmu_early_lossy(
        struct mmu *m, int64_t alpha_q16, int64_t queue_bytes, int64_t bytes, bool take)
{
	if (m->shared_bytes + bytes > m->max_shared_bytes ||
	        queue_bytes + bytes > mmu_threshold(m, alpha_q16))
		return false;
	if (take) {
		m->shared_bytes += bytes;
		m->lossy_bytes += bytes;
	}
	return true;
}

/* Room for a lossy frame, by the egress queue's own dynamic threshold. */
static ALWAYS_INLINE bool mmu_fits_lossy(
        const struct mmu *m, int64_t alpha_q16, int64_t queue_bytes, int64_t bytes)
{
	return m->shared_bytes + bytes <= m->pool_bytes &&
	       queue_bytes + bytes <= mmu_threshold(m, alpha_q16);
}

static ALWAYS_INLINE bool mmu_admit_lossy(
        struct mmu *m, int64_t alpha_q16, int64_t queue_bytes, int64_t bytes)
{
	if (!mmu_fits_lossy(m, alpha_q16, queue_bytes, bytes))
		return false;
	m->shared_bytes += bytes;
	m->lossy_bytes += bytes;
	if (m->shared_bytes > m->max_shared_bytes)
		m->max_shared_bytes = m->shared_bytes;
	return true;
}

static ALWAYS_INLINE void mmu_release_lossy(struct mmu *m, int64_t bytes)
{
	m->shared_bytes -= bytes;
	m->lossy_bytes -= bytes;
	ASSERT(m->shared_bytes >= 0);
}

#endif
