/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/tap_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"
#include "dataplane/base/units.h"
#include "dataplane/wire/opcode.h"
#include "gen/rnic/conn.h"

#define PKEY               0xffff /* default partition, full member */
#define TTL                64
#define VLAN_TPID          0x8100
#define VLAN_ID            1
#define QKEY               0x11111111u
#define PATTERN_TURN       256
#define ICRC_BYTES         4
#define COPIES_APART_SHIFT 9  /* of desc.sent_unit: 33 ns */
#define IPV4_HEADER        58 /* fabric.frame.header over untagged IPv4 */
#define IPV6_MORE          20
#define VLAN_MORE          4

/* Code of the shortest RNR timer that is no shorter (IBTA table 46, in units of 10 us; code 0
 * stands for the longest). */
static uint8_t rnr_code(int64_t timer_ps)
{
	static const uint16_t units[32] = {65535, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96,
	        128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	        16384, 24576, 32768, 49152};

	for (uint8_t c = 1; c < 32; c++)
		if (timer_ps <= units[c] * 10 * PS_PER_US)
			return c;
	return 0;
}

static bool has_one_port(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->n_faults; i++)
		if (s->fault[i].kind == FAULT_ONE_SOURCE_PORT)
			return true;
	return false;
}

int tap_frames_init(struct tap_frames *f, const struct scenario *s, struct err *e)
{
	const int64_t more = s->frame.header_bytes - IPV4_HEADER;
	const size_t n = (size_t)s->frame.path_mtu_bytes + PATTERN_TURN;
	int rc;

	*f = (struct tap_frames){
	        .s = s,
	        .ip_version = more == IPV6_MORE || more == IPV6_MORE + VLAN_MORE ? 6 : 4,
	        .n_vlan = more == VLAN_MORE || more == IPV6_MORE + VLAN_MORE,
	        .has_reth = s->frame.reth_bytes > 0,
	        .one_port = has_one_port(s),
	        .rnr_code = rnr_code(s->nic.rnr_timer_ps),
	        .pattern = malloc(n),
	};
	if (!f->pattern)
		return err_set(e, -ENOMEM, "capture: out of memory");
	for (size_t i = 0; i < n; i++)
		f->pattern[i] = (uint8_t)i;
	rc = tap_ports_init(&f->ports, s->topo, (uint64_t)s->run.seed, e);
	return rc ? rc
	          : tap_qps_init(&f->qps, s->topo->n_hosts, (uint32_t)s->frame.path_mtu_bytes,
	                    (uint64_t)s->run.seed, s->measure.first_psn, e);
}

void tap_frames_fini(struct tap_frames *f)
{
	tap_qps_fini(&f->qps);
	tap_ports_fini(&f->ports);
	free(f->pattern);
	f->pattern = NULL;
}

/* Where the class is not the one that the DSCP was configured for, the DSCP of the class: the
 * rule of switches that trust it (scenario key fabric.switch.trust). */
static uint8_t dscp_of(int64_t dscp, int64_t configured_priority, uint8_t priority)
{
	return (uint8_t)(configured_priority == priority ? dscp : priority << 3);
}

static uint8_t dscp(const struct tap_frames *f, const struct capture_record *r)
{
	const struct load_cfg *en = &f->s->entry[r->entry].cfg;
	const struct rnic_cfg *nic = &f->s->nic;
	const bool own = en->dscp >= 0;
	const int64_t data_dscp = own ? en->dscp : nic->dscp;
	/* The DSCP of the NIC is that of the NIC's priority, whatever the entry's is. */
	const int64_t data_priority = own && en->priority >= 0 ? en->priority : nic->priority;

	if (r->d.kind == DESC_CNP)
		return dscp_of(nic->cnp_dscp, nic->cnp_priority, r->d.priority);
	return dscp_of(data_dscp, data_priority, r->d.priority);
}

static uint8_t ecn(const struct tap_frames *f, const struct desc *d)
{
	if (d->flags & DESC_CE)
		return 3;
	if (!(d->flags & DESC_ECT))
		return 0;
	return f->s->nic.ect == 2 ? 1 : 2;
}

