/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/template.h"

#include "dataplane/wire/icrc_int.h"

#define PSN_OFFSET 9 /* in the BTH */

bool frame_template_init(struct frame_template *t, const struct frame *f)
{
	const uint8_t *psn;
	uint32_t from_here;

	if (!(f->has & FRAME_HAS_ICRC))
		return false;
	t->psn_at = f->bth_at + PSN_OFFSET;
	t->icrc_at = f->icrc_at;
	for (uint32_t i = 0; i < 3; i++) {
		struct crc_shift shift;

		/* A byte stands in the register as it is before it is shifted through it. */
		from_here = t->icrc_at - t->psn_at - i;
		crc_shift_init(&shift, from_here);
		for (uint32_t b = 0; b < 256; b++)
			t->psn_adds[i][b] = crc_shift(&shift, b);
	}
	psn = f->data + t->psn_at;
	t->icrc = frame_icrc_value_by(crc_method_best(), f) ^ t->psn_adds[0][psn[0]] ^
	          t->psn_adds[1][psn[1]] ^ t->psn_adds[2][psn[2]];
	return true;
}

void payload_template_init(struct payload_template *t, const uint8_t *payload, uint32_t bytes)
{
	static const uint8_t zeros[4];

	t->bytes = (bytes + 3) & ~3u;
	t->crc = crc_update(0, payload, bytes);
	t->crc = crc_update(t->crc, zeros, t->bytes - bytes);
	crc_shift_init(&t->shift, t->bytes);
}

uint32_t payload_template_icrc(const struct payload_template *t, const struct frame *f)
{
	struct icrc_span span = icrc_span_of(f);

	span.end_at = f->payload_at;
	return ~(crc_shift(&t->shift, icrc_register_by(crc_method_best(), &span)) ^ t->crc);
}
