/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudonyms are permutations that keep what they promise; a rewritten frame holds none of its
 * old names; flows and their answers move together; wrong checksums stay wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/rewrite/pseudonym.h"
#include "analysis/rewrite/rewrite.h"
#include "capture/pcapng_writer.h"
#include "capture/reader.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/opcode.h"

/* The test vector of the paper's appendix A: key 00..0f, message 00..0e. */
static void siphash_is_the_papers(void **state)
{
	const struct sip_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
	uint8_t in[15];

	(void)state;
	for (uint8_t i = 0; i < sizeof(in); i++)
		in[i] = i;
	assert_int_equal(siphash(&key, in, sizeof(in)), UINT64_C(0xa129ca6149be45e5));
}

static struct pseudonyms *names_of(const char *seed)
{
	struct pseudonyms *p = NULL;
	struct err e = {0};

	assert_int_equal(pseudonyms_open(&p, seed, &e), 0);
	return p;
}

static int common_bits(uint32_t a, uint32_t b)
{
	return a == b ? 32 : __builtin_clz(a ^ b);
}

static uint32_t renamed(struct pseudonyms *p, uint32_t ip)
{
	uint8_t b[4];

	put_be32(b, ip);
	pseudonym_ipv4(p, b);
	return be32(b);
}

static void addresses_keep_prefixes(void **state)
{
	struct pseudonyms *p = names_of("prefixes");
	uint32_t x = 12345;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		uint32_t a, b;

		x = x * 1664525u + 1013904223u;
		a = x;
		b = a ^ (1u << (x >> 7 & 31)) ^ (x >> 13 & 1);
		if (a >> 24 == 0xe0 || b >> 24 == 0xe0)
			continue; /* well-known groups stay one by one */
		assert_int_equal(common_bits(renamed(p, a), renamed(p, b)), common_bits(a, b));
	}
	assert_int_equal(renamed(p, 0x0a010203) >> 24, 10);
	assert_int_equal(renamed(p, 0xc0a80101) >> 16, 0xc0a8);
	assert_int_equal(renamed(p, 0xc6130001) >> 17, 0xc613 >> 1);
	assert_int_equal(renamed(p, 0), 0);
	assert_int_equal(renamed(p, UINT32_MAX), UINT32_MAX);
	assert_int_not_equal(renamed(p, 0x0a010203), 0x0a010203);
	pseudonyms_close(p);
}

static void addresses_of_ipv6(void **state)
{
	struct pseudonyms *p = names_of("six");
	uint8_t a[16] = {0xfd, 0x12, 0x34, [15] = 1}, b[16] = {0xfd, 0x12, 0x34, [15] = 2};
	uint8_t one[16] = {[15] = 1}, mapped[16] = {[10] = 0xff, [11] = 0xff, 10, 1, 2, 3};
	uint8_t v4[4] = {10, 1, 2, 3}, group[16] = {0xff, 2, [15] = 1};

	(void)state;
	pseudonym_ipv6(p, a);
	pseudonym_ipv6(p, b);
	assert_int_equal(a[0], 0xfd);
	assert_memory_equal(a, b, 15);
	assert_int_equal((a[15] ^ b[15]) >> 1, 1);
	assert_true(a[1] != 0x12 || a[2] != 0x34);
	pseudonym_ipv6(p, one);
	assert_int_equal(one[15], 1);
	pseudonym_ipv4(p, v4);
	pseudonym_ipv6(p, mapped);
	assert_memory_equal(mapped + 12, v4, 4);
	pseudonym_ipv6(p, group);
	assert_int_equal(group[15], 1);
	pseudonyms_close(p);
}

