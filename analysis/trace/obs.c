/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/trace/obs.h"

#include <stddef.h>
#include <string.h>

#include "analysis/trace/trace_result.h"
#include "dataplane/base/compiler.h"
#include "dataplane/wire/opcode.h"

#define WIRE_OVERHEAD_BYTES 24 /* FCS 4, preamble and gap 20 */
#define FRAME_MIN_BYTES     60

/* splitmix64's finaliser: addresses of one lab differ in few bits. */
static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 29)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 32);
}

static uint64_t obs_hash(const struct obs *o)
{
	uint64_t w[4], h = 0x9e3779b97f4a7c15u + o->addr_kind;

	memcpy(w, &o->u.ip, sizeof(w));
	if (o->addr_kind == TRACE_ADDR_IPV6) {
		h = mix(h, w[1]);
		h = mix(h, w[3]);
	}
	h = mix(h, w[0] ^ (w[2] << 32 | w[2] >> 32));
	return mix(h, (uint64_t)o->src_qp << 32 | o->dqp);
}

static uint32_t be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

/*
 * Connection management in datagrams to QP 1 (IBTA volume 1 section 12.6): a REQ names the QP
 * of its sender at byte 32 behind the 24 bytes of MAD header, a REP its own at byte 12 and the
 * communication id of the REQ at byte 4.
 */
static void obs_cm(struct obs *o, const struct frame *f)
{
	enum { MAD_BYTES = 256, CLASS_CM = 7, ATTR_REQ = 0x10, ATTR_REP = 0x13, HEADER = 24 };
	const uint8_t *mad = f->data + f->payload_at;
	uint32_t attr;

	if (f->payload_bytes < MAD_BYTES ||
	        f->cap_bytes < f->payload_at + (uint32_t)MAD_BYTES || mad[1] != CLASS_CM)
		return;
	attr = (uint32_t)mad[16] << 8 | mad[17];
	if (attr == ATTR_REQ) {
		o->cm = OBS_CM_REQUEST;
		o->cm_id = be24(mad + HEADER) << 8 | mad[HEADER + 3];
		o->cm_qpn = be24(mad + HEADER + 32);
	} else if (attr == ATTR_REP) {
		o->cm = OBS_CM_REPLY;
		o->cm_id = be24(mad + HEADER + 4) << 8 | mad[HEADER + 7];
		o->cm_qpn = be24(mad + HEADER + 12);
	} else {
		return;
	}
	o->flags |= OBS_CM;
}

static void obs_addresses(struct obs *o, const struct frame *f)
{
	if (f->has & (FRAME_HAS_IPV4 | FRAME_HAS_IPV6)) {
		o->addr_kind = f->ip_version == 4 ? TRACE_ADDR_IPV4 : TRACE_ADDR_IPV6;
		memcpy(o->u.ip.src, f->src, 16);
		memcpy(o->u.ip.dst, f->dst, 16);
		return;
	}
	memset(&o->u, 0, sizeof(o->u));
	o->addr_kind = TRACE_ADDR_LID;
	o->u.ip.src[0] = (uint8_t)(f->slid >> 8);
	o->u.ip.src[1] = (uint8_t)f->slid;
	o->u.ip.dst[0] = (uint8_t)(f->dlid >> 8);
	o->u.ip.dst[1] = (uint8_t)f->dlid;
}

