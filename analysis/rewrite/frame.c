/* SPDX-License-Identifier: Apache-2.0 */
/* One frame with other names in it, in place and of the same length. */
#include <string.h>

#include "analysis/rewrite/rewrite_int.h"
#include "dataplane/wire/be.h"
#include "dataplane/wire/opcode.h"

enum {
	BTH_BYTES = 12,
	DQP_AT = 5,
	PSN_AT = 9,
	ICRC_BYTES = 4,
	LRH_DLID_AT = 2,
	LRH_SLID_AT = 6
};
enum { OPTION_NOP = 1, ROCE_PORT = 4791, SACK = 2 };

/* The frame in work: as it was read, and the bytes that are changed. */
struct work {
	struct rewriter *w;
	const struct frame *f;
	uint8_t *data;
};

static void clear(const struct work *k, uint32_t from, uint32_t to)
{
	if (to > k->f->cap_bytes)
		to = k->f->cap_bytes;
	if (from < to)
		memset(k->data + from, 0, to - from);
}

static void cooked_mac(const struct work *k, uint32_t length, uint32_t at)
{
	if (length == 6)
		name_mac(k->w, k->data + at);
	else if (k->w->o->anonymize)
		clear(k, at, at + 8);
}

static void vlans(const struct work *k)
{
	const struct frame *f = k->f;

	/* The innermost tag stands before the type, those before it four bytes apart. */
	for (uint32_t i = 0; i < f->n_vlan && 4 * (i + 1) <= f->l3_at; i++) {
		uint8_t *tci = k->data + f->l3_at - 4 * (i + 1);
		uint16_t v = be16(tci);

		put_be16(tci, (uint16_t)((v & 0xf000) | pseudonym_number(k->w->names,
		                                                PSEUDONYM_VLAN, v & 0xfff)));
	}
}

static void link_layer(const struct work *k, uint32_t link)
{
	const struct frame *f = k->f;

	if (f->has & FRAME_HAS_ETH) {
		name_mac(k->w, k->data + f->l2_at);
		name_mac(k->w, k->data + f->l2_at + 6);
	}
	if (link == FRAME_LINK_SLL && f->cap_bytes >= 16)
		cooked_mac(k, be16(f->data + 4), 6);
	if (link == FRAME_LINK_SLL2 && f->cap_bytes >= 20)
		cooked_mac(k, f->data[11], 12);
	if (f->has & FRAME_HAS_LRH) {
		name_lid(k->w, k->data + f->l2_at + LRH_DLID_AT);
		name_lid(k->w, k->data + f->l2_at + LRH_SLID_AT);
	}
	if (f->l3_at && hides(k->w, REWRITE_KEEP_VLANS))
		vlans(k);
}

/* Options may hold addresses: of a route, of the hosts on the way. */
static void ipv4_options(const struct work *k)
{
	uint32_t from = k->f->l3_at + 20u, to = k->f->l3_at + (k->data[k->f->l3_at] & 15u) * 4;

	if (to > k->f->cap_bytes)
		to = k->f->cap_bytes;
	if (from < to)
		memset(k->data + from, OPTION_NOP, to - from);
}

/* Extension headers keep type and length; zeros are padding in options, and no segments left.
 */
static void ipv6_extensions(const struct work *k)
{
	uint32_t at = k->f->l3_at + 40u, end = k->f->udp_at;
	uint8_t next = k->data[k->f->l3_at + 6];

	while (at + 8 <= end) {
		uint8_t *h = k->data + at;
		uint32_t n = next == 44 ? 8u : next == 51 ? (h[1] + 2u) * 4 : (h[1] + 1u) * 8;

		next = h[0];
		if (n > end - at)
			n = end - at;
		if (k->f->faults & FRAME_FRAGMENT && n == 8)
			; /* the fragment header names nobody */
		else
			memset(h + 2, 0, n - 2);
		at += n;
	}
}

static void network_layer(const struct work *k)
{
	const struct frame *f = k->f;
	uint8_t *h = k->data + f->l3_at;
	uint32_t word;

	if (f->has & FRAME_HAS_IPV4) {
		name_ipv4(k->w, h + 12);
		name_ipv4(k->w, h + 16);
		if (k->w->o->anonymize)
			ipv4_options(k);
	} else if (f->has & FRAME_HAS_IPV6) {
		name_ipv6(k->w, h + 8);
		name_ipv6(k->w, h + 24);
		if (hides(k->w, REWRITE_KEEP_PORTS)) {
			word = be32(h);
			put_be32(h,
			        (word & 0xfff00000) | pseudonym_number(k->w->names,
			                                      PSEUDONYM_LABEL, word & 0xfffff));
		}
		if (k->w->o->anonymize && f->udp_at)
			ipv6_extensions(k);
	}
	if (f->has & FRAME_HAS_UDP)
		put_be16(k->data + f->udp_at, name_port(k->w, f->sport));
}

