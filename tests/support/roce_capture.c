/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/roce_capture.h"

#include <stdlib.h>
#include <string.h>

#include "capture/pcapng_writer.h"
#include "dataplane/base/check.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/opcode.h"

#define MAX_FRAME       9300
#define FRAME_OVERHEAD  24 /* FCS, preamble and gap */
#define CNP_INTERVAL_NS 4000
#define AFTER_LOSS      3 /* packets that arrive between a loss and its NAK */
#define ACK_UNLIMITED   0x1f
#define NAK_SEQUENCE    0x60
#define PFC_PRIORITY    3
#define PAUSE_FRAMES    20 /* frames between an XOFF and its XON */
#define ECN_ECT0        2
#define ECN_CE          3
#define DSCP_DATA       26
#define DSCP_CNP        48

struct flow {
	struct frame_spec to_receiver, to_sender;
	uint32_t first_psn, at; /* of the message, and the next packet in it */
	uint32_t shown;         /* packets of the message that were shown, from its begin */
	uint32_t gap;           /* where it goes back to */
	uint32_t until_nak;     /* packets before the NAK; 0: none is due */
	uint32_t msn;
	bool ack_due, nak_due, cnp_due;
	int64_t last_cnp_ns;
};

struct maker {
	struct roce_capture_spec s;
	struct roce_capture_counts *c;
	struct flow *flow;
	FILE *f;
	enum roce_capture_format format;
	struct pcapng_writer w;
	struct rng rng;
	int64_t t_ps;
	uint64_t to_xoff, to_xon, to_loss;
	uint8_t frame[MAX_FRAME];
};

static void set_address(struct frame_addr *a, bool ipv6, uint32_t host)
{
	static const uint8_t v6[] = {0xfd, 0, 0, 0x5c};
	const uint8_t mac[6] = {2, 0, 0, 0, (uint8_t)(host >> 8), (uint8_t)host};

	memcpy(a->mac, mac, sizeof(mac));
	if (ipv6) {
		memcpy(a->ip, v6, sizeof(v6));
		a->ip[14] = (uint8_t)(host >> 8);
		a->ip[15] = (uint8_t)host;
		return;
	}
	a->ip[0] = 198;
	a->ip[1] = 18;
	a->ip[2] = (uint8_t)(host >> 8);
	a->ip[3] = (uint8_t)host;
}

/* Flow i goes from host 1 + i to one of a quarter as many receivers. */
static void flow_init(struct flow *f, const struct roce_capture_spec *s, uint32_t i)
{
	struct frame_spec base = {.ip_version = s->ipv6 ? 6 : 4,
	        .ttl = 64,
	        .dont_fragment = true,
	        .pkey = 0xffff,
	        .migreq = true,
	        .dscp = DSCP_DATA,
	        .sport = (uint16_t)(0xc000 + i * 7919 % 0x4000)};

	*f = (struct flow){
	        .to_receiver = base, .to_sender = base, .last_cnp_ns = INT64_MIN / 2};
	set_address(&f->to_receiver.src, s->ipv6, 1 + i);
	set_address(&f->to_receiver.dst, s->ipv6, 0x8000 + i / 4);
	f->to_sender.src = f->to_receiver.dst;
	f->to_sender.dst = f->to_receiver.src;
	f->to_receiver.dqp = 0x1000 + i;
	f->to_sender.dqp = 0x2000 + i;
	f->first_psn = i * 0x10001 & 0xffffff;
}

static void put_packet(struct maker *m, const struct packet *p)
{
	const uint32_t head[4] = {(uint32_t)(p->t_ns / 1000000000),
	        (uint32_t)(p->t_ns % 1000000000), p->cap_bytes, p->wire_bytes};

	if (m->format == ROCE_PCAPNG) {
		pcapng_packet(&m->w, p, NULL);
		return;
	}
	(void)fwrite_unlocked(head, sizeof(head), 1, m->f); /* ferror tells */
	(void)fwrite_unlocked(p->data, p->cap_bytes, 1, m->f);
}