static void obs_roce(struct obs *o, const struct frame *f, const struct obs_options *opt)
{
	o->what = OBS_ROCE;
	o->opcode = f->opcode;
	o->dqp = f->dqp;
	o->psn = f->psn;
	o->payload_bytes = f->payload_bytes;
	o->sport = f->sport;
	o->ip_id = f->ip_id;
	o->dscp = f->dscp;
	o->ecn = f->ecn;
	o->pcp = f->has & FRAME_HAS_LRH ? f->sl
	         : f->n_vlan            ? (uint8_t)(f->vlan[0].tci >> 13)
	                                : OBS_UNTAGGED;
	if (f->ack_req)
		o->flags |= OBS_ACK_REQ;
	if (f->becn)
		o->flags |= OBS_BECN;
	if (f->has & FRAME_HAS_DETH)
		o->src_qp = f->deth_src_qp;
	if (f->has & FRAME_HAS_AETH) {
		o->flags |= OBS_AETH;
		o->syndrome = f->aeth_syndrome;
		o->aeth_msn = f->aeth_msn;
	}
	if (f->has & FRAME_HAS_RETH) {
		o->flags |= OBS_RETH;
		o->reth_bytes = f->reth_bytes;
	}
	if (!opt->no_icrc && f->has & FRAME_HAS_ICRC)
		o->icrc = (uint8_t)frame_icrc(f);
	if (f->ttl != 64 && f->ttl != 128 && f->ttl != 255)
		o->flags |= OBS_ROUTED;
	if (f->has & FRAME_HAS_ETH && o->direction != DIRECTION_UNKNOWN)
		memcpy(o->mac, f->data + f->l2_at + (o->direction == DIRECTION_OUT ? 6 : 0), 6);
	if (f->faults & (FRAME_BAD_LENGTH | FRAME_BAD_OPCODE | FRAME_BAD_IP_CHECKSUM))
		o->flags |= OBS_MALFORMED;
	obs_addresses(o, f);
	o->hash = obs_hash(o);
	if (f->dqp == 1 && f->has & FRAME_HAS_DETH)
		obs_cm(o, f);
}

static void obs_pause(struct obs *o, const struct frame *f)
{
	if (!(f->has & FRAME_HAS_PAUSE_TIMES))
		return;
	o->what = f->kind == FRAME_PFC ? OBS_PFC : OBS_PAUSE;
	memcpy(o->u.pfc.mac, f->data + f->l2_at + 6, 6);
	o->u.pfc.vector = f->kind == FRAME_PFC ? f->pfc_vector & 0xff : 1;
	memcpy(o->u.pfc.quanta, f->quanta, sizeof(o->u.pfc.quanta));
}

/*
 * RoCEv2 to another port than its own: where it was said, or where the ICRC proves it. A packet
 * of another protocol has four bytes there that fit by chance once in four thousand million.
 */
static NOINLINE void other_port(
        struct frame *f, uint32_t link, const struct packet *p, const struct obs_options *opt)
{
	bool said = opt->udp_port && f->dport == opt->udp_port;
	struct frame g;

	if (!f->dport || (!said && opt->no_icrc))
		return;
	frame_parse_port(&g, link, p->data, p->cap_bytes, p->wire_bytes, f->dport);
	if (g.has & FRAME_HAS_BTH &&
	        (said || (!(g.faults & (FRAME_BAD_OPCODE | FRAME_BAD_LENGTH)) &&
	                         frame_icrc(&g) == ICRC_GOOD)))
		*f = g;
}

void obs_of(struct obs *o, const struct packet *p, uint32_t link, uint64_t number,
        const struct obs_options *opt)
{
	struct frame f;
	uint32_t frame_bytes;

	frame_parse(&f, link, p->data, p->cap_bytes, p->wire_bytes);
	if (UNLIKELY(f.kind == FRAME_OTHER) && f.has & FRAME_HAS_UDP)
		other_port(&f, link, p, opt);
	memset(o, 0, offsetof(struct obs, u));
	o->t_ns = p->t_ns;
	o->number = number;
	o->interface = p->interface;
	o->direction = p->direction;
	o->kind = f.kind;
	frame_bytes = f.wire_bytes < FRAME_MIN_BYTES ? FRAME_MIN_BYTES : f.wire_bytes;
	o->wire_bytes = frame_bytes + WIRE_OVERHEAD_BYTES;
	if (f.faults & FRAME_TRUNCATED)
		o->flags |= OBS_TRUNCATED;
	if (frame_is_roce(&f))
		obs_roce(o, &f, opt);
	else if (f.kind == FRAME_PFC || f.kind == FRAME_PAUSE)
		obs_pause(o, &f);
}