static const uint32_t has_of[EXT_KINDS] = {[EXT_RETH] = FRAME_HAS_RETH,
        [EXT_AETH] = FRAME_HAS_AETH,
        [EXT_DETH] = FRAME_HAS_DETH,
        [EXT_ATOMIC] = FRAME_HAS_ATOMIC_ETH,
        [EXT_ATOMIC_ACK] = FRAME_HAS_ATOMIC_ACK_ETH,
        [EXT_IMM] = FRAME_HAS_IMM,
        [EXT_IETH] = FRAME_HAS_IETH,
        [EXT_XRC] = FRAME_HAS_XRCETH,
        [EXT_RDETH] = FRAME_HAS_RDETH,
        [EXT_FETH] = FRAME_HAS_FETH};

static void keys(const struct work *k, uint8_t *h)
{
	uint32_t rkey = be32(h + 8);

	put_be64(h, name_va(k->w, rkey, be64(h)));
	put_be32(h + 8, name_rkey(k->w, rkey));
}

static void extended(const struct work *k, uint8_t ext, uint8_t *h, uint32_t psn_shift_by)
{
	bool users = hides(k->w, REWRITE_KEEP_PAYLOAD); /* the user's own bytes */

	switch (ext) {
	case EXT_RETH:
		keys(k, h);
		break;
	case EXT_AETH: /* selective acknowledgements: the PSN that arrived */
		if (h[0] >> 5 == SACK)
			put_be24(h + 1, (be24(h + 1) + psn_shift_by) & 0xffffff);
		break;
	case EXT_DETH:
		put_be32(h, name_qkey(k->w, be32(h)));
		put_be24(h + 5, name_qpn(k->w, be24(h + 5)));
		break;
	case EXT_ATOMIC:
		keys(k, h);
		if (users)
			memset(h + 12, 0, 16);
		break;
	case EXT_ATOMIC_ACK:
	case EXT_IMM:
		if (users)
			memset(h, 0, opcode_ext_bytes[ext]);
		break;
	case EXT_IETH:
		put_be32(h, name_rkey(k->w, be32(h)));
		break;
	case EXT_XRC:
	case EXT_RDETH:
		put_be24(h + 1, name_qpn(k->w, be24(h + 1)));
		break;
	default:
		break;
	}
}

/* Behind the headers: payload, padding, what the ICRC is not, what follows it. */
static void contents(const struct work *k, uint32_t at)
{
	const struct frame *f = k->f;
	bool has_icrc = f->has & FRAME_HAS_ICRC;
	uint32_t end = has_icrc ? f->icrc_at : f->cap_bytes, payload_end;
	uint32_t behind = has_icrc ? f->icrc_at + ICRC_BYTES : f->icrc_at;

	if (at > end)
		at = end;
	if (f->dqp < 2 && f->has & FRAME_HAS_DETH) {
		rewrite_management(k->w, f, k->data + at,
		        (f->payload_bytes < end - at ? f->payload_bytes : end - at));
	} else if (hides(k->w, REWRITE_KEEP_PAYLOAD)) {
		payload_end = f->payload_bytes < end - at ? at + f->payload_bytes : end;
		memset(k->data + at, k->w->o->pattern, payload_end - at);
		clear(k, payload_end, end);
	}
	/* A check sequence that was kept, or half an ICRC, fits no more. */
	if (behind && behind >= at)
		clear(k, behind, f->cap_bytes);
}

static void roce(const struct work *k)
{
	const struct frame *f = k->f;
	const struct opcode_info *info = &opcode_table[f->opcode];
	uint8_t *bth = k->data + f->bth_at;
	uint32_t at = f->bth_at + BTH_BYTES, shift = psn_shift_of(k->w, f);

	put_be24(bth + DQP_AT, name_qpn(k->w, f->dqp));
	put_be24(bth + PSN_AT, (f->psn + shift) & 0xffffff);
	for (int i = 0; i < info->n_ext; i++) {
		uint8_t ext = info->ext[i];

		if (!(f->has & has_of[ext]))
			break; /* a CNP's are reserved; others were cut, and go with the rest */
		extended(k, ext, k->data + at, shift);
		at += opcode_ext_bytes[ext];
	}
	contents(k, at);
}

