/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/build.h"

#include "dataplane/wire/be.h"
#include "dataplane/wire/icrc_int.h"
#include "dataplane/wire/opcode.h"
#include "dataplane/wire/parse_int.h"

#define FRAME_MIN_BYTES 60 /* without FCS */
#define IP_MAX_BYTES    65535

/* BTH to ICRC. */
static uint32_t packet_bytes(const struct frame_spec *s)
{
	return BTH_BYTES + opcode_table[s->opcode].ext_bytes + (s->payload_bytes + 3) / 4 * 4 +
	       ICRC_BYTES;
}

/* IP header to BTH. */
static uint32_t network_bytes(const struct frame_spec *s)
{
	if (s->roce_v1)
		return IPV6_BYTES;
	return (s->ip_version == 4 ? IPV4_MIN_BYTES : IPV6_BYTES) + UDP_BYTES;
}

uint32_t frame_spec_bytes(const struct frame_spec *s)
{
	return ETH_BYTES + VLAN_BYTES * s->n_vlan + network_bytes(s) + packet_bytes(s);
}

static uint8_t *put_ethernet(uint8_t *p, const struct frame_spec *s)
{
	uint16_t type = s->ip_version == 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6;

	memcpy(p, s->dst.mac, 6);
	memcpy(p + 6, s->src.mac, 6);
	p += 12;
	for (int i = 0; i < s->n_vlan; i++, p += VLAN_BYTES) {
		put_be16(p, s->vlan[i].tpid);
		put_be16(p + 2, s->vlan[i].tci);
	}
	put_be16(p, s->roce_v1 ? ETHERTYPE_ROCE_V1 : type);
	return p + 2;
}

