/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/fabric/pfc_frame.h"

#include "dataplane/fabric/defect.h"

static void all_priorities(struct desc *d, uint8_t mask)
{
	d->psn = mask;
	d->sent_unit = d->conn ? mask : 0;
}

/* Is it PFC to this port? A defect may take for PFC what is none. */
static bool is_pfc(const struct fsw_port *p, struct desc *d)
{
	const uint8_t defect = p->profile->defect;

	switch (d->entropy) {
	case PFC_VALID:
		return true;
	case PFC_ZERO_SOURCE:
		return defect != DEFECT_ZERO_SOURCE_DROPPED;
	case PFC_GLOBAL_PAUSE:
		if (defect != DEFECT_GLOBAL_PAUSE_OBEYED)
			return false;
		all_priorities(d, 0xff);
		return true;
	case PFC_ZERO_VECTOR:
		if (defect != DEFECT_ZERO_VECTOR_OBEYED)
			return false;
		all_priorities(d, p->profile->lossless);
		return true;
	default:
		return defect == DEFECT_MALFORMED_PFC_OBEYED;
	}
}

/* The port does not do with a valid frame what it must. */
static void misread(const struct fsw_port *p, struct desc *d)
{
	switch (p->profile->defect) {
	case DEFECT_PFC_IGNORED:
		d->psn = 0;
		break;
	case DEFECT_PFC_WHOLE_PORT:
		if (d->psn & p->profile->lossless)
			d->psn = 0xff;
		if (d->sent_unit & p->profile->lossless)
			d->sent_unit = 0xff;
		break;
	case DEFECT_PFC_ONE_PRIORITY:
		d->psn &= ~d->psn + 1;
		break;
	case DEFECT_PFC_HALF_TIME:
		d->conn = (d->conn + 1) / 2;
		break;
	default:
		break;
	}
}

bool fsw_pfc_take(struct fsw_port *p, struct desc *d)
{
	const uint8_t defect = p->profile->defect;

	if (!is_pfc(p, d))
		return false;
	for (unsigned m = d->psn & 0xff; m; m &= m - 1)
		p->cold->pfc_received[__builtin_ctz(m)]++;
	if (UNLIKELY(defect))
		misread(p, d);
	if (defect != DEFECT_PFC_OBEYED_ON_LOSSY && defect != DEFECT_PFC_WHOLE_PORT &&
	        d->entropy != PFC_GLOBAL_PAUSE)
		d->psn &= p->profile->lossless;
	return d->psn != 0;
}

bool fsw_pfc_give(struct fsw_port *p)
{
	if (p->profile->defect == DEFECT_XOFF_MISSING)
		p->pfc_xoff = 0;
	if (p->profile->defect == DEFECT_XON_MISSING) {
		p->xoff_sent &= (uint8_t)~p->pfc_xon;
		p->pfc_xon = 0;
	}
	return (p->pfc_xoff | p->pfc_xon) != 0;
}

uint16_t fsw_pfc_form(const struct fsw_port *p)
{
	return p->profile->defect == DEFECT_PFC_SOURCE_ZERO ? PFC_ZERO_SOURCE : PFC_VALID;
}
