/* SPDX-License-Identifier: Apache-2.0 */
/* What the generator of captures says of its frames is what a parser finds in them. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/capture_read.h"
#include "tests/support/file_bytes.h"
#include "tests/support/roce_capture.h"

#define FLOWS 64

static void make(struct capture_read *c, struct roce_capture_counts *counts,
        enum roce_capture_format format, const struct roce_capture_spec *s)
{
	char path[FILE_BYTES_PATH] = "/tmp/squall-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	assert_non_null(f);
	roce_capture_write(f, format, s, counts);
	assert_int_equal(ferror(f) | fclose(f), 0);
	capture_read(c, path, NULL, 128);
	(void)unlink(path);
	if (c->rc)
		fail_msg("%s", c->err.msg);
	assert_int_equal(c->n, s->frames);
	assert_false(c->cut);
}

/* Every PSN that a flow has shown, as bits. */
static uint8_t shown[FLOWS][1 << 21];
static uint32_t newest[FLOWS];
static bool begun[FLOWS];

static void count_data(struct roce_capture_counts *c, const struct frame *f)
{
	uint32_t flow = f->dqp - 0x1000, bit = 1u << (f->psn & 7);
	bool again;

	assert_true(flow < FLOWS);
	again = shown[flow][f->psn >> 3] & bit;
	shown[flow][f->psn >> 3] |= (uint8_t)bit;
	c->data_packets++;
	c->retransmitted += again;
	c->payload_bytes += f->payload_bytes;
	c->ce_packets += f->ecn == 3;
	c->messages += !again && (opcode_table[f->opcode].flags & OPCODE_LAST);
	if (!begun[flow] || ((f->psn - newest[flow]) & 0xffffff) < 0x800000) {
		if (begun[flow] && f->psn != newest[flow])
			c->missing_psns += ((f->psn - newest[flow]) & 0xffffff) - 1;
		newest[flow] = f->psn;
		begun[flow] = true;
	}
}

static void count(struct roce_capture_counts *c, const struct packet *p, bool whole)
{
	struct frame f;

	frame_parse(&f, 1, p->data, p->cap_bytes, p->wire_bytes);
	if (!c->frames++)
		c->first_ns = p->t_ns;
	assert_true(p->t_ns >= c->last_ns);
	c->last_ns = p->t_ns;
	assert_int_equal(f.faults & ~(whole ? 0 : FRAME_TRUNCATED), 0);
	if (f.kind == FRAME_PFC) {
		assert_int_equal(f.pfc_vector, 8);
		c->xoff_frames += f.quanta[3] != 0;
		c->xon_frames += f.quanta[3] == 0;
		return;
	}
	assert_int_equal(f.kind, FRAME_ROCE_V2);
	if (whole)
		assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	if (f.opcode == BTH_CNP)
		c->cnps++;
	else if (f.opcode == (BTH_RC | BTH_ACKNOWLEDGE) && f.aeth_syndrome >> 5 == 3)
		c->naks++;
	else if (f.opcode == (BTH_RC | BTH_ACKNOWLEDGE))
		c->acks++;
	else
		count_data(c, &f);
}

static void compare(const struct roce_capture_spec *s, enum roce_capture_format format)
{
	struct roce_capture_counts said, found = {0};
	struct capture_read c;

	memset(shown, 0, sizeof(shown));
	memset(begun, 0, sizeof(begun));
	make(&c, &said, format, s);
	for (uint32_t i = 0; i < c.n; i++)
		count(&found, &c.packet[i], s->snap_bytes == 0);
	assert_memory_equal(&said, &found, sizeof(said));
	assert_true(said.data_packets && said.acks);
	assert_true(!s->ce_every || (said.ce_packets && said.cnps));
	assert_true(!s->loss_every || (said.naks && said.retransmitted >= 3));
	assert_true(!s->pfc_every || (said.xoff_frames && said.xon_frames));
	capture_read_fini(&c);
}

static void counts_are_what_is_in_it(void **state)
{
	struct roce_capture_spec s = {.frames = 5000, .flows = FLOWS, .message_packets = 16};

	(void)state;
	compare(&s, ROCE_PCAP_NS);
	s.ce_every = 20;
	s.pfc_every = 100;
	s.loss_every = 150;
	compare(&s, ROCE_PCAPNG);
	s.snap_bytes = 96;
	s.ipv6 = true;
	s.seed = 7;
	compare(&s, ROCE_PCAP_NS);
	s.snap_bytes = 0;
	compare(&s, ROCE_PCAPNG);
	s.loss_every = 5;
	s.message_packets = 5;
	compare(&s, ROCE_PCAPNG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(counts_are_what_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