static uint16_t ipv4_checksum(const uint8_t *p)
{
	uint32_t sum = 0;

	for (int i = 0; i < IPV4_MIN_BYTES; i += 2)
		sum += be16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint8_t *put_ipv4(uint8_t *p, const struct frame_spec *s, uint32_t contents_bytes)
{
	p[0] = 0x45;
	p[1] = (uint8_t)(s->dscp << 2 | (s->ecn & 3));
	put_be16(p + 2, (uint16_t)(IPV4_MIN_BYTES + contents_bytes));
	put_be16(p + 4, s->ip_id);
	put_be16(p + 6, s->dont_fragment ? 0x4000 : 0);
	p[8] = s->ttl;
	p[9] = IP_PROTOCOL_UDP;
	put_be16(p + 10, 0);
	memcpy(p + 12, s->src.ip, 4);
	memcpy(p + 16, s->dst.ip, 4);
	put_be16(p + 10, ipv4_checksum(p));
	return p + IPV4_MIN_BYTES;
}

static uint8_t *put_ipv6(uint8_t *p, const struct frame_spec *s, uint32_t contents_bytes)
{
	put_be32(p, 6u << 28 | (s->dscp & 63u) << 22 | (s->ecn & 3u) << 20 |
	                    (s->flow_label & 0xfffff));
	put_be16(p + 4, (uint16_t)contents_bytes);
	p[6] = s->roce_v1 ? GRH_NEXT_IB : IP_PROTOCOL_UDP;
	p[7] = s->ttl;
	memcpy(p + 8, s->src.ip, 16);
	memcpy(p + 24, s->dst.ip, 16);
	return p + IPV6_BYTES;
}

/* Without a checksum, as RoCE senders do over both versions of IP (annex A17.4.5.2). */
static uint8_t *put_udp(uint8_t *p, const struct frame_spec *s, uint32_t bytes)
{
	put_be16(p, s->sport);
	put_be16(p + 2, ROCE_PORT);
	put_be16(p + 4, (uint16_t)bytes);
	put_be16(p + 6, 0);
	return p + UDP_BYTES;
}

static uint8_t *put_bth(uint8_t *p, const struct frame_spec *s)
{
	uint32_t pad = -s->payload_bytes & 3;

	p[0] = s->opcode;
	p[1] = (uint8_t)(s->solicited << 7 | s->migreq << 6 | pad << 4 | (s->tver & 15));
	put_be16(p + 2, s->pkey);
	put_be32(
	        p + 4, (uint32_t)s->fecn << 31 | (uint32_t)s->becn << 30 | (s->dqp & 0xffffff));
	put_be32(p + 8, (uint32_t)s->ack_req << 31 | (s->psn & 0xffffff));
	return p + BTH_BYTES;
}

static void put_one_extended(uint8_t *p, uint8_t ext, const struct frame_spec *s)
{
	switch (ext) {
	case EXT_RETH:
		put_be64(p, s->reth_va);
		put_be32(p + 8, s->reth_rkey);
		put_be32(p + 12, s->reth_bytes);
		break;
	case EXT_AETH:
		put_be32(p, (uint32_t)s->aeth_syndrome << 24 | (s->aeth_msn & 0xffffff));
		break;
	case EXT_DETH:
		put_be32(p, s->deth_qkey);
		put_be32(p + 4, s->deth_src_qp & 0xffffff);
		break;
	case EXT_ATOMIC:
		put_be64(p, s->atomic_va);
		put_be32(p + 8, s->reth_rkey);
		put_be64(p + 12, s->atomic_swap_add);
		put_be64(p + 20, s->atomic_compare);
		break;
	case EXT_ATOMIC_ACK:
		put_be64(p, s->atomic_ack);
		break;
	case EXT_IMM:
		put_be32(p, s->imm);
		break;
	case EXT_IETH:
		put_be32(p, s->ieth_rkey);
		break;
	case EXT_XRC:
		put_be32(p, s->xrceth_srq & 0xffffff);
		break;
	case EXT_RDETH:
		put_be32(p, s->rdeth_eecn & 0xffffff);
		break;
	case EXT_FETH:
		put_be32(p, s->feth);
		break;
	default:
		memset(p, 0, opcode_ext_bytes[ext]);
		break;
	}
}

static uint8_t *put_payload(uint8_t *p, const struct frame_spec *s)
{
	uint32_t pad = -s->payload_bytes & 3;

	if (s->payload_bytes && s->payload)
		memcpy(p, s->payload, s->payload_bytes);
	else
		memset(p, 0, s->payload_bytes);
	memset(p + s->payload_bytes, 0, pad);
	return p + s->payload_bytes + pad;
}

static bool is_frame(const struct frame_spec *s)
{
	return s->n_vlan <= 2 && s->payload_bytes <= IP_MAX_BYTES &&
	       (s->ip_version == 4 || s->ip_version == 6) &&
	       !(s->roce_v1 && s->ip_version == 4) &&
	       network_bytes(s) + packet_bytes(s) <= IP_MAX_BYTES;
}

/* Returns where the packet ends, before padding. */
static uint8_t *put_frame(uint8_t *out, const struct frame_spec *s)
{
	const struct opcode_info *info = &opcode_table[s->opcode];
	struct icrc_span span = {.data = out};
	uint32_t bytes = packet_bytes(s);
	uint8_t *p = put_ethernet(out, s);

	span.form = s->roce_v1 ? ICRC_GRH : s->ip_version == 4 ? ICRC_IPV4 : ICRC_IPV6;
	span.start_at = (uint16_t)(p - out);
	if (!s->roce_v1)
		bytes += UDP_BYTES;
	p = s->ip_version == 4 ? put_ipv4(p, s, bytes) : put_ipv6(p, s, bytes);
	span.udp_at = (uint16_t)(p - out);
	if (!s->roce_v1)
		p = put_udp(p, s, bytes);
	span.bth_at = (uint16_t)(p - out);
	p = put_bth(p, s);
	for (int i = 0; i < info->n_ext; i++) {
		put_one_extended(p, info->ext[i], s);
		p += opcode_ext_bytes[info->ext[i]];
	}
	p = put_payload(p, s);
	span.end_at = (uint32_t)(p - out);
	put_le32(p, ~icrc_register_by(crc_method_best(), &span));
	return p + ICRC_BYTES;
}

uint32_t frame_build(uint8_t *out, size_t max_bytes, const struct frame_spec *s, bool pad)
{
	uint32_t bytes, padded;

	if (!is_frame(s))
		return 0;
	bytes = frame_spec_bytes(s);
	padded = pad && bytes < FRAME_MIN_BYTES ? FRAME_MIN_BYTES : bytes;
	if (padded > max_bytes)
		return 0;
	memset(put_frame(out, s), 0, padded - bytes);
	return padded;
}