static void numbers_are_permuted(void **state)
{
	struct pseudonyms *p = names_of("numbers"), *q = names_of("others");
	uint8_t *seen = calloc(1, 65536);
	int same = 0;

	(void)state;
	assert_non_null(seen);
	for (uint32_t v = 0; v < 65536; v++) {
		uint32_t to = pseudonym_number(p, PSEUDONYM_PORT, v);

		assert_true(to < 65536 && !seen[to]);
		seen[to] = 1;
		assert_int_equal(to >= 0xc000, v >= 0xc000);
		same += to == pseudonym_number(q, PSEUDONYM_PORT, v);
	}
	assert_true(same < 20);
	assert_int_equal(pseudonym_number(p, PSEUDONYM_PORT, 4791), 4791);
	assert_int_equal(pseudonym_number(p, PSEUDONYM_QPN, 1), 1);
	assert_int_equal(pseudonym_number(p, PSEUDONYM_QPN, 0xffffff), 0xffffff);
	assert_int_not_equal(pseudonym_number(p, PSEUDONYM_QPN, 0x1234), 0x1234);
	assert_int_equal(pseudonym_number(p, PSEUDONYM_VLAN, 0), 0);
	for (uint32_t v = 2; v < 4095; v++) {
		uint32_t to = pseudonym_number(p, PSEUDONYM_VLAN, v);

		assert_true(to > 1 && to < 4095);
	}
	free(seen);
	pseudonyms_close(p);
	pseudonyms_close(q);
}

static void group_macs_keep_their_meaning(void **state)
{
	struct pseudonyms *p = names_of("macs");
	uint8_t pfc[6] = {1, 0x80, 0xc2, 0, 0, 1}, all[6], nic[6] = {0xb8, 0xce, 0xf6, 1, 2, 3};

	(void)state;
	pseudonym_mac(p, pfc);
	assert_int_equal(pfc[5], 1);
	memset(all, 0xff, 6);
	pseudonym_mac(p, all);
	assert_int_equal(all[0] & all[5], 0xff);
	pseudonym_mac(p, nic);
	assert_int_equal(nic[0] & 3, 2);
	assert_true(nic[3] != 1 || nic[4] != 2 || nic[5] != 3);
	pseudonyms_close(p);
}

/* A capture in memory that is written, rewritten and read again. */
struct kit {
	int in;
	FILE *f;
	struct pcapng_writer w;
	char path[40];
	int64_t t_ns;
	struct rewrite_result result;
	char *out;
	size_t out_bytes;
	struct packet_batch batch;
	struct reader *reader;
};

static void open_kit(struct kit *k)
{
	const struct capture_interface i = {.name = "bigcorp-gpu-17",
	        .link = 1,
	        .description = "secret",
	        .received = 7,
	        .dropped_by_os = 3,
	        .dropped_by_interface = CAPTURE_NO_COUNT,
	        .filter_accepted = CAPTURE_NO_COUNT,
	        .delivered = CAPTURE_NO_COUNT};

	memset(k, 0, sizeof(*k));
	k->in = memfd_create("in", 0);
	assert_true(k->in >= 0);
	(void)snprintf(k->path, sizeof(k->path), "/proc/self/fd/%d", k->in);
	k->f = fdopen(dup(k->in), "w");
	assert_non_null(k->f);
	pcapng_begin(&k->w, k->f, "test", "bigcorp", "bigcorp");
	(void)pcapng_interface(&k->w, &i, "bigcorp");
	pcapng_statistics(&k->w, 0, &i, 1);
}

static void put_bytes(struct kit *k, const uint8_t *p, uint32_t cap, uint32_t wire)
{
	const struct packet packet = {
	        .t_ns = 1000 * ++k->t_ns, .data = p, .cap_bytes = cap, .wire_bytes = wire};

	pcapng_packet(&k->w, &packet, "bigcorp");
}

static uint32_t put_frame(struct kit *k, const struct frame_spec *s, uint8_t *p, size_t max)
{
	uint32_t n = frame_build(p, max, s, true);

	assert_true(n > 0);
	put_bytes(k, p, n, n);
	return n;
}