static void emit(struct maker *m, uint32_t bytes)
{
	struct packet p = {.t_ns = CLOCK_VIRTUAL_EPOCH_NS + m->t_ps / 1000,
	        .data = m->frame,
	        .cap_bytes =
	                m->s.snap_bytes && bytes > m->s.snap_bytes ? m->s.snap_bytes : bytes,
	        .wire_bytes = bytes};

	CHECK(bytes);
	put_packet(m, &p);
	if (!m->c->frames++)
		m->c->first_ns = p.t_ns;
	m->c->last_ns = p.t_ns;
	m->t_ps +=
	        (int64_t)((bytes + FRAME_OVERHEAD) * UINT64_C(8000000000000) / m->s.rate_bps);
}

static void emit_spec(struct maker *m, const struct frame_spec *s)
{
	emit(m, frame_build(m->frame, sizeof(m->frame), s, true));
}

static void emit_pfc(struct maker *m, bool xoff)
{
	static const uint8_t mac[6] = {2, 0, 0, 1, 0, 1};
	uint16_t quanta[8] = {0};

	quanta[PFC_PRIORITY] = xoff ? UINT16_MAX : 0;
	pfc_frame_build(m->frame, mac, 1 << PFC_PRIORITY, quanta);
	emit(m, PFC_FRAME_BYTES);
	m->c->xoff_frames += xoff;
	m->c->xon_frames += !xoff;
}

static void emit_ack(struct maker *m, struct flow *f, bool nak)
{
	struct frame_spec *s = &f->to_sender;

	s->opcode = BTH_RC | BTH_ACKNOWLEDGE;
	s->dscp = DSCP_DATA;
	s->ecn = 0;
	s->becn = false;
	s->psn = (f->first_psn + (nak ? f->gap : 0) - (nak ? 0 : 1)) & 0xffffff;
	s->aeth_syndrome = nak ? NAK_SEQUENCE : ACK_UNLIMITED;
	s->aeth_msn = f->msn & 0xffffff;
	emit_spec(m, s);
	m->c->acks += !nak;
	m->c->naks += nak;
}

static void emit_cnp(struct maker *m, struct flow *f)
{
	struct frame_spec *s = &f->to_sender;

	s->opcode = BTH_CNP;
	s->dscp = DSCP_CNP;
	s->ecn = ECN_ECT0;
	s->becn = true;
	s->psn = 0;
	f->last_cnp_ns = m->t_ps / 1000;
	emit_spec(m, s);
	m->c->cnps++;
}

static uint8_t opcode_of(uint32_t at, uint32_t packets)
{
	if (packets == 1)
		return BTH_RC | BTH_WRITE_ONLY;
	if (at == 0)
		return BTH_RC | BTH_WRITE_FIRST;
	return BTH_RC | (at + 1 == packets ? BTH_WRITE_LAST : BTH_WRITE_MIDDLE);
}

static void emit_data(struct maker *m, struct flow *f)
{
	const uint32_t packets = m->s.message_packets;
	struct frame_spec *s = &f->to_receiver;
	bool marked = m->s.ce_every && rng_below(&m->rng, m->s.ce_every) == 0;

	s->opcode = opcode_of(f->at, packets);
	s->psn = (f->first_psn + f->at) & 0xffffff;
	s->ecn = marked ? ECN_CE : ECN_ECT0;
	s->ack_req = f->at + 1 == packets;
	s->reth_va = UINT64_C(0x7f0000000000) + (uint64_t)f->msn * packets * m->s.payload_bytes;
	s->reth_rkey = 0x1234;
	s->reth_bytes = packets * m->s.payload_bytes;
	s->payload_bytes = m->s.payload_bytes;
	m->c->data_packets++;
	m->c->payload_bytes += s->payload_bytes;
	m->c->ce_packets += marked;
	m->c->messages += s->ack_req && f->at >= f->shown;
	m->c->retransmitted += f->at < f->shown && f->at != f->gap;
	if (marked && m->t_ps / 1000 - f->last_cnp_ns >= CNP_INTERVAL_NS)
		f->cnp_due = true;
	emit_spec(m, s);
	if (f->at >= f->shown)
		f->shown = f->at + 1;
	f->at++;
}

