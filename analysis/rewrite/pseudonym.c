/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/rewrite/pseudonym.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "dataplane/wire/be.h"

#define CACHE_SLOTS 4096 /* of each kind; what does not fit is computed again */
#define ROUNDS      6

enum { USE_FLIP4 = 0x80, USE_FLIP6, USE_MAC, USE_GROUP_MAC, USE_NUMBER };

struct pseudonyms {
	struct sip_key key;
	struct cached_ip {
		bool set;
		uint8_t from[16], to[16];
	} ip4[CACHE_SLOTS], ip6[CACHE_SLOTS];
	struct cached_number {
		bool set;
		uint64_t from, to;
	} mac[CACHE_SLOTS], number[PSEUDONYM_NUMBERS][CACHE_SLOTS];
};

int pseudonyms_open(struct pseudonyms **out, const char *seed, struct err *e)
{
	/* Any two constants: two halves of a key from one text. */
	static const struct sip_key half[2] = {{0x73717561, 1}, {0x6c6c2121, 2}};
	struct pseudonyms *p = calloc(1, sizeof(*p));

	if (!p)
		return err_set(e, -ENOMEM, "out of memory");
	if (seed) {
		p->key.k0 = siphash(&half[0], seed, strlen(seed));
		p->key.k1 = siphash(&half[1], seed, strlen(seed));
	} else if (getrandom(&p->key, sizeof(p->key), 0) != sizeof(p->key)) {
		free(p);
		return err_set(e, -errno, "no random key: %s", strerror(errno));
	}
	*out = p;
	return 0;
}

void pseudonyms_close(struct pseudonyms *p)
{
	if (p)
		explicit_bzero(&p->key, sizeof(p->key));
	free(p);
}

uint64_t pseudonym_hash(const struct pseudonyms *p, uint8_t use, const void *data, uint32_t n)
{
	uint8_t in[64];

	in[0] = use;
	if (n > sizeof(in) - 1)
		n = sizeof(in) - 1;
	memcpy(in + 1, data, n);
	return siphash(&p->key, in, n + 1);
}

/* Luby and Rackoff: a Feistel network over `bits` (an even number) is a permutation. */
static uint64_t permuted(
        const struct pseudonyms *p, uint8_t use, uint8_t kind, uint64_t v, int bits)
{
	int half = bits / 2;
	uint64_t mask = (UINT64_C(1) << half) - 1, l = v >> half & mask, r = v & mask;

	for (uint8_t i = 0; i < ROUNDS; i++) {
		uint8_t in[10] = {kind, i};
		uint64_t f;

		memcpy(in + 2, &r, 8);
		f = l ^ (pseudonym_hash(p, use, in, sizeof(in)) & mask);
		l = r;
		r = f;
	}
	return l << half | r;
}

/* A range of addresses that keeps its meaning. */
struct range {
	uint8_t bytes[4], bits;
};

/* RFC 6890 and its kin: this network, private, shared, loopback, link-local, documentation,
 * benchmarking, multicast and what is reserved behind it. */
static const struct range special4[] = {{{0}, 8}, {{10}, 8}, {{100, 64}, 10}, {{127}, 8},
        {{169, 254}, 16}, {{172, 16}, 12}, {{192, 168}, 16}, {{198, 18}, 15}, {{224}, 4},
        {{240}, 4}};
static const struct range special6[] = {
        {{0}, 8}, {{0xfc}, 8}, {{0xfd}, 8}, {{0xfe, 0x80}, 10}, {{0xff}, 16}};

static bool bit_of(const uint8_t *p, int i)
{
	return p[i / 8] >> (7 - i % 8) & 1;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, int n)
{
	for (int i = 0; i < n; i++)
		if (bit_of(a, i) != bit_of(b, i))
			return false;
	return true;
}

/* Whether a special range lies on both sides of bit i, or begins behind it: then neither side
 * may take the place of the other. */
static bool kept_bit(const uint8_t *ip, int i, const struct range *r, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (i < r[k].bits && same_bits(ip, r[k].bytes, i))
			return true;
	return false;
}

static void flip_bits(const struct pseudonyms *p, uint8_t *ip, int from, int bits, uint8_t use,
        const struct range *r, size_t n)
{
	uint8_t in[17], out[16];

	memcpy(out, ip, (size_t)bits / 8);
	for (int i = from; i < bits; i++) {
		if (kept_bit(ip, i, r, n))
			continue;
		memset(in, 0, sizeof(in));
		in[0] = (uint8_t)i;
		memcpy(in + 1, ip, (size_t)i / 8);
		if (i % 8)
			in[1 + i / 8] = (uint8_t)(ip[i / 8] & (0xff00 >> i % 8));
		if (pseudonym_hash(p, use, in, sizeof(in)) & 1)
			out[i / 8] ^= (uint8_t)(0x80 >> i % 8);
	}
	memcpy(ip, out, (size_t)bits / 8);
}

static struct cached_ip *slot_of(struct cached_ip *cache, const uint8_t *ip, size_t n)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < n; i++)
		h = (h ^ ip[i]) * 0x01000193;
	return &cache[(h ^ h >> 16) % CACHE_SLOTS];
}

