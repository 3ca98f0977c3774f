/* SPDX-License-Identifier: Apache-2.0 */
/* Every word of a filter, run as the compiled program over frames of every form, says what the
 * parser of packets says. */
#include <errno.h>
#include <pcap/pcap.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/filter.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"

#define N_FRAMES  6000
#define MAX_BYTES 400

static struct sample {
	uint8_t bytes[MAX_BYTES];
	uint32_t n;
	struct frame f;
} sample[N_FRAMES];

static bool any_opcode(const struct frame *f, const char *part)
{
	return frame_is_roce(f) && opcode_table[f->opcode].name &&
	       strstr(opcode_table[f->opcode].name, part);
}

static bool is_acknowledge(const struct frame *f)
{
	return any_opcode(f, "_ACKNOWLEDGE") && !strstr(opcode_table[f->opcode].name, "ATOMIC");
}

static bool roce(const struct frame *f)
{
	return frame_is_roce(f);
}

static bool data(const struct frame *f)
{
	return frame_is_roce(f) && opcode_table[f->opcode].flags & OPCODE_DATA;
}

static bool cnp(const struct frame *f)
{
	return frame_is_roce(f) && f->opcode == BTH_CNP;
}

static bool sends(const struct frame *f)
{
	return any_opcode(f, "_SEND_");
}

static bool writes(const struct frame *f)
{
	return any_opcode(f, "_RDMA_WRITE_");
}

static bool reads(const struct frame *f)
{
	return any_opcode(f, "_RDMA_READ_");
}

static bool atomics(const struct frame *f)
{
	return any_opcode(f, "_COMPARE_SWAP") || any_opcode(f, "_FETCH_ADD") ||
	       any_opcode(f, "_ATOMIC_");
}

static bool ack(const struct frame *f)
{
	return is_acknowledge(f) && (f->aeth_syndrome >> 5 & 3) == 0;
}

static bool rnr(const struct frame *f)
{
	return is_acknowledge(f) && (f->aeth_syndrome >> 5 & 3) == 1;
}

static bool nak(const struct frame *f)
{
	return rnr(f) || (is_acknowledge(f) && (f->aeth_syndrome >> 5 & 3) == 3);
}

static bool ce(const struct frame *f)
{
	return frame_is_roce(f) && f->ecn == 3;
}

static bool ect(const struct frame *f)
{
	return frame_is_roce(f) && (f->ecn == 1 || f->ecn == 2);
}

static bool fecn(const struct frame *f)
{
	return frame_is_roce(f) && f->fecn;
}

static bool becn(const struct frame *f)
{
	return frame_is_roce(f) && f->becn;
}

static bool ackreq(const struct frame *f)
{
	return frame_is_roce(f) && f->ack_req;
}

static bool pfc(const struct frame *f)
{
	return f->kind == FRAME_PFC;
}

static bool pause_frame(const struct frame *f)
{
	return f->kind == FRAME_PAUSE;
}

static bool qp_12(const struct frame *f)
{
	return frame_is_roce(f) && f->dqp == 0x12;
}

static bool qp_range(const struct frame *f)
{
	return frame_is_roce(f) && f->dqp >= 0x10 && f->dqp <= 0x13;
}

static bool psn_7(const struct frame *f)
{
	return frame_is_roce(f) && f->psn == 0x800007;
}

static bool psn_wrapped(const struct frame *f)
{
	return frame_is_roce(f) && (f->psn >= 0x800008 || f->psn <= 0x800005);
}

static bool write_first(const struct frame *f)
{
	return frame_is_roce(f) && f->opcode == (BTH_RC | BTH_WRITE_FIRST);
}

static bool send_only(const struct frame *f)
{
	return frame_is_roce(f) && opcode_table[f->opcode].name &&
	       (f->opcode & 0x1f) == BTH_SEND_ONLY && f->opcode != 0x84;
}

static bool not_cnp(const struct frame *f)
{
	return !cnp(f);
}

static bool trouble(const struct frame *f)
{
	return cnp(f) || ce(f) || nak(f) || pfc(f) || qp_12(f);
}