static void rewrite_kit(struct kit *k, const struct rewrite_options *o)
{
	FILE *out = open_memstream(&k->out, &k->out_bytes);
	struct err e = {0};
	char path[40];
	int fd;

	assert_int_equal(fclose(k->f), 0);
	assert_non_null(out);
	assert_int_equal(rewrite_capture(o, k->path, out, &k->result, &e), 0);
	assert_int_equal(fclose(out), 0);
	fd = memfd_create("out", 0);
	assert_true(fd >= 0 && write(fd, k->out, k->out_bytes) == (ssize_t)k->out_bytes);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(reader_open(&k->reader, path, NULL, &e), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(packet_batch_init(&k->batch, 1024, &e), 0);
	assert_true(reader_fill(k->reader, &k->batch, &e) >= 0);
}

static struct frame frame_at(const struct kit *k, uint32_t i)
{
	const struct packet *p = &k->batch.packet[i];
	struct frame f;

	assert_true(i < k->batch.n);
	frame_parse(&f, 1, p->data, p->cap_bytes, p->wire_bytes);
	return f;
}

static void close_kit(struct kit *k)
{
	packet_batch_fini(&k->batch);
	reader_close(k->reader);
	free(k->out);
	assert_int_equal(close(k->in), 0);
}

static bool holds(const struct kit *k, const void *what, size_t n)
{
	return memmem(k->out, k->out_bytes, what, n);
}

#define A_QP 0xa1b2c3u
#define B_QP 0xd4e5f6u

static struct frame_spec spec_of(bool from_a, bool ipv6, uint8_t opcode, uint32_t psn)
{
	struct frame_spec s = {.src = {{0xb8, 0xce, 0xf6, 0x11, 0x22, 0x33}, {10, 77, 88, 99}},
	        .dst = {{0xb8, 0xce, 0xf6, 0x44, 0x55, 0x66}, {10, 77, 88, 66}},
	        .ip_version = ipv6 ? 6 : 4,
	        .ttl = 64,
	        .sport = 0xc123,
	        .flow_label = 0x54321,
	        .n_vlan = 2,
	        .vlan = {{0x88a8, 0x6123}, {0x8100, 0x4456}},
	        .pkey = 0xffff,
	        .opcode = opcode,
	        .psn = psn,
	        .dqp = from_a ? B_QP : A_QP,
	        .reth_va = UINT64_C(0x7f1122334455f678),
	        .reth_rkey = 0x9a8b7c6d,
	        .reth_bytes = 3000,
	        .deth_qkey = 0x1badcafe,
	        .deth_src_qp = from_a ? A_QP : B_QP,
	        .atomic_va = UINT64_C(0x7f1122334455f678),
	        .atomic_swap_add = UINT64_C(0x5ec2e75ec2e75ec2),
	        .atomic_compare = UINT64_C(0x5ec2e75ec2e75ec2),
	        .atomic_ack = UINT64_C(0x5ec2e75ec2e75ec2),
	        .imm = 0x5ec2e75e,
	        .ieth_rkey = 0x9a8b7c6d,
	        .xrceth_srq = A_QP,
	        .rdeth_eecn = A_QP};

	if (ipv6) {
		static const uint8_t a[16] = {0xfd, 0x77, 0x66, 0x55, 0x44, [15] = 0x33};
		static const uint8_t b[16] = {0xfd, 0x77, 0x66, 0x55, 0x44, [15] = 0x22};

		memcpy(s.src.ip, a, 16);
		memcpy(s.dst.ip, b, 16);
	}
	if (!from_a) {
		struct frame_addr t = s.src;

		s.src = s.dst;
		s.dst = t;
	}
	return s;
}

/* Every opcode, IPv4 and IPv6, RoCEv1: nothing of what was put in is in what comes out, sizes
 * and everything that says how traffic went are the same, and the ICRC is right. */
static void no_name_is_left(void **state)
{
	static const uint8_t secret[64] = "secret payload of somebody";
	const struct rewrite_options o = {.anonymize = true, .seed = "s", .pattern = 0};
	struct frame before[1024];
	uint8_t bytes[512];
	struct kit k;
	uint32_t n = 0;

	(void)state;
	open_kit(&k);
	for (uint32_t i = 0; i < 256 * 3; i++) {
		const struct opcode_info *info = &opcode_table[i & 255];
		struct frame_spec s = spec_of(i & 1, i >= 256, (uint8_t)i, 0x987654);

		if (!(info->flags & OPCODE_KNOWN))
			continue;
		s.roce_v1 = i >= 512;
		s.payload = secret;
		s.payload_bytes = info->flags & OPCODE_PAYLOAD ? 37 : 0;
		frame_parse(&before[n++], 1, bytes, put_frame(&k, &s, bytes, sizeof(bytes)), 0);
	}
	rewrite_kit(&k, &o);
	assert_int_equal(k.batch.n, n);
	assert_int_equal(k.result.icrc_good, n);
	for (uint32_t i = 0; i < n; i++) {
		struct frame f = frame_at(&k, i);

		assert_int_equal(frame_icrc(&f), ICRC_GOOD);
		assert_int_equal(f.opcode, before[i].opcode);
		assert_int_equal(f.wire_bytes, before[i].wire_bytes);
		assert_int_equal(f.payload_bytes, before[i].payload_bytes);
		assert_int_equal(f.has, before[i].has);
		assert_int_equal(f.faults, before[i].faults);
		assert_int_equal(f.kind, before[i].kind);
		assert_int_equal(f.reth_bytes, before[i].reth_bytes);
		assert_int_equal(f.reth_va & 0xfff, before[i].reth_va & 0xfff);
	}
	assert_false(holds(&k, "\x0a\x4d\x58", 3));
	assert_false(holds(&k, "\x77\x66\x55\x44", 4));
	assert_false(holds(&k, "\xb8\xce\xf6", 3));
	assert_false(holds(&k, "\xa1\xb2\xc3", 3));
	assert_false(holds(&k, "\xd4\xe5\xf6", 3));
	assert_false(holds(&k, "\x9a\x8b\x7c\x6d", 4));
	assert_false(holds(&k, "\x11\x22\x33\x44", 4));
	assert_false(holds(&k, "\x98\x76\x54", 3));
	assert_false(holds(&k, "\x1b\xad\xca\xfe", 4));
	assert_false(holds(&k, "\x5e\xc2\xe7", 3));
	assert_false(holds(&k, "\xc1\x23\x12\xb7", 4));
	assert_false(holds(&k, "secret", 6));
	assert_false(holds(&k, "bigcorp", 7));
	assert_int_equal(reader_interface(k.reader, 0)->dropped_by_os, 3);
	close_kit(&k);
}

/* A cut within any header leaves nothing of what came behind it either. */
static void cut_frames_hold_nothing(void **state)
{
	const struct rewrite_options o = {.anonymize = true, .seed = "t"};
	struct frame_spec s = spec_of(true, false, BTH_WRITE_FIRST, 5);
	uint8_t bytes[2048], secret[1024];
	struct kit k;
	uint32_t n;

	(void)state;
	memset(secret, 0xee, sizeof(secret));
	s.payload = secret;
	s.payload_bytes = sizeof(secret);
	n = frame_build(bytes, sizeof(bytes), &s, true);
	open_kit(&k);
	for (uint32_t cap = 1; cap <= n; cap++)
		put_bytes(&k, bytes, cap, n);
	rewrite_kit(&k, &o);
	assert_false(holds(&k, "\x9a\x8b", 2));
	assert_false(holds(&k, "\x7f\x11\x22", 3));
	assert_false(holds(&k, "\xee\xee\xee", 3));
	assert_false(holds(&k, "\x0a\x4d\x58", 3));
	assert_int_equal(k.result.icrc_good, 1);
	assert_int_equal(
	        k.result.written + k.result.dropped_unreadable + k.result.dropped_other, n);
	assert_true(k.result.dropped_unreadable > 10);
	close_kit(&k);
}

/* An acknowledgement names the PSN that it did, and a selective one that which arrived. */
static void answers_move_with_their_flow(void **state)
{
	const struct rewrite_options o[2] = {
	        {.anonymize = true, .seed = "u"}, {.has_psn_base = true, .psn_base = 0xfffffe}};
	uint8_t bytes[2048], payload[1024] = {0};

	(void)state;
	for (int mode = 0; mode < 2; mode++) {
		uint32_t a0, b0;
		struct kit k;

		open_kit(&k);
		for (uint32_t i = 0; i < 8; i++) {
			struct frame_spec s = spec_of(i % 2 == 0, false,
			        i % 2 ? BTH_SEND_ONLY : BTH_WRITE_ONLY,
			        (i % 2 ? 7000 : 100) + i / 2);

			s.payload = payload;
			s.payload_bytes = 1000;
			put_frame(&k, &s, bytes, sizeof(bytes));
		}
		for (uint32_t i = 0; i < 8; i++) {
			struct frame_spec s = spec_of(i % 2 == 1, false, BTH_ACKNOWLEDGE,
			        (i % 2 ? 7000 : 100) + i / 2);

			s.aeth_syndrome = i < 4 ? 0x1f : i < 6 ? 0x60 : 0x40;
			s.aeth_msn = i < 6 ? 3 : (i % 2 ? 7000 : 100) + 2;
			put_frame(&k, &s, bytes, sizeof(bytes));
		}
		rewrite_kit(&k, &o[mode]);
		a0 = frame_at(&k, 0).psn;
		b0 = frame_at(&k, 1).psn;
		assert_true(
		        mode || (a0 != 100 && b0 != 7000 && ((b0 - a0) & 0xffffff) != 6900));
		assert_true(!mode || (a0 == 0xfffffe && b0 == 0xfffffe));
		for (uint32_t i = 0; i < 8; i++) {
			struct frame d = frame_at(&k, i), ack = frame_at(&k, 8 + i);

			assert_int_equal(d.psn, ((i % 2 ? b0 : a0) + i / 2) & 0xffffff);
			assert_int_equal(ack.psn, d.psn);
			assert_int_equal(
			        ack.aeth_msn, i < 6 ? 3 : ((i % 2 ? b0 : a0) + 2) & 0xffffff);
			assert_int_equal(frame_icrc(&ack), ICRC_GOOD);
		}
		close_kit(&k);
	}
}

static void wrong_sums_stay_wrong(void **state)
{
	const struct rewrite_options o = {.anonymize = true, .seed = "v"};
	struct frame_spec s = spec_of(true, false, BTH_SEND_ONLY, 9);
	uint8_t bytes[256];
	struct frame f;
	struct kit k;
	uint32_t n;

	(void)state;
	open_kit(&k);
	n = put_frame(&k, &s, bytes, sizeof(bytes));
	frame_parse(&f, 1, bytes, n, n);
	bytes[f.icrc_at] ^= 0x10;
	put_bytes(&k, bytes, n, n);
	bytes[f.icrc_at] ^= 0x10;
	bytes[f.l3_at + 10] ^= 0x10;
	put_bytes(&k, bytes, n, n);
	bytes[f.l3_at + 10] ^= 0x10;
	put_be16(bytes + f.udp_at + 6, 0x1234);
	put_bytes(&k, bytes, n, n);
	rewrite_kit(&k, &o);
	f = frame_at(&k, 0);
	assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	f = frame_at(&k, 1);
	assert_int_equal(frame_icrc(&f), ICRC_BAD);
	assert_false(f.faults & FRAME_BAD_IP_CHECKSUM);
	f = frame_at(&k, 2);
	assert_int_equal(frame_icrc(&f), ICRC_GOOD);
	assert_true(f.faults & FRAME_BAD_IP_CHECKSUM);
	f = frame_at(&k, 3);
	assert_int_not_equal(be16(f.data + f.udp_at + 6), 0);
	assert_int_not_equal(be16(f.data + f.udp_at + 6), 0x1234);
	close_kit(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(siphash_is_the_papers),
	        cmocka_unit_test(addresses_keep_prefixes),
	        cmocka_unit_test(addresses_of_ipv6),
	        cmocka_unit_test(numbers_are_permuted),
	        cmocka_unit_test(group_macs_keep_their_meaning),
	        cmocka_unit_test(no_name_is_left),
	        cmocka_unit_test(cut_frames_hold_nothing),
	        cmocka_unit_test(answers_move_with_their_flow),
	        cmocka_unit_test(wrong_sums_stay_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