void pseudonym_ipv4(struct pseudonyms *p, uint8_t ip[4])
{
	struct cached_ip *c = slot_of(p->ip4, ip, 4);

	if (!c->set || memcmp(c->from, ip, 4)) {
		c->set = true;
		memcpy(c->from, ip, 4);
		memcpy(c->to, ip, 4);
		/* Nobody's: 0.0.0.0, 255.255.255.255, 127.0.0.1, well-known groups. */
		if (be32(ip) && be32(ip) != UINT32_MAX && be32(ip) != 0x7f000001 &&
		        be32(ip) >> 8 != 0xe00000)
			flip_bits(p, c->to, 0, 32, USE_FLIP4, special4,
			        sizeof(special4) / sizeof(*special4));
	}
	memcpy(ip, c->to, 4);
}

void pseudonym_ipv6(struct pseudonyms *p, uint8_t ip[16])
{
	static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const uint8_t zero[15];
	struct cached_ip *c = slot_of(p->ip6, ip, 16);

	if (!memcmp(ip, v4_mapped, 12)) {
		pseudonym_ipv4(p, ip + 12);
		return;
	}
	if (!c->set || memcmp(c->from, ip, 16)) {
		c->set = true;
		memcpy(c->from, ip, 16);
		memcpy(c->to, ip, 16);
		/* ::, ::1, and well-known groups such as ff02::1. */
		if (memcmp(ip, zero, 15) && !(ip[0] == 0xff && !memcmp(ip + 2, zero, 13)))
			flip_bits(p, c->to, ip[0] == 0xff ? 16 : 0, 128, USE_FLIP6, special6,
			        sizeof(special6) / sizeof(*special6));
	}
	memcpy(ip, c->to, 16);
}

static uint64_t mac_of(const struct pseudonyms *p, uint64_t mac)
{
	const uint64_t group = UINT64_C(1) << 40, local = UINT64_C(1) << 41;
	uint64_t rest;

	if (mac == 0 || mac == UINT64_C(0xffffffffffff) || mac >> 24 == 0x0180c2)
		return mac;
	if (mac >> 24 == 0x01005e)
		return (mac & ~UINT64_C(0x7fffff)) |
		       (pseudonym_hash(p, USE_GROUP_MAC, &mac, 8) & 0x7fffff);
	if (mac >> 32 == 0x3333)
		return (mac & ~UINT64_C(0xffffffff)) |
		       (pseudonym_hash(p, USE_GROUP_MAC, &mac, 8) & 0xffffffff);
	/* 46 bits without the two flags: locally administered, so that nobody's is met. One in
	 * 2^46 pairs of a global and a local address would fall together. */
	rest = (mac >> 42 & 0x3f) << 40 | (mac & UINT64_C(0xffffffffff));
	rest = permuted(p, USE_MAC, mac & local ? 1 : 0, rest, 46);
	return (rest >> 40 & 0x3f) << 42 | local | (mac & group) |
	       (rest & UINT64_C(0xffffffffff));
}

void pseudonym_mac(struct pseudonyms *p, uint8_t mac[6])
{
	uint64_t v = (uint64_t)be16(mac) << 32 | be32(mac + 2);
	struct cached_number *c = &p->mac[(v ^ v >> 12 ^ v >> 24) % CACHE_SLOTS];

	if (!c->set || c->from != v)
		*c = (struct cached_number){true, v, mac_of(p, v)};
	put_be16(mac, (uint16_t)(c->to >> 32));
	put_be32(mac + 2, (uint32_t)c->to);
}

/* Ranges of a kind that numbers do not leave; 0: it stays what it is. */
static uint32_t range_of(enum pseudonym_number kind, uint32_t v)
{
	switch (kind) {
	case PSEUDONYM_QPN: /* subnet management, general services, datagrams to a group */
		return v >= 2 && v != 0xffffff;
	case PSEUDONYM_QKEY: /* of the general services interface; of the connection manager */
		return v != 0x80010000 && v != 0x01234567;
	case PSEUDONYM_PORT: /* 4791: some send from it */
		return v == 0 || v == 4791 ? 0 : v >= 0xc000 ? 1 : 2;
	case PSEUDONYM_LABEL:
		return v != 0;
	case PSEUDONYM_VLAN:
		return v > 1 && v != 4095;
	case PSEUDONYM_LID: /* multicast from 0xc000 on; the permissive one */
		return v == 0 || v == 0xffff ? 0 : v >= 0xc000 ? 1 : 2;
	case PSEUDONYM_RKEY:
	case PSEUDONYM_COMM:
	case PSEUDONYM_NUMBERS:
		break;
	}
	return 1;
}

uint32_t pseudonym_number(struct pseudonyms *p, enum pseudonym_number kind, uint32_t v)
{
	static const uint8_t bits[PSEUDONYM_NUMBERS] = {24, 32, 32, 16, 20, 12, 16, 32};
	struct cached_number *c = &p->number[kind][(v ^ v >> 12 ^ v >> 24) % CACHE_SLOTS];
	uint32_t range = range_of(kind, v);
	uint64_t to = v;

	if (c->set && c->from == v)
		return (uint32_t)c->to;
	/* Walking along the cycle of a permutation until the range is met again is a
	 * permutation of the range. */
	while (range) {
		to = permuted(p, USE_NUMBER, (uint8_t)kind, to, bits[kind]);
		if (range_of(kind, (uint32_t)to) == range)
			break;
	}
	*c = (struct cached_number){true, v, to};
	return (uint32_t)to;
}