/* A packet that does not arrive: not the first, and with enough behind it to notice. */
static void perhaps_lose(struct maker *m, struct flow *f)
{
	if (!m->s.loss_every || m->to_loss-- || f->at < f->shown || f->until_nak)
		return;
	m->to_loss = m->s.loss_every;
	if (f->at == 0 || f->at + AFTER_LOSS >= m->s.message_packets) {
		m->to_loss = 0; /* the next one, then */
		return;
	}
	f->gap = f->at++;
	f->until_nak = AFTER_LOSS;
	m->c->missing_psns++;
}

/* The next frame of the flow. */
static void step(struct maker *m, struct flow *f)
{
	if (f->cnp_due) {
		f->cnp_due = false;
		emit_cnp(m, f);
	} else if (f->nak_due) {
		f->nak_due = false;
		emit_ack(m, f, true);
		f->at = f->gap;
	} else if (f->ack_due) {
		f->ack_due = false;
		emit_ack(m, f, false);
	} else {
		perhaps_lose(m, f);
		emit_data(m, f);
		f->nak_due = f->until_nak && --f->until_nak == 0;
		if (f->at < m->s.message_packets || f->nak_due || f->until_nak)
			return;
		f->ack_due = true;
		f->msn++;
		f->first_psn = (f->first_psn + m->s.message_packets) & 0xffffff;
		f->at = f->shown = 0;
		f->gap = UINT32_MAX;
	}
}

static void perhaps_pause(struct maker *m)
{
	if (!m->s.pfc_every)
		return;
	if (m->to_xoff-- == 0) {
		m->to_xoff = m->s.pfc_every;
		m->to_xon = PAUSE_FRAMES;
		emit_pfc(m, true);
	} else if (m->to_xon && --m->to_xon == 0) {
		emit_pfc(m, false);
	}
}

static void begin(struct maker *m)
{
	const struct capture_interface i = {.name = "generated",
	        .description = "made by a test",
	        .link = 1,
	        .snap_bytes = m->s.snap_bytes,
	        .speed_bps = m->s.rate_bps,
	        .clock = {"virtual", CLOCK_VIRTUAL, TIMESCALE_VIRTUAL, 0, -1}};
	const uint32_t head[6] = {
	        0xa1b23c4d, 4u << 16 | 2, 0, 0, m->s.snap_bytes ? m->s.snap_bytes : 262144, 1};

	if (m->format == ROCE_PCAPNG) {
		pcapng_begin(&m->w, m->f, "squall tests", NULL, NULL);
		(void)pcapng_interface(&m->w, &i, NULL);
	} else {
		(void)fwrite_unlocked(head, sizeof(head), 1, m->f);
	}
}

void roce_capture_write(FILE *f, enum roce_capture_format format,
        const struct roce_capture_spec *s, struct roce_capture_counts *c)
{
	struct maker *m = calloc(1, sizeof(*m));

	CHECK(m);
	*c = (struct roce_capture_counts){0};
	m->s = *s;
	m->s.flows = s->flows ? s->flows : 256;
	m->s.payload_bytes = s->payload_bytes ? s->payload_bytes : 1024;
	m->s.message_packets = s->message_packets ? s->message_packets : 64;
	m->s.rate_bps = s->rate_bps ? s->rate_bps : UINT64_C(400000000000);
	m->c = c;
	m->f = f;
	m->format = format;
	m->rng = rng_make(s->seed, 0, RNG_FAULT);
	m->to_xoff = s->pfc_every;
	m->to_loss = s->loss_every;
	m->flow = calloc(m->s.flows, sizeof(*m->flow));
	CHECK(m->flow);
	for (uint32_t i = 0; i < m->s.flows; i++) {
		flow_init(&m->flow[i], &m->s, i);
		m->flow[i].gap = UINT32_MAX;
	}
	begin(m);
	while (c->frames < s->frames) {
		step(m, &m->flow[rng_below(&m->rng, m->s.flows)]);
		if (c->frames < s->frames)
			perhaps_pause(m);
	}
	free(m->flow);
	free(m);
}
