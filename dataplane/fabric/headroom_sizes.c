/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/headroom_sizes.h"

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool is_payload(const struct headroom_sizes *z, int64_t bytes)
{
	return bytes > 0 && bytes % z->step_bytes == 0 &&
	       bytes <= frame_payload_bytes(z->frame, z->frame->path_mtu_bytes);
}

bool headroom_size_is_legal(const struct headroom_sizes *z, int64_t bytes)
{
	const struct frame_cfg *f = z->frame;
	const int64_t frame_bytes = bytes - f->fcs_bytes;

	if (frame_bytes == f->ack_bytes || frame_bytes == f->cnp_bytes)
		return true;
	if (frame_bytes <= f->min_bytes)
		return frame_bytes == f->min_bytes &&
		       f->header_bytes + z->step_bytes <= f->min_bytes;
	return is_payload(z, frame_bytes - f->header_bytes) ||
	       is_payload(z, frame_bytes - f->header_bytes - f->reth_bytes);
}

/* Is it one of the row from first to last, or the next one beyond an end? */
static bool fits(const struct headroom_sizes *z, int64_t bytes, int64_t first, int64_t last)
{
	return (bytes - first) % z->step_bytes == 0 && bytes >= first - z->step_bytes &&
	       bytes <= last + z->step_bytes;
}

static bool are_in_row(const struct headroom_sizes *z)
{
	const struct frame_cfg *f = z->frame;
	const int64_t mtu_bytes = frame_payload_bytes(f, f->path_mtu_bytes);
	const int64_t first = max_of(f->header_bytes + z->step_bytes, f->min_bytes);
	const int64_t last = max_of(f->header_bytes + f->reth_bytes + mtu_bytes, f->min_bytes);

	/* Frames with a RETH begin where those without end, or before. */
	return f->reth_bytes % z->step_bytes == 0 &&
	       f->reth_bytes <= max_of(mtu_bytes, f->min_bytes - f->header_bytes) &&
	       (first - f->header_bytes) % z->step_bytes == 0 &&
	       fits(z, f->ack_bytes, first, last) && fits(z, f->cnp_bytes, first, last);
}

static void count_units(struct headroom_sizes *z)
{
	const int64_t unit = max_of(z->cell_bytes, z->step_bytes);

	z->unit_bytes = unit;
	z->offset_bytes = (z->min_bytes - 1) % z->step_bytes + 1;
	z->min_units = (z->min_bytes + unit - 1) / unit;
	z->max_units = (z->max_bytes + unit - 1) / unit;
	z->low_units = z->min_units;
	if (z->min_bytes != (z->min_units - 1) * unit + z->offset_bytes)
		z->low_units++;
	if (unit > z->cell_bytes)
		z->waste_bytes = headroom_cells(z, z->min_bytes) * z->cell_bytes - z->min_bytes;
}

struct headroom_sizes headroom_sizes(const struct frame_cfg *f, int64_t cell_bytes)
{
	struct headroom_sizes z = {
	        .frame = f, .cell_bytes = max_of(cell_bytes, 1), .step_bytes = f->pad ? 4 : 1};
	const int64_t mtu_bytes = frame_payload_bytes(f, f->path_mtu_bytes);
	const int64_t control_bytes = max_of(f->ack_bytes, f->cnp_bytes);

	z.min_bytes = min_of(max_of(f->header_bytes + z.step_bytes, f->min_bytes),
	                      min_of(f->ack_bytes, f->cnp_bytes)) +
	              f->fcs_bytes;
	z.max_bytes = max_of(max_of(f->header_bytes + f->reth_bytes + mtu_bytes, f->min_bytes),
	                      control_bytes) +
	              f->fcs_bytes;
	count_units(&z);
	z.in_row = are_in_row(&z) &&
	           (z.cell_bytes % z.step_bytes == 0 ||
	                   (z.step_bytes % z.cell_bytes == 0 && z.waste_bytes <= f->gap_bytes));
	return z;
}

struct headroom_sizes headroom_sizes_all(const struct headroom_sizes *z)
{
	struct headroom_sizes all = *z;

	all.step_bytes = 1;
	all.waste_bytes = 0;
	count_units(&all);
	all.in_row = true;
	return all;
}
