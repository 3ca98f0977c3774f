/* SPDX-License-Identifier: Apache-2.0 */
/* IBTA volume 1 sections 9.3.1 to 9.3.9 (extended transport headers), annex A19 (FLUSH). */
#include "dataplane/wire/opcode.h"
#include "dataplane/wire/parse_int.h"

static void parse_one(struct frame *f, uint8_t ext, const uint8_t *h)
{
	switch (ext) {
	case EXT_RETH:
		f->has |= FRAME_HAS_RETH;
		f->reth_va = be64(h);
		f->reth_rkey = be32(h + 8);
		f->reth_bytes = be32(h + 12);
		break;
	case EXT_AETH:
		f->has |= FRAME_HAS_AETH;
		f->aeth_syndrome = h[0];
		f->aeth_msn = be24(h + 1);
		break;
	case EXT_DETH:
		f->has |= FRAME_HAS_DETH;
		f->deth_qkey = be32(h);
		f->deth_src_qp = be24(h + 5);
		break;
	case EXT_ATOMIC:
		f->has |= FRAME_HAS_ATOMIC_ETH;
		f->atomic_va = be64(h);
		f->reth_rkey = be32(h + 8);
		f->atomic_swap_add = be64(h + 12);
		f->atomic_compare = be64(h + 20);
		break;
	case EXT_ATOMIC_ACK:
		f->has |= FRAME_HAS_ATOMIC_ACK_ETH;
		f->atomic_ack = be64(h);
		break;
	case EXT_IMM:
		f->has |= FRAME_HAS_IMM;
		f->imm = be32(h);
		break;
	case EXT_IETH:
		f->has |= FRAME_HAS_IETH;
		f->ieth_rkey = be32(h);
		break;
	case EXT_XRC:
		f->has |= FRAME_HAS_XRCETH;
		f->xrceth_srq = be24(h + 1);
		break;
	case EXT_RDETH:
		f->has |= FRAME_HAS_RDETH;
		f->rdeth_eecn = be24(h + 1);
		break;
	case EXT_FETH:
		f->has |= FRAME_HAS_FETH;
		f->feth = be32(h);
		break;
	default:
		break;
	}
}

void parse_extended(struct parse *s, const struct opcode_info *info)
{
	/* The last four bytes are the ICRC, whatever the opcode would have there. */
	uint32_t end = s->end - s->at > ICRC_BYTES ? s->end - ICRC_BYTES : s->at;

	if (s->end < s->at)
		end = s->at;
	parse_set_end(s, end);
	for (int i = 0; i < info->n_ext; i++) {
		if (!parse_need(s, opcode_ext_bytes[info->ext[i]]))
			return;
		parse_one(s->f, info->ext[i], s->p + s->at);
		s->at += opcode_ext_bytes[info->ext[i]];
	}
}