static bool marked_of_host(const struct frame *f)
{
	static const uint8_t host[4] = {198, 18, 0, 2};

	return ce(f) && f->ip_version == 4 &&
	       (!memcmp(f->src, host, 4) || !memcmp(f->dst, host, 4));
}

static const struct {
	const char *text;
	bool (*truth)(const struct frame *f);
} words[] = {
        {"roce", roce},
        {"data", data},
        {"cnp", cnp},
        {"send", sends},
        {"write", writes},
        {"read", reads},
        {"atomic", atomics},
        {"ack", ack},
        {"nak", nak},
        {"rnr", rnr},
        {"ce", ce},
        {"ect", ect},
        {"fecn", fecn},
        {"becn", becn},
        {"ackreq", ackreq},
        {"pfc", pfc},
        {"pause", pause_frame},
        {"qp 0x12", qp_12},
        {"qp = 18", qp_12},
        {"qp 0x10-0x13", qp_range},
        {"psn 0x800007", psn_7},
        {"psn 0x800008-0x800005", psn_wrapped},
        {"opcode RC_RDMA_WRITE_FIRST", write_first},
        {"opcode 6", write_first},
        {"opcode send_only", send_only},
        {"not cnp", not_cnp},
        {"!cnp", not_cnp},
        {"cnp or ce or nak or pfc or qp 0x12", trouble},
        {"(cnp||ce)or(nak or pfc)or qp 18", trouble},
        {"ce and host 198.18.0.2", marked_of_host},
        {"host 198.18.0.2 and ce", marked_of_host},
        {"not (not ce or not host 198.18.0.2)", marked_of_host},
};

static void spec_draw(struct frame_spec *s, struct rng *r)
{
	static const uint16_t tpid[] = {0x8100, 0x88a8, 0x9100};
	static const uint8_t transport[] = {BTH_RC, BTH_UC, BTH_RD, BTH_UD, BTH_XRC};
	uint32_t form = (uint32_t)rng_below(r, 3);

	memset(s, 0, sizeof(*s));
	memcpy(s->src.ip, form ? (uint8_t[]){0x20, 1, 0xd, 0xb8} : (uint8_t[]){198, 18, 0, 1},
	        4);
	memcpy(s->dst.ip, form ? (uint8_t[]){0x20, 1, 0xd, 0xb8} : (uint8_t[]){198, 18, 0, 2},
	        4);
	s->dst.ip[3] = (uint8_t)(s->dst.ip[3] + rng_below(r, 2));
	s->dst.mac[0] = s->src.mac[0] = 2;
	s->ip_version = form ? 6 : 4;
	s->roce_v1 = form == 2;
	s->n_vlan = (uint8_t)rng_below(r, 3);
	for (int i = 0; i < 2; i++) {
		s->vlan[i].tpid = tpid[rng_below(r, 3)];
		s->vlan[i].tci = (uint16_t)rng_next(r);
	}
	s->ecn = (uint8_t)rng_below(r, 4);
	s->dscp = (uint8_t)rng_below(r, 64);
	s->ttl = 64;
	s->flow_label = (uint32_t)rng_below(r, 1 << 20);
	s->sport = (uint16_t)(0xc000 + rng_below(r, 100));
	s->opcode = rng_below(r, 8) ? (uint8_t)(transport[rng_below(r, 5)] | rng_below(r, 0x20))
	                            : BTH_CNP;
	if (!(opcode_table[s->opcode].flags & OPCODE_KNOWN))
		s->opcode = BTH_ACKNOWLEDGE;
	s->ack_req = rng_below(r, 2);
	s->fecn = rng_below(r, 2);
	s->becn = rng_below(r, 2);
	s->dqp = (uint32_t)(0x10 + rng_below(r, 6));
	s->psn = (uint32_t)(0x800004 + rng_below(r, 6));
	s->aeth_syndrome = (uint8_t)rng_next(r);
	if ((s->aeth_syndrome >> 5 & 3) == 2) /* reserved */
		s->aeth_syndrome = 0x60;
	s->payload_bytes =
	        opcode_table[s->opcode].flags & OPCODE_PAYLOAD ? (uint32_t)rng_below(r, 64) : 0;
}

