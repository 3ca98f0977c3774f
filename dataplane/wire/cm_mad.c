/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/cm_mad.h"

#include <string.h>

#include "dataplane/wire/be.h"
#include "dataplane/wire/opcode.h"

#define MAD_HEADER_BYTES 24
#define MAD_BASE_VERSION 1
#define MAD_CLASS_CM     0x07
#define GSI_QP           1
#define IP_CM_SERVICE    0x0000000001000000u /* annex A11: then protocol and port */

/* Where fields stand behind the header of the MAD (IBTA tables 106 to 116). */
enum {
	REQ_SERVICE_ID = 8,
	REQ_QPN = 32,
	REQ_TRANSPORT = 43,
	REQ_PSN = 44,
	REQ_RETRIES = 47,
	REQ_MTU = 50,
	REQ_SRC_GID = 56,
	REQ_DST_GID = 72,
	REQ_ACK_TIMEOUT = 95,
	REQ_PRIVATE = 140,
	REP_QPN = 12,
	REP_PSN = 20,
	REP_RNR = 27,
	REP_PRIVATE = 36,
	REJ_REASON = 10,
	DREQ_QPN = 8,
	SIDR_REQ_SERVICE_ID = 8,
	SIDR_REQ_PRIVATE = 16,
	SIDR_REP_QPN = 8,
	SIDR_REP_QKEY = 20,
	SIDR_REP_FIXED = 24,
};

struct message {
	const uint8_t *p; /* behind the header of the MAD */
	uint32_t bytes;   /* captured */
};

/* The private data's head under the RDMA IP CM service (annex A11.2): version, IP version,
 * port, source, destination. */
static void read_addresses(struct cm_mad *m, const struct message *in, uint32_t at)
{
	const uint8_t *h = in->p + at;
	int skip = 0;

	if (m->service_id >> 24 != IP_CM_SERVICE >> 24 || in->bytes < at + 36)
		return;
	m->ip_version = h[1] >> 4;
	if (m->ip_version != 4 && m->ip_version != 6)
		return;
	m->has_ip = true;
	m->ip_port = (uint16_t)m->service_id;
	m->src_port = be16(h + 2);
	if (m->ip_version == 4)
		skip = 12; /* IPv4 is at the end of its field */
	memcpy(m->src_ip, h + 4 + skip, 16 - (size_t)skip);
	memcpy(m->dst_ip, h + 20 + skip, 16 - (size_t)skip);
}

static bool read_req(struct cm_mad *m, const struct message *in)
{
	const uint8_t *h = in->p;

	if (in->bytes < REQ_PRIVATE)
		return false;
	m->service_id = be64(h + REQ_SERVICE_ID);
	m->qpn = be24(h + REQ_QPN);
	m->transport = h[REQ_TRANSPORT] >> 1 & 3;
	m->psn = be24(h + REQ_PSN);
	m->retries = h[REQ_RETRIES] & 7;
	m->mtu = h[REQ_MTU] >> 4;
	m->rnr_retries = h[REQ_MTU] & 7;
	m->ack_timeout = h[REQ_ACK_TIMEOUT] >> 3;
	m->has_gids = true;
	memcpy(m->src_gid, h + REQ_SRC_GID, 16);
	memcpy(m->dst_gid, h + REQ_DST_GID, 16);
	read_addresses(m, in, REQ_PRIVATE);
	return true;
}

static bool read_rep(struct cm_mad *m, const struct message *in)
{
	if (in->bytes < REP_PRIVATE)
		return false;
	m->qpn = be24(in->p + REP_QPN);
	m->psn = be24(in->p + REP_PSN);
	m->rnr_retries = in->p[REP_RNR] >> 5;
	return true;
}

static bool read_sidr_req(struct cm_mad *m, const struct message *in)
{
	if (in->bytes < SIDR_REQ_PRIVATE)
		return false;
	m->service_id = be64(in->p + SIDR_REQ_SERVICE_ID);
	read_addresses(m, in, SIDR_REQ_PRIVATE);
	return true;
}

static bool read_sidr_rep(struct cm_mad *m, const struct message *in)
{
	if (in->bytes < SIDR_REP_FIXED)
		return false;
	m->qpn = be24(in->p + SIDR_REP_QPN);
	m->qkey = be32(in->p + SIDR_REP_QKEY);
	return true;
}

static bool read_message(struct cm_mad *m, const struct message *in)
{
	if (in->bytes < 12)
		return false;
	m->local_id = be32(in->p);
	if (m->kind != CM_REQ && m->kind != CM_SIDR_REQ)
		m->remote_id = be32(in->p + 4);
	switch (m->kind) {
	case CM_REQ:
		return read_req(m, in);
	case CM_REP:
		return read_rep(m, in);
	case CM_REJ:
		m->reject_reason = be16(in->p + REJ_REASON);
		return true;
	case CM_DREQ:
		m->remote_qpn = be24(in->p + DREQ_QPN);
		return true;
	case CM_SIDR_REQ:
		return read_sidr_req(m, in);
	case CM_SIDR_REP:
		/* Alone among them it has the requester's ID alone. */
		m->remote_id = m->local_id;
		m->local_id = 0;
		return read_sidr_rep(m, in);
	case CM_MRA:
	case CM_RTU:
	case CM_DREP:
	case CM_LAP:
	case CM_APR:
		return true;
	default:
		return false;
	}
}

bool cm_mad_parse(struct cm_mad *m, const struct frame *f)
{
	const uint8_t *mad = f->data + f->payload_at;
	struct message in;
	uint32_t bytes;

	memset(m, 0, sizeof(*m));
	if (!(f->has & FRAME_HAS_DETH) || f->dqp != GSI_QP ||
	        f->opcode != (BTH_UD | BTH_SEND_ONLY) || f->payload_at >= f->cap_bytes)
		return false;
	bytes = f->cap_bytes - f->payload_at;
	if (bytes > f->payload_bytes)
		bytes = f->payload_bytes;
	if (bytes < MAD_HEADER_BYTES || mad[0] != MAD_BASE_VERSION || mad[1] != MAD_CLASS_CM ||
	        be16(mad + 16) > CM_APR)
		return false;
	m->transaction = be64(mad + 8);
	m->kind = (uint8_t)be16(mad + 16);
	in = (struct message){.p = mad + MAD_HEADER_BYTES, .bytes = bytes - MAD_HEADER_BYTES};
	return read_message(m, &in);
}
