/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/headroom.h"

#include "dataplane/base/check.h"
#include "dataplane/base/link_rate.h"
#include "dataplane/base/units.h"

#define PS_BITS_PER_BYTE INT64_C(8000000000000) /* ps per byte times bits per second */

/* Frame sizes as the buffer and the wire see them. In byte-exact buffers a cell is one byte. */
struct sizes {
	int64_t cell_bytes;
	int64_t min_bytes, max_bytes; /* frame and FCS; every size between is legal */
	int64_t gap_bytes;
	int64_t min_cells, max_cells;
	int64_t low_cells; /* the fewest cells that a frame of one byte more than whole cells
	                      takes */
};

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t cells(const struct sizes *z, int64_t bytes)
{
	return (bytes + z->cell_bytes - 1) / z->cell_bytes;
}

/* Wire bytes of the cheapest frame that takes c cells, c >= low_cells. */
static int64_t wire_of(const struct sizes *z, int64_t c)
{
	return (c - 1) * z->cell_bytes + 1 + z->gap_bytes;
}

static int64_t largest_data_bytes(const struct frame_cfg *f)
{
	return f->header_bytes + f->reth_bytes + frame_payload_bytes(f, f->path_mtu_bytes);
}

static struct sizes sizes_of(const struct headroom_in *in)
{
	const struct frame_cfg *f = in->frame;
	struct sizes z = {.cell_bytes = max_of(in->cell_bytes, 1), .gap_bytes = f->gap_bytes};

	z.min_bytes = min_of(max_of(f->header_bytes + 1, f->min_bytes),
	                      min_of(f->ack_bytes, f->cnp_bytes)) +
	              f->fcs_bytes;
	z.max_bytes = max_of(largest_data_bytes(f), max_of(f->ack_bytes, f->cnp_bytes)) +
	              f->fcs_bytes;
	z.min_cells = cells(&z, z.min_bytes);
	z.max_cells = cells(&z, z.max_bytes);
	z.low_cells = z.min_bytes == (z.min_cells - 1) * z.cell_bytes + 1 ? z.min_cells
	                                                                  : z.min_cells + 1;
	return z;
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

/* A choice of frames of low_cells to max_cells cells, each the cheapest of its kind. */
struct choice {
	int64_t frames, cells;
};

/*
 * The most cells in `room` wire bytes. k frames with C cells in all take k * (1 + gap - cell) +
 * cell * C: if that factor is positive fewer frames are better, so as many of the largest as
 * fit or one frame more; else more frames are better, so as many as fit.
 */
static struct choice fill(const struct sizes *z, int64_t room)
{
	const int64_t each = 1 + z->gap_bytes - z->cell_bytes;
	struct choice best = {0, 0};
	int64_t k;

	if (z->low_cells > z->max_cells || room < wire_of(z, z->low_cells))
		return best;
	if (each >= 0) {
		k = room / wire_of(z, z->max_cells);
		best = (struct choice){k, k * z->max_cells};
		k++;
	} else {
		k = room / wire_of(z, z->low_cells);
	}
	if (k * wire_of(z, z->low_cells) <= room) {
		int64_t c = min_of(k * z->max_cells, (room - k * each) / z->cell_bytes);

		if (c > best.cells)
			best = (struct choice){k, c};
	}
	return best;
}

/*
 * How many frames of the smallest size are worth trying, from *first to *last. If they fill
 * fewer cells per wire byte than the best other size, fewer than that size's wire bytes: of w
 * numbers some have a sum divisible by w, so those frames could be replaced by the better ones.
 * If they fill more, the other frames are limited in the same way.
 */
static void smallest_range(const struct sizes *z, int64_t room, int64_t *first, int64_t *last)
{
	const int64_t w0 = z->min_bytes + z->gap_bytes;
	const int64_t best = 1 + z->gap_bytes >= z->cell_bytes ? z->max_cells : z->low_cells;

	*first = 0;
	*last = room / w0;
	if (z->low_cells == z->min_cells) {
		*last = 0; /* it is one of the others */
	} else if (z->low_cells > z->max_cells) {
		*first = *last; /* there are no others */
	} else if (z->min_cells * wire_of(z, best) <= best * w0) {
		*last = min_of(*last, wire_of(z, best) - 1);
	} else {
		*first = max_of(
		        0, *last - (w0 + z->low_cells + 1) * wire_of(z, z->low_cells) / w0 - 1);
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

static int64_t cheapest_frame_bytes(
        const struct headroom_in *in, const struct sizes *z, int64_t c)
{
	return wire_of(z, c) - z->gap_bytes - in->frame->fcs_bytes;
}

/* Largest frames, one of the size that is left, the others with low_cells. */
static int add_choice(const struct headroom_in *in, const struct sizes *z,
        struct headroom_run *run, int n, const struct choice *ch)
{
	int64_t spare = ch->cells - ch->frames * z->low_cells;
	int64_t span = z->max_cells - z->low_cells;
	int64_t largest = span ? spare / span : 0;
	int64_t rest = spare - largest * span;

	n = add_run(run, n, largest, cheapest_frame_bytes(in, z, z->max_cells));
	n = add_run(run, n, rest ? 1 : 0, cheapest_frame_bytes(in, z, z->low_cells + rest));
	return add_run(run, n, ch->frames - largest - (rest ? 1 : 0),
	        cheapest_frame_bytes(in, z, z->low_cells));
}

static int add_middle(
        const struct headroom_in *in, const struct sizes *z, struct headroom_run *run, int n)
{
	const int64_t w0 = z->min_bytes + z->gap_bytes;
	const int64_t room = wire_bytes_before(in, open_ps(in));
	int64_t first, last, best_small = 0, most = -1;
	struct choice best = {0, 0};

	smallest_range(z, room, &first, &last);
	for (int64_t small = first; small <= last; small++) {
		struct choice ch = fill(z, room - small * w0);

		if (small * z->min_cells + ch.cells > most) {
			most = small * z->min_cells + ch.cells;
			best = ch;
			best_small = small;
		}
	}
	n = add_choice(in, z, run, n, &best);
	return add_run(run, n, best_small, z->min_bytes - in->frame->fcs_bytes);
}

/* With rounded times: as many of the size that fills most per time as take that long or longer.
 */
static int add_middle_stepped(
        const struct headroom_in *in, const struct sizes *z, struct headroom_run *run, int n)
{
	int64_t best_cells = 0, best_ps = 1, best_bytes = 0;

	for (int64_t bytes = z->min_bytes; bytes <= z->max_bytes; bytes++) {
		int64_t t_ps = max_of(
		        stepped_tx_ps(in, bytes + z->gap_bytes), in->frame->time_step_ps);

		if (best_cells * t_ps < cells(z, bytes) * best_ps) {
			best_cells = cells(z, bytes);
			best_ps = t_ps;
			best_bytes = bytes;
		}
	}
	return add_run(run, n, (open_ps(in) + best_ps - 1) / best_ps,
	        best_bytes - in->frame->fcs_bytes);
}

int headroom_worst(const struct headroom_in *in, struct headroom_run run[HEADROOM_MAX_RUNS])
{
	const struct sizes z = sizes_of(in);
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
	const struct sizes z = sizes_of(in);
	struct headroom_run run[HEADROOM_MAX_RUNS];
	int n = headroom_worst(in, run);
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += run[i].count * cells(&z, run[i].frame_bytes + in->frame->fcs_bytes) *
		         z.cell_bytes;
	return bytes;
}
