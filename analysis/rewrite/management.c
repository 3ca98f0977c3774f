/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Datagrams to queue pairs 0 and 1. Of messages of the connection manager (IBTA volume 1 tables
 * 106 to 131) what is known is renamed: communication IDs, QP numbers, PSNs, LIDs, GIDs, the
 * addresses that the RDMA IP CM service puts before private data (annex A11). When anonymised
 * everything else but the harmless is zeroed: GUIDs, private data, other classes as a whole.
 */
#include <string.h>

#include "analysis/rewrite/rewrite_int.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/cm_mad.h"

enum { MAD_HEADER = 24, MAD_VERSION = 1, CLASS_CM = 7, USE_TRANSACTION = 16 };
#define IP_CM_SERVICE UINT64_C(0x0000000001000000)

struct mad {
	const struct rewriter *w;
	uint8_t *p; /* behind the header */
	uint32_t bytes;
	struct trace_addr src, dst; /* of the datagram, under their old names */
	bool known[256];            /* bytes that stay when the rest is zeroed */
};

static bool there(const struct mad *m, uint32_t at, uint32_t n)
{
	return at + n <= m->bytes;
}

static void known(struct mad *m, uint32_t at, uint32_t n)
{
	for (uint32_t i = at; i < at + n && i < sizeof(m->known); i++)
		m->known[i] = true;
}

static void comm_id(struct mad *m, uint32_t at)
{
	if (!there(m, at, 4))
		return;
	known(m, at, 4);
	if (m->w->o->anonymize && be32(m->p + at))
		put_be32(m->p + at,
		        pseudonym_number(m->w->names, PSEUDONYM_COMM, be32(m->p + at)));
}

/* A QP number and, at psn_at (0: none), the PSN that its owner wants to see first. */
static void qp(struct mad *m, uint32_t at, uint32_t psn_at)
{
	uint32_t qpn;

	if (!there(m, at, 3))
		return;
	known(m, at, 3);
	qpn = be24(m->p + at);
	put_be24(m->p + at, name_qpn(m->w, qpn));
	if (!psn_at || !there(m, psn_at, 3))
		return;
	known(m, psn_at, 3);
	put_be24(m->p + psn_at,
	        (be24(m->p + psn_at) + psn_shift(m->w, &m->dst, &m->src, qpn)) & 0xffffff);
}

static void qkey(struct mad *m, uint32_t at)
{
	if (!there(m, at, 4))
		return;
	known(m, at, 4);
	if (be32(m->p + at))
		put_be32(m->p + at, name_qkey(m->w, be32(m->p + at)));
}

/* LIDs of both ends, then their GIDs. */
static void path(struct mad *m, uint32_t at)
{
	if (!there(m, at, 36))
		return;
	known(m, at, 36);
	name_lid(m->w, m->p + at);
	name_lid(m->w, m->p + at + 2);
	name_ipv6(m->w, m->p + at + 4);
	name_ipv6(m->w, m->p + at + 20);
}

static void private_addresses(struct mad *m, uint32_t service_at, uint32_t at)
{
	uint8_t *h = m->p + at;

	if (!there(m, at, 36) || be64(m->p + service_at) >> 24 != IP_CM_SERVICE >> 24)
		return;
	if (h[1] >> 4 == 4) {
		known(m, at, 4);
		known(m, at + 16, 4);
		known(m, at + 32, 4);
		name_ipv4(m->w, h + 16);
		name_ipv4(m->w, h + 32);
	} else if (h[1] >> 4 == 6) {
		known(m, at, 36);
		name_ipv6(m->w, h + 4);
		name_ipv6(m->w, h + 20);
	} else {
		return;
	}
	put_be16(h + 2, name_port(m->w, be16(h + 2)));
}

static void request(struct mad *m)
{
	known(m, 8, 8);  /* service ID */
	known(m, 35, 1); /* responder resources */
	known(m, 39, 1); /* initiator depth */
	known(m, 43, 1); /* timeouts, transport, flow control */
	known(m, 47, 5); /* retries, P_Key, MTU */
	known(m, 91, 5); /* packet rate, class, hops, service level, timeout */
	comm_id(m, 0);
	qkey(m, 28);
	qp(m, 32, 44);
	path(m, 52);
	if (there(m, 96, 36) && (be16(m->p + 96) || be16(m->p + 98)))
		path(m, 96);
	private_addresses(m, 8, 140);
}

static void reply(struct mad *m)
{
	known(m, 23, 5); /* depths, delays, retries */
	comm_id(m, 0);
	comm_id(m, 4);
	qkey(m, 8);
	qp(m, 12, 20);
}

static void message(struct mad *m, uint16_t attribute)
{
	switch (attribute) {
	case CM_REQ:
		request(m);
		return;
	case CM_REP:
		reply(m);
		return;
	case CM_SIDR_REQ:
		comm_id(m, 0);
		known(m, 4, 12); /* P_Key, service ID */
		private_addresses(m, 8, 16);
		return;
	case CM_SIDR_REP:
		comm_id(m, 0);
		known(m, 4, 2); /* status */
		qp(m, 8, 0);
		known(m, 12, 8); /* service ID */
		qkey(m, 20);
		return;
	default:
		break;
	}
	comm_id(m, 0);
	comm_id(m, 4);
	if (attribute == CM_DREQ || attribute == CM_LAP)
		qp(m, attribute == CM_DREQ ? 8 : 12, 0);
	else if (attribute == CM_REJ || attribute == CM_MRA || attribute == CM_APR)
		known(m, 8, 4); /* what is refused, and why */
	if (attribute == CM_LAP && there(m, 20, 36))
		path(m, 20);
}

void rewrite_management(
        const struct rewriter *w, const struct frame *f, uint8_t *payload, uint32_t bytes)
{
	struct mad m = {.w = w, .p = payload + MAD_HEADER};
	bool cm;

	w->result->management++;
	if (bytes < MAD_HEADER) {
		if (hides(w, REWRITE_KEEP_PAYLOAD))
			memset(payload, 0, bytes);
		return;
	}
	cm = payload[0] == MAD_VERSION && payload[1] == CLASS_CM;
	m.bytes = bytes - MAD_HEADER;
	if (m.bytes > sizeof(m.known))
		m.bytes = sizeof(m.known);
	if (w->o->anonymize)
		put_be64(
		        payload + 8, pseudonym_hash(w->names, USE_TRANSACTION, payload + 8, 8));
	frame_ends(f, &m.src, &m.dst);
	if (cm)
		message(&m, be16(payload + 16));
	if (!hides(w, REWRITE_KEEP_PAYLOAD))
		return;
	for (uint32_t i = 0; i < m.bytes; i++)
		if (!m.known[i])
			m.p[i] = 0;
	memset(m.p + m.bytes, 0, bytes - MAD_HEADER - m.bytes);
}
