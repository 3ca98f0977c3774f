/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/tracekit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"

#define START_NS INT64_C(1700000000000000000)

uint32_t kit_interface(struct tracekit *k, const char *name, int64_t speed_bps)
{
	struct capture_interface i = {.link = 1,
	        .speed_bps = (uint64_t)speed_bps,
	        .resolution_ps = 1000,
	        .clock = {.kind = CLOCK_VIRTUAL, .timescale = TIMESCALE_VIRTUAL},
	        .received = CAPTURE_NO_COUNT,
	        .dropped_by_interface = CAPTURE_NO_COUNT,
	        .dropped_by_os = CAPTURE_NO_COUNT,
	        .filter_accepted = CAPTURE_NO_COUNT,
	        .delivered = CAPTURE_NO_COUNT};
	uint32_t index;

	(void)snprintf(i.name, sizeof(i.name), "%s", name);
	CHECK(!trace_interface_add(k->trace, &i, &index, NULL));
	return index;
}

void kit_open(struct tracekit *k, const struct trace_options *o, int64_t speed_bps)
{
	*k = (struct tracekit){.a_qp = 0x11,
	        .b_qp = 0x22,
	        .sport = 50000,
	        .back_sport = 50001,
	        .mtu = 1024,
	        .ecn = 2,
	        .ip_id = 1,
	        .t_ns = START_NS};
	if (o)
		k->opt = *o;
	CHECK(!trace_open(&k->trace, &k->opt, NULL));
	k->interface = kit_interface(k, "tap0", speed_bps);
}

void kit_close(struct tracekit *k)
{
	trace_close(k->trace);
}

static void feed(struct tracekit *k, const uint8_t *frame, uint32_t bytes)
{
	struct packet p = {.t_ns = k->t_ns,
	        .data = frame,
	        .cap_bytes = bytes,
	        .wire_bytes = bytes,
	        .interface = k->interface,
	        .direction = k->direction};

	CHECK(!trace_feed(k->trace, &p, 1, ++k->number, NULL));
}

void kit_frame(struct tracekit *k, const struct frame_spec *s)
{
	static const uint32_t max_bytes = 16384;
	uint8_t *frame = malloc(max_bytes);
	uint32_t n = frame_build(frame, max_bytes, s, true);

	CHECK(n);
	feed(k, frame, n);
	free(frame);
}

struct frame_spec kit_spec(const struct tracekit *k, bool from_a, uint8_t opcode, uint32_t psn)
{
	struct frame_spec s = {.ip_version = 4,
	        .dscp = 26,
	        .ecn = 2,
	        .ttl = 64,
	        .ip_id = k->ip_id,
	        .sport = from_a ? k->sport : k->back_sport,
	        .opcode = opcode,
	        .pkey = 0xffff,
	        .dqp = from_a ? k->b_qp : k->a_qp,
	        .psn = psn & 0xffffff};

	memcpy(s.src.mac, (uint8_t[]){2, 0, 0, 0, 0, from_a ? 1 : 2}, 6);
	memcpy(s.dst.mac, (uint8_t[]){2, 0, 0, 0, 0, from_a ? 2 : 1}, 6);
	memcpy(s.src.ip, (uint8_t[]){10, 0, 0, from_a ? 1 : 2}, 4);
	memcpy(s.dst.ip, (uint8_t[]){10, 0, 0, from_a ? 2 : 1}, 4);
	return s;
}

void kit_data(struct tracekit *k, uint8_t opcode, uint32_t psn, uint32_t payload_bytes)
{
	struct frame_spec s = kit_spec(k, true, opcode, psn);

	s.ecn = k->ecn;
	s.payload_bytes = payload_bytes;
	s.reth_bytes = payload_bytes;
	s.ack_req = opcode_table[opcode].flags & OPCODE_LAST;
	kit_frame(k, &s);
	k->ip_id++;
}

void kit_write(struct tracekit *k, uint32_t psn, uint32_t n, int64_t step_ns)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t opcode = n == 1       ? BTH_WRITE_ONLY
		                 : i == 0     ? BTH_WRITE_FIRST
		                 : i + 1 == n ? BTH_WRITE_LAST
		                              : BTH_WRITE_MIDDLE;
		struct frame_spec s = kit_spec(k, true, opcode, psn + i);

		s.ecn = k->ecn;
		s.payload_bytes = k->mtu;
		s.reth_bytes = n * k->mtu;
		s.ack_req = i + 1 == n;
		kit_frame(k, &s);
		k->ip_id++;
		k->t_ns += step_ns;
	}
}

void kit_nak(struct tracekit *k, uint8_t syndrome, uint32_t psn)
{
	struct frame_spec s = kit_spec(k, false, BTH_ACKNOWLEDGE, psn);

	s.aeth_syndrome = syndrome;
	kit_frame(k, &s);
}

void kit_ack(struct tracekit *k, uint32_t psn)
{
	kit_nak(k, 0x1f, psn);
}

void kit_cnp(struct tracekit *k)
{
	struct frame_spec s = kit_spec(k, false, BTH_CNP, 0);

	s.becn = true;
	s.dscp = 48;
	kit_frame(k, &s);
}

void kit_pfc(struct tracekit *k, uint8_t mac_last, uint16_t vector, uint16_t quanta)
{
	uint8_t frame[PFC_FRAME_BYTES], mac[6] = {2, 0, 0, 0, 0, mac_last};
	uint16_t q[8];

	for (int i = 0; i < 8; i++)
		q[i] = quanta;
	pfc_frame_build(frame, mac, vector, q);
	feed(k, frame, sizeof(frame));
}

const struct trace_result *kit_finish(struct tracekit *k)
{
	return trace_finish(k->trace);
}

const struct trace_flow *kit_flow(const struct tracekit *k, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_flows; i++)
		if (r->flow[i].dqp == k->b_qp && r->flow[i].src.ip[3] == 1)
			return &r->flow[i];
	CHECK(!"no such flow");
	return NULL;
}