/* Options of IPv4 between its header and UDP; checksums do not matter here. */
static uint32_t put_options(uint8_t *b, uint32_t n, uint32_t at, uint32_t bytes)
{
	uint32_t total = (uint32_t)(b[at + 2] << 8 | b[at + 3]) + bytes;

	memmove(b + at + 20 + bytes, b + at + 20, n - at - 20);
	memset(b + at + 20, 1, bytes);
	b[at] = (uint8_t)(0x45 + bytes / 4);
	b[at + 2] = (uint8_t)(total >> 8);
	b[at + 3] = (uint8_t)total;
	return n + bytes;
}

static void other_draw(struct sample *s, struct rng *r)
{
	static const uint8_t mac[6] = {2, 0, 0, 0, 0, 9};
	static const uint16_t quanta[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	s->n = PFC_FRAME_BYTES;
	pfc_frame_build(s->bytes, mac, (uint16_t)rng_below(r, 256), quanta);
	switch (rng_below(r, 3)) {
	case 0:
		return;
	case 1: /* 802.3x */
		s->bytes[14] = 0;
		return;
	default: /* ARP */
		s->bytes[12] = 0x08;
		s->bytes[13] = 0x06;
		return;
	}
}

static void sample_draw(struct sample *s, struct rng *r)
{
	struct frame_spec spec;
	uint32_t l3;

	if (!rng_below(r, 12)) {
		other_draw(s, r);
		return;
	}
	spec_draw(&spec, r);
	s->n = frame_build(s->bytes, MAX_BYTES - 40, &spec, true);
	assert_true(s->n >= 60);
	l3 = 14 + 4u * spec.n_vlan;
	if (spec.ip_version != 4)
		return;
	switch (rng_below(r, 6)) {
	case 0:
		s->n = put_options(s->bytes, s->n, l3, (uint32_t)(4 + 4 * rng_below(r, 9)));
		break;
	case 1: /* a later fragment: what stands there is no BTH */
		s->bytes[l3 + 7] = 0x10;
		break;
	case 2: /* TCP, or another port */
		if (rng_below(r, 2))
			s->bytes[l3 + 9] = 6;
		else
			s->bytes[l3 + 22]++;
		break;
	default:
		break;
	}
}

static int draw_samples(void **state)
{
	struct rng r = rng_make(1, 0, RNG_FAULT);

	(void)state;
	for (int i = 0; i < N_FRAMES; i++) {
		sample_draw(&sample[i], &r);
		frame_parse(&sample[i].f, FRAME_LINK_ETHERNET, sample[i].bytes, sample[i].n, 0);
	}
	return 0;
}

static struct bpf_program compiled(const char *text, uint32_t snap_bytes)
{
	struct bpf_program program;
	struct err e = {0};

	if (filter_compile(&program, text, FRAME_LINK_ETHERNET, snap_bytes, NULL, &e))
		fail_msg("%s: %s", text, e.msg);
	return program;
}

static void words_are_true(void **state)
{
	(void)state;
	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		struct bpf_program p = compiled(words[w].text, 0);
		uint32_t yes = 0;

		for (int i = 0; i < N_FRAMES; i++) {
			const struct sample *s = &sample[i];
			bool want = words[w].truth(&s->f);
			bool got = bpf_filter(p.bf_insns, s->bytes, s->n, s->n) != 0;

			if (got != want)
				fail_msg("%s: frame %d (kind %u opcode %#x v%u tags %u ecn %u "
				         "syndrome %#x): %d",
				        words[w].text, i, s->f.kind, s->f.opcode,
				        s->f.ip_version, s->f.n_vlan, s->f.ecn,
				        s->f.aeth_syndrome, got);
			yes += want;
		}
		/* A word that no frame of the sample has would prove nothing. */
		pcap_freecode(&p);
		if (yes < 20 || yes > N_FRAMES - 20)
			fail_msg("%s: %u of %d frames have it", words[w].text, yes, N_FRAMES);
	}
}