static void address_resolution(const struct work *k)
{
	uint8_t *h = k->data + k->f->l3_at;

	if (k->f->cap_bytes < k->f->l3_at + 28u || h[4] != 6 || h[5] != 4)
		return;
	name_mac(k->w, h + 8);
	name_ipv4(k->w, h + 14);
	name_mac(k->w, h + 18);
	name_ipv4(k->w, h + 24);
}

/* Of another protocol: the checksum that covers the addresses as well. */
static void other_sums(const struct work *k, const uint8_t before[32])
{
	const struct frame *f = k->f;
	uint32_t at = f->l3_at + (f->ip_version == 4 ? (f->data[f->l3_at] & 15u) * 4 : 40u);
	uint32_t n = f->ip_version == 4 ? 8 : 32;
	const uint8_t *after = k->data + f->l3_at + (f->ip_version == 4 ? 12 : 8);
	uint8_t *sum;

	if (f->ip_version == 4)
		put_be16(k->data + f->l3_at + 10,
		        sum_changed(be16(k->data + f->l3_at + 10), before, after, n));
	/* Behind extension headers nothing but UDP is looked for. */
	if (f->faults & FRAME_FRAGMENT ||
	        (f->ip_version == 6 && f->data[f->l3_at + 6] != f->protocol))
		return;
	if (f->protocol == 6)
		at += 16;
	else if (f->protocol == 17)
		at += 6;
	else if (f->protocol == 58 && f->ip_version == 6)
		at += 2;
	else
		return;
	sum = k->data + at;
	if (at + 2 > f->cap_bytes || (f->protocol == 17 && !be16(sum)))
		return;
	put_be16(sum, sum_changed(be16(sum), before, after, n));
	if (f->protocol == 17 && !be16(sum))
		put_be16(sum, 0xffff);
}

/* Whether a frame without a BTH would have one, had it been captured whole. */
static bool would_be_roce(const struct frame *f)
{
	return (f->has & FRAME_HAS_UDP && f->dport == ROCE_PORT) || f->ethertype == 0x8915;
}

static bool left_out(const struct work *k)
{
	struct rewrite_result *r = k->w->result;

	if (!k->w->o->anonymize)
		return false;
	if (k->f->kind == FRAME_LLDP)
		r->dropped_lldp++;
	else if (k->f->kind == FRAME_ARP)
		r->dropped_arp++;
	else if (would_be_roce(k->f))
		r->dropped_unreadable++;
	else
		r->dropped_other++;
	return true;
}

static void other(const struct work *k)
{
	uint8_t before[32] = {0};
	const struct frame *f = k->f;

	if (f->kind == FRAME_ARP)
		address_resolution(k);
	k->w->result->lldp_kept = k->w->result->lldp_kept || f->kind == FRAME_LLDP;
	if (!(f->has & (FRAME_HAS_IPV4 | FRAME_HAS_IPV6)))
		return;
	memcpy(before, k->data + f->l3_at + (f->ip_version == 4 ? 12 : 8),
	        f->ip_version == 4 ? 8 : 32);
	network_layer(k);
	other_sums(k, before);
}

static void pause(const struct work *k)
{
	const struct frame *f = k->f;
	uint32_t opcode_at = f->l2_at + 14u + 4u * f->n_vlan;

	if (k->w->o->anonymize)
		clear(k, opcode_at + (f->kind == FRAME_PFC ? 20 : 4), f->cap_bytes);
}

bool rewrite_frame(struct rewriter *w, uint32_t link, uint8_t *data, uint32_t cap_bytes,
        uint32_t wire_bytes)
{
	struct frame f, changed;
	const struct work k = {w, &f, data};
	struct sums s;

	frame_parse(&f, link, data, cap_bytes, wire_bytes);
	if (frame_is_roce(&f)) {
		sums_before(&s, &f);
		link_layer(&k, link);
		network_layer(&k);
		roce(&k);
		frame_parse(&changed, link, data, cap_bytes, wire_bytes);
		sums_after(&s, &changed, data);
		w->result->roce++;
		w->result->icrc_good += s.icrc == ICRC_GOOD;
		w->result->icrc_bad += s.icrc == ICRC_BAD;
		w->result->icrc_unchecked += s.icrc == ICRC_NOT_CHECKABLE;
		return true;
	}
	if (f.kind == FRAME_PFC || f.kind == FRAME_PAUSE) {
		link_layer(&k, link);
		pause(&k);
		w->result->pauses++;
		return true;
	}
	if (left_out(&k))
		return false;
	link_layer(&k, link);
	other(&k);
	w->result->others++;
	return true;
}
