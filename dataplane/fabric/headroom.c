/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/headroom.h"

#include "dataplane/base/check.h"
#include "dataplane/base/link_rate.h"
#include "dataplane/base/units.h"
#include "dataplane/fabric/headroom_mix.h"
#include "dataplane/fabric/headroom_sizes.h"

#define PS_BITS_PER_BYTE INT64_C(8000000000000) /* ps per byte times bits per second */

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Wire bytes of the cheapest frame that takes c units, c >= low_units. */
static int64_t wire_of(const struct headroom_sizes *z, int64_t c)
{
	return (c - 1) * z->unit_bytes + z->offset_bytes + z->frame->gap_bytes;
}

static int64_t largest_data_bytes(const struct frame_cfg *f)
{
	return max_of(f->min_bytes,
	        f->header_bytes + f->reth_bytes + frame_payload_bytes(f, f->path_mtu_bytes));
}

/* Serialisation of one frame where times are rounded down to steps. */
static int64_t stepped_tx_ps(const struct headroom_in *in, int64_t wire_bytes)
{
	return link_rate_stepped_ps(
	        (wire_bytes * PS_BITS_PER_BYTE - 1) / in->rate_bps, in->frame->time_step_ps);
}

/*
 * The peer starts frames for less than this after the frame that made the switch decide has
 * left it: there and back, the longest frame just begun in the way of the pause frame, the
 * pause frame, the response. With no response time at all a frame may start at that very
 * instant, since a port's service comes before what arrives at the same time.
 */
static int64_t open_ps(const struct headroom_in *in)
{
	const struct frame_cfg *f = in->frame;
	int64_t extra = f->fcs_bytes + f->gap_bytes;
	int64_t in_the_way = max_of(max_of(largest_data_bytes(f), f->pfc_bytes),
	                             max_of(f->ack_bytes, f->cnp_bytes)) +
	                     extra;
	int64_t pause = f->pfc_bytes + extra;
	int64_t rest_ps =
	        2 * in->delay_ps + in->latency_ps + in->response_ps + (in->response_ps == 0);

	if (f->time_step_ps > 1)
		return rest_ps + stepped_tx_ps(in, in_the_way) + stepped_tx_ps(in, pause);
	/* Rounded up: the remainder that the port carries may complete a picosecond. */
	return rest_ps + (int64_t)(((__int128)(in_the_way + pause) * PS_BITS_PER_BYTE +
	                                   in->rate_bps - 1) /
	                           in->rate_bps);
}

/* The most wire bytes that take less than t_ps. */
static int64_t wire_bytes_before(const struct headroom_in *in, int64_t t_ps)
{
	return (int64_t)(((__int128)t_ps * in->rate_bps - 1) / PS_BITS_PER_BYTE);
}

/* A choice of frames of low_units to max_units units, each the cheapest of its kind. */
struct choice {
	int64_t frames, units, bytes; /* in the buffer */
};

/* With c units in all k frames take k * each + unit * c on the wire. */
static int64_t each_bytes(const struct headroom_sizes *z)
{
	return z->offset_bytes + z->frame->gap_bytes - z->unit_bytes;
}

/* Do few large frames fill more than many small ones? */
static bool few_fill_more(const struct headroom_sizes *z)
{
	return z->unit_bytes > z->cell_bytes || each_bytes(z) >= 0;
}

static void try_frames(
        const struct headroom_sizes *z, int64_t room, int64_t k, struct choice *best)
{
	int64_t c, bytes;

	if (k * wire_of(z, z->low_units) > room)
		return;
	c = min_of(k * z->max_units, (room - k * each_bytes(z)) / z->unit_bytes);
	bytes = c * z->unit_bytes;
	if (z->unit_bytes > z->cell_bytes)
		bytes += k * (z->offset_bytes + z->waste_bytes - z->unit_bytes);
	if (bytes > best->bytes)
		*best = (struct choice){k, c, bytes};
}

/*
 * The most that `room` wire bytes can hold. If few frames fill more: as many of the largest as
 * fit, or one frame more. Where cells are smaller than steps, up to three more yet: k frames
 * have a sum that is k times the smallest and whole steps, and leave less than a step of the
 * room; after as many frames as a step has bytes that repeats, for more gaps. Else as many
 * frames as fit.
 */
static struct choice fill(const struct headroom_sizes *z, int64_t room)
{
	struct choice best = {0, 0, 0};
	int64_t k, more;

	if (z->low_units > z->max_units || room < wire_of(z, z->low_units))
		return best;
	if (!few_fill_more(z)) {
		try_frames(z, room, room / wire_of(z, z->low_units), &best);
		return best;
	}
	k = room / wire_of(z, z->max_units);
	more = z->unit_bytes > z->cell_bytes ? z->step_bytes : 1;
	for (int64_t i = 0; i <= more; i++)
		try_frames(z, room, k + i, &best);
	return best;
}

/*
 * How many frames of the smallest size are worth trying, from *first to *last. If they fill
 * fewer units per wire byte than the best other size, fewer than that size's wire bytes: of w
 * numbers some have a sum divisible by w, so those frames could be replaced by the better ones.
 * If they fill more, the other frames are limited in the same way.
 */