/* The source port that the hash of the fabric saw: chosen by the scenario, or one of the QP. */
static uint16_t source_port(
        const struct tap_frames *f, const struct capture_record *r, struct tap_qp *q)
{
	const int64_t chosen = f->s->entry[r->entry].cfg.udp_source_port;
	const uint64_t addresses = (uint64_t)r->src << 32 | r->conn_dst;
	const uint64_t seed = (uint64_t)f->s->run.seed;

	if (f->one_port && r->d.entropy == (uint16_t)hash_combine(hash_combine(seed, addresses),
	                                           FAULT_ONE_PORT))
		return FAULT_ONE_PORT;
	if (chosen)
		return (uint16_t)chosen;
	if (!q->port || q->entropy != r->d.entropy) {
		q->entropy = r->d.entropy;
		q->port = tap_ports_find(&f->ports, r->src, r->conn_dst, r->d.entropy);
	}
	return q->port;
}

static uint8_t operation(const struct tap_frames *f, const struct capture_record *r)
{
	static const uint8_t write[4] = {
	        BTH_WRITE_MIDDLE, BTH_WRITE_FIRST, BTH_WRITE_LAST, BTH_WRITE_ONLY};
	static const uint8_t send[4] = {
	        BTH_SEND_MIDDLE, BTH_SEND_FIRST, BTH_SEND_LAST, BTH_SEND_ONLY};
	const unsigned part =
	        (r->d.flags & DESC_FIRST ? 1u : 0) | (r->d.flags & DESC_LAST ? 2u : 0);

	switch (r->transport) {
	case QP_UD:
		return BTH_UD | BTH_SEND_ONLY;
	case QP_UC:
		return BTH_UC | (f->has_reth ? write : send)[part];
	default:
		return BTH_RC | (f->has_reth ? write : send)[part];
	}
}

static void data(const struct tap_frames *f, const struct capture_record *r,
        const struct tap_qp *q, struct frame_spec *s)
{
	const struct desc *d = &r->d;
	const uint64_t offset = (uint64_t)d->psn * f->qps.mtu_bytes;

	s->opcode = operation(f, r);
	s->ack_req = r->transport == QP_RC && (d->flags & (DESC_LAST | DESC_ACK_REQ));
	s->dqp = q->responder;
	s->psn = (q->first_psn + d->psn) & 0xffffff;
	s->payload = f->pattern + offset % PATTERN_TURN;
	s->payload_bytes = d->payload_bytes;
	s->deth_qkey = QKEY;
	s->deth_src_qp = q->requester;
	s->reth_va = (uint64_t)q->responder << 40 | offset;
	s->reth_rkey = q->responder << 8 | 1;
	if (f->has_reth && (d->flags & DESC_FIRST))
		s->reth_bytes = (uint32_t)tap_qp_message_bytes(q, d->psn, d->payload_bytes);
}

static void answer(const struct tap_frames *f, const struct capture_record *r,
        const struct tap_qp *q, struct frame_spec *s)
{
	const struct desc *d = &r->d;
	/* An ACK names the last PSN that arrived, all others the one expected. */
	const uint32_t expected = d->kind == DESC_ACK ? d->psn + 1 : d->psn;

	s->opcode = BTH_RC | BTH_ACKNOWLEDGE;
	s->dqp = q->requester;
	s->psn = (q->first_psn + d->psn) & 0xffffff;
	s->becn = (d->flags & DESC_CNP_ECHO) != 0;
	s->aeth_msn = tap_qp_messages(q, expected) & 0xffffff;
	switch (d->kind) {
	case DESC_NAK:
		s->aeth_syndrome = TAP_AETH_NAK;
		break;
	case DESC_RNR_NAK:
		s->aeth_syndrome = TAP_AETH_RNR | f->rnr_code;
		break;
	case DESC_SACK:
		s->aeth_syndrome = TAP_AETH_SACK;
		s->aeth_msn = (q->first_psn + d->sent_unit) & 0xffffff;
		break;
	default:
		s->aeth_syndrome = TAP_AETH_ACK;
		break;
	}
}