/* The other links: the same packets without Ethernet. */
static void words_on_ip(void **state)
{
	struct bpf_program p;
	struct err e = {0};
	uint32_t yes = 0;

	(void)state;
	assert_int_equal(
	        filter_compile(&p, "ce or pfc or qp 0x12", FRAME_LINK_RAW, 0, NULL, &e), 0);
	for (int i = 0; i < N_FRAMES; i++) {
		const struct sample *s = &sample[i];
		const uint8_t *ip = s->bytes + s->f.l3_at;
		uint32_t n = s->n - s->f.l3_at;
		struct frame f;
		bool want;

		if (!s->f.ip_version || s->f.kind == FRAME_ROCE_V1)
			continue;
		frame_parse(&f, FRAME_LINK_RAW, ip, n, 0);
		want = ce(&f) || qp_12(&f);
		assert_int_equal(bpf_filter(p.bf_insns, ip, n, n) != 0, want);
		yes += want;
	}
	assert_true(yes > 100);
	pcap_freecode(&p);
}

static void snap_is_what_is_kept(void **state)
{
	struct bpf_program p = compiled("roce", 96);
	uint32_t n = 0;

	(void)state;
	for (int i = 0; i < N_FRAMES; i++) {
		if (!frame_is_roce(&sample[i].f))
			continue;
		assert_int_equal(
		        bpf_filter(p.bf_insns, sample[i].bytes, sample[i].n, sample[i].n), 96);
		n++;
	}
	assert_true(n > 1000);
	pcap_freecode(&p);
	p = compiled(NULL, 0);
	assert_true(bpf_filter(p.bf_insns, sample[0].bytes, sample[0].n, sample[0].n) >= 65536);
	pcap_freecode(&p);
}

/* Names of hosts and of libpcap's own are left alone. */
static void plain_text_stays(void **state)
{
	static const char *const same[] = {"host 10.0.0.1", "tcp[tcpflags] & tcp-ack != 0",
	        "ether[0] & 1 = 0 and greater 100", "src or dst port 4791"};
	struct err e = {0};
	char *text;

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_int_equal(filter_translate(&text, same[i], FRAME_LINK_RAW, &e), 0);
		assert_string_equal(text, same[i]);
		free(text);
	}
	assert_int_equal(filter_translate(&text, "host data", FRAME_LINK_RAW, &e), 0);
	assert_string_equal(text, "host data");
	free(text);
}

static void errors_have_places(void **state)
{
	static const struct {
		const char *text, *begins;
	} bad[] = {
	        {"cnp and hots 1", "filter:9:"},
	        {"host 10.0.0.1 adn cnp", "filter:15:"},
	        {"cnp and (qp 1 or)", "filter:17: expected a condition before )"},
	        {"(cnp or (ce)", "filter:1: a ( without its )"},
	        {"cnp)", "filter:4: a ) without its ("},
	        {"and cnp", "filter:1: expected a condition before and"},
	        {"cnp or", "filter:7: expected a condition behind or"},
	        {"cnp or not", "filter:11: expected a condition behind not"},
	        {"qp", "filter:3: qp: expected a number"},
	        {"psn and cnp", "filter:5: psn and: expected a number"},
	        {"qp 0x1000000", "filter:4: qp 0x1000000"},
	        {"qp 5-4", "filter:4: qp 5-4: the first is the larger"},
	        {"qp 5-", "filter:4: qp 5-"},
	        {"opcode FOO", "filter:8: opcode FOO"},
	        {"opcode 256", "filter:8: opcode 256"},
	        {"cnp \x01", "filter:5: character 0x01"},
	        {"cnp ce", "filter:5:"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bpf_program p;
		struct err e = {0};

		assert_int_equal(
		        filter_compile(&p, bad[i].text, FRAME_LINK_ETHERNET, 0, NULL, &e),
		        -EINVAL);
		if (strncmp(e.msg, bad[i].begins, strlen(bad[i].begins)) != 0)
			fail_msg("%s: %s", bad[i].text, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(words_are_true),
	        cmocka_unit_test(words_on_ip),
	        cmocka_unit_test(snap_is_what_is_kept),
	        cmocka_unit_test(plain_text_stays),
	        cmocka_unit_test(errors_have_places),
	};

	return cmocka_run_group_tests(tests, draw_samples, NULL);
}