static void smallest_range(
        const struct headroom_sizes *z, int64_t room, int64_t *first, int64_t *last)
{
	const int64_t w0 = z->min_bytes + z->frame->gap_bytes;
	const int64_t best = few_fill_more(z) ? z->max_units : z->low_units;

	*first = 0;
	*last = room / w0;
	if (z->low_units == z->min_units) {
		*last = 0; /* it is one of the others */
	} else if (z->low_units > z->max_units) {
		*first = *last; /* there are no others */
	} else if (z->min_units * wire_of(z, best) <= best * w0) {
		*last = min_of(*last, wire_of(z, best) - 1);
	} else {
		*first = max_of(
		        0, *last - (w0 + z->low_units + 1) * wire_of(z, z->low_units) / w0 - 1);
	}
}

static int add_run(struct headroom_run *run, int n, int64_t count, int64_t frame_bytes)
{
	if (count == 0)
		return n;
	if (n && run[n - 1].frame_bytes == frame_bytes) {
		run[n - 1].count += count;
		return n;
	}
	run[n] = (struct headroom_run){count, frame_bytes};
	return n + 1;
}

static int64_t cheapest_frame_bytes(const struct headroom_sizes *z, int64_t c)
{
	return wire_of(z, c) - z->frame->gap_bytes - z->frame->fcs_bytes;
}

/* Largest frames, one of the size that is left, the others with low_units. */
static int add_choice(const struct headroom_sizes *z, struct headroom_run *run, int n,
        const struct choice *ch)
{
	int64_t spare = ch->units - ch->frames * z->low_units;
	int64_t span = z->max_units - z->low_units;
	int64_t largest = span ? spare / span : 0;
	int64_t rest = spare - largest * span;

	n = add_run(run, n, largest, cheapest_frame_bytes(z, z->max_units));
	n = add_run(run, n, rest ? 1 : 0, cheapest_frame_bytes(z, z->low_units + rest));
	return add_run(run, n, ch->frames - largest - (rest ? 1 : 0),
	        cheapest_frame_bytes(z, z->low_units));
}

static int add_row(
        const struct headroom_sizes *z, int64_t room, struct headroom_run *run, int n)
{
	const int64_t w0 = z->min_bytes + z->frame->gap_bytes;
	int64_t first, last, best_small = 0, most = -1;
	struct choice best = {0, 0, 0};

	smallest_range(z, room, &first, &last);
	for (int64_t small = first; small <= last; small++) {
		struct choice ch = fill(z, room - small * w0);
		int64_t bytes = small * z->min_units * z->unit_bytes + ch.bytes;

		if (bytes > most) {
			most = bytes;
			best = ch;
			best_small = small;
		}
	}
	n = add_choice(z, run, n, &best);
	return add_run(run, n, best_small, z->min_bytes - z->frame->fcs_bytes);
}

static int add_middle(const struct headroom_in *in, const struct headroom_sizes *z,
        struct headroom_run *run, int n)
{
	const int64_t room = wire_bytes_before(in, open_ps(in));
	struct headroom_run mix[HEADROOM_MAX_RUNS - 2];
	struct headroom_sizes all;
	int n_mix;

	if (z->in_row)
		return add_row(z, room, run, n);
	n_mix = headroom_mix(z, room, mix, HEADROOM_MAX_RUNS - 2);
	for (int i = 0; i < n_mix; i++)
		n = add_run(run, n, mix[i].count, mix[i].frame_bytes);
	if (n_mix >= 0)
		return n;
	all = headroom_sizes_all(z);
	return add_row(&all, room, run, n);
}

/* With rounded times: as many of the size that fills most per time as take that long or longer.
 */
static int add_middle_stepped(const struct headroom_in *in, const struct headroom_sizes *z,
        struct headroom_run *run, int n)
{
	int64_t best_cells = 0, best_ps = 1, best_bytes = 0;

	for (int64_t bytes = z->min_bytes; bytes <= z->max_bytes; bytes++) {
		int64_t t_ps;

		if (!headroom_size_is_legal(z, bytes))
			continue;
		t_ps = max_of(stepped_tx_ps(in, bytes + in->frame->gap_bytes),
		        in->frame->time_step_ps);
		if (best_cells * t_ps < headroom_cells(z, bytes) * best_ps) {
			best_cells = headroom_cells(z, bytes);
			best_ps = t_ps;
			best_bytes = bytes;
		}
	}
	return add_run(run, n, (open_ps(in) + best_ps - 1) / best_ps,
	        best_bytes - in->frame->fcs_bytes);
}

int headroom_worst(const struct headroom_in *in, struct headroom_run run[HEADROOM_MAX_RUNS])
{
	const struct headroom_sizes z = headroom_sizes(in->frame, in->cell_bytes);
	int64_t largest = z.max_bytes - in->frame->fcs_bytes;
	int n;

	CHECK(in->rate_bps > 0 && z.min_bytes > 0);
	n = add_run(run, 0, 1, largest);
	n = in->frame->time_step_ps > 1 ? add_middle_stepped(in, &z, run, n)
	                                : add_middle(in, &z, run, n);
	return add_run(run, n, 1, largest);
}

int64_t headroom_bound_bytes(const struct headroom_in *in)
{
	const struct headroom_sizes z = headroom_sizes(in->frame, in->cell_bytes);
	struct headroom_run run[HEADROOM_MAX_RUNS];
	int n = headroom_worst(in, run);
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += run[i].count *
		         headroom_cells(&z, run[i].frame_bytes + in->frame->fcs_bytes) *
		         z.cell_bytes;
	return bytes;
}