static void notification(const struct tap_qp *q, struct frame_spec *s)
{
	s->opcode = BTH_CNP;
	s->dqp = q->requester;
	s->becn = true;
}

/*
 * Differs from one transmission to the next, whichever ports are captured. Copies of a data
 * packet are further apart than a packet takes, so 33 ns tell them apart, for 2 ms without
 * fail; answers may follow closely and have a hash of their time.
 */
static uint16_t identification(const struct capture_record *r)
{
	uint64_t h = (uint64_t)r->src << 32 | r->slot;

	if (r->d.kind == DESC_DATA)
		return (uint16_t)(hash_combine(h, 0) + r->d.psn +
		                  (r->d.sent_unit >> COPIES_APART_SHIFT));
	h = hash_combine(h, (uint64_t)r->d.sent_unit << 32 | (uint64_t)r->d.kind << 24 |
	                            (r->d.psn & 0xffffff));
	return (uint16_t)(1 + h % 65535);
}

static struct frame_spec common(
        const struct tap_frames *f, const struct capture_record *r, struct tap_qp *q)
{
	const bool is_data = r->d.kind == DESC_DATA;
	const uint32_t src = is_data ? r->src : r->conn_dst,
	               dst = is_data ? r->conn_dst : r->src;
	struct frame_spec s = {
	        .ip_version = f->ip_version,
	        .n_vlan = f->n_vlan,
	        .dscp = dscp(f, r),
	        .ecn = ecn(f, &r->d),
	        .ttl = TTL,
	        .ip_id = identification(r),
	        .dont_fragment = true,
	        .sport = source_port(f, r, q),
	        .flow_label = r->d.entropy,
	        .migreq = true,
	        .pkey = PKEY,
	};

	s.vlan[0].tpid = VLAN_TPID;
	s.vlan[0].tci = (uint16_t)(r->d.priority << 13 | VLAN_ID);
	tap_host_mac(s.src.mac, src);
	tap_host_mac(s.dst.mac, dst);
	tap_host_ip(s.src.ip, f->ip_version, src);
	tap_host_ip(s.dst.ip, f->ip_version, dst);
	return s;
}

/* One bit of the payload, or of the ICRC where there is none: the headers stay. */
static void damage(uint8_t *frame, const struct frame_spec *s)
{
	frame[frame_spec_bytes(s) - ICRC_BYTES - s->payload_bytes] ^= 1;
}

uint32_t tap_frame(
        struct tap_frames *f, uint8_t out[TAP_FRAME_MAX_BYTES], const struct capture_record *r)
{
	struct tap_qp *q;
	struct frame_spec s;
	uint8_t mac[6];
	uint32_t n;

	if (r->d.kind == DESC_PFC) {
		const struct topo *t = f->s->topo;
		const struct topo_port *p = &t->port[t->node[r->node].first_port + r->port];

		if (r->d.flags & DESC_CORRUPT)
			return 0;
		if (r->what == CAPTURE_SENT)
			tap_port_mac(mac, t, r->node, r->port);
		else
			tap_port_mac(mac, t, p->peer_node, p->peer_port);
		return tap_pause_frame(out, mac, &r->d);
	}
	if (r->what == CAPTURE_MESSAGE) {
		tap_qps_message(
		        &f->qps, r->src, r->slot, r->conn_dst, r->d.psn, r->message_bytes);
		return 0;
	}
	q = tap_qps_get(&f->qps, r->src, r->slot);
	s = common(f, r, q);
	if (r->d.kind == DESC_DATA)
		data(f, r, q, &s);
	else if (r->d.kind == DESC_CNP)
		notification(q, &s);
	else
		answer(f, r, q, &s);
	n = frame_build(out, TAP_FRAME_MAX_BYTES, &s, true);
	CHECK(n);
	f->other_size += n != r->d.frame_bytes;
	if (r->d.flags & DESC_CORRUPT)
		damage(out, &s);
	return n;
}
