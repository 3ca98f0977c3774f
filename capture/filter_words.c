/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each word of a filter is in libpcap's language. A RoCE packet comes in three forms, each
 * with its own way to a byte of the BTH: behind UDP in IPv4, whose header has a length of its
 * own (libpcap's udp[] reads it); behind UDP in IPv6 without extension headers; and RoCEv1,
 * behind a GRH.
 *
 * Sources: pcap-filter(7); IBTA architecture specification volume 1, sections 9.2 and 9.3.5.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/filter.h"
#include "capture/filter_int.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"

enum form { FORM_IPV4, FORM_IPV6, FORM_ROCE_V1, N_FORMS };

enum { BTH_OPCODE_AT = 0, BTH_DQP_AT = 4, BTH_PSN_AT = 8, BTH_BYTES_ALL = 12, RDETH_LEN = 4 };

#define MASK_24    0xffffffu
#define AETH_KIND  0x60u /* of the syndrome: 0 ACK, 0x20 RNR, 0x60 NAK */
#define AETH_RNR   0x20u
#define GRH_AT     14u
#define GRH_LEN    40u
#define NEXT_BTH   0x1bu
#define OP_ACK     0x11u
#define OP_RD_ACK  0x51u
#define OP_XRC_ACK 0xb1u
#define MAC_PAUSE  0x0001u
#define MAC_PFC    0x0101u

struct emit {
	FILE *out;
	const struct filter_at *at;
	enum form form;
};

static bool is_ethernet(const struct filter_at *at)
{
	return at->link == FRAME_LINK_ETHERNET;
}

static uint32_t ether(const struct filter_at *at, uint32_t offset)
{
	return offset + 4 * at->tags;
}

/* n bytes of the BTH and what follows it. */
static void put_bth(const struct emit *m, uint32_t offset, uint32_t n)
{
	static const char *const name[] = {
	        [FORM_IPV4] = "udp", [FORM_IPV6] = "ip6", [FORM_ROCE_V1] = "ether"};
	const uint32_t start[] = {[FORM_IPV4] = 8,
	        [FORM_IPV6] = 48,
	        [FORM_ROCE_V1] = ether(m->at, GRH_AT + GRH_LEN)};

	(void)fprintf(m->out, "%s[%u:%u]", name[m->form], start[m->form] + offset, n);
}

static void put_form(const struct emit *m)
{
	switch (m->form) {
	case FORM_IPV4:
		(void)fputs("ip and udp dst port 4791", m->out);
		break;
	case FORM_IPV6:
		(void)fputs("ip6[6] = 17 and ip6[42:2] = 4791", m->out);
		break;
	default:
		(void)fprintf(m->out, "ether proto 0x8915 and ether[%u] = %u",
		        ether(m->at, GRH_AT + 6), NEXT_BTH);
		break;
	}
}

typedef void put_what(const struct emit *m, const void *arg);

/* (form and what) for each form that the link can have. */
static void put_roce(FILE *out, const struct filter_at *at, put_what *what, const void *arg)
{
	(void)fputs("(", out);
	for (int f = 0; f < N_FORMS; f++) {
		struct emit m = {out, at, (enum form)f};

		if (f == FORM_ROCE_V1 && !is_ethernet(at))
			continue;
		(void)fputs(f ? " or (" : "(", out);
		put_form(&m);
		if (what) {
			(void)fputs(" and (", out);
			what(&m, arg);
			(void)fputs(")", out);
		}
		(void)fputs(")", out);
	}
	(void)fputs(")", out);
}

struct opcode_set {
	bool has[256];
};

/* As ranges. */
static void put_opcodes(const struct emit *m, const void *arg)
{
	const struct opcode_set *s = arg;
	bool first = true;

	for (uint32_t lo = 0; lo < 256; lo++) {
		uint32_t hi = lo;

		if (!s->has[lo])
			continue;
		while (hi < 255 && s->has[hi + 1])
			hi++;
		(void)fputs(first ? "(" : " or (", m->out);
		put_bth(m, BTH_OPCODE_AT, 1);
		(void)fprintf(m->out, lo == hi ? " = %u" : " >= %u", lo);
		if (lo != hi) {
			(void)fputs(" and ", m->out);
			put_bth(m, BTH_OPCODE_AT, 1);
			(void)fprintf(m->out, " <= %u", hi);
		}
		(void)fputs(")", m->out);
		first = false;
		lo = hi;
	}
}

struct bits {
	uint32_t at, mask;
	const char *relation; /* "= 0" */
};

static void put_bits(const struct emit *m, const void *arg)
{
	const struct bits *b = arg;

	put_bth(m, b->at, 1);
	(void)fprintf(m->out, " & 0x%x %s", b->mask, b->relation);
}

/* An acknowledgement with this kind of syndrome; RD has its RDETH before the AETH. */
static void put_aeth(const struct emit *m, const void *arg)
{
	const struct bits *b = arg;
	struct opcode_set acks = {.has = {[OP_ACK] = true, [OP_XRC_ACK] = true}};
	struct opcode_set rd = {.has = {[OP_RD_ACK] = true}};
	struct bits behind_rdeth = {b->at + RDETH_LEN, b->mask, b->relation};

	(void)fputs("((", m->out);
	put_opcodes(m, &acks);
	(void)fputs(") and ", m->out);
	put_bits(m, b);
	(void)fputs(") or ((", m->out);
	put_opcodes(m, &rd);
	(void)fputs(") and ", m->out);
	put_bits(m, &behind_rdeth);
	(void)fputs(")", m->out);
}

struct range {
	uint32_t at, lo, hi;
};

/* 24 bits of a word; from lo over the wrap to hi where lo is the larger. */
static void put_range(const struct emit *m, const void *arg)
{
	const struct range *r = arg;

	put_bth(m, r->at, 4);
	if (r->lo == r->hi) {
		(void)fprintf(m->out, " & 0x%x = 0x%x", MASK_24, r->lo);
		return;
	}
	(void)fprintf(
	        m->out, " & 0x%x >= 0x%x %s ", MASK_24, r->lo, r->lo < r->hi ? "and" : "or");
	put_bth(m, r->at, 4);
	(void)fprintf(m->out, " & 0x%x <= 0x%x", MASK_24, r->hi);
}

/* The ECN field is one of a set: of the type of service, or of a traffic class, which begins in
 * mid-byte. */
static void put_ecn(const struct emit *m, const void *arg)
{
	const uint32_t set = *(const uint32_t *)arg;
	const uint32_t shift = m->form == FORM_IPV4 ? 0 : 4;
	bool first = true;

	for (uint32_t v = 0; v < 4; v++) {
		if (!(set >> v & 1))
			continue;
		(void)fputs(first ? "" : " or ", m->out);
		if (m->form == FORM_IPV4)
			(void)fputs("ip[1]", m->out);
		else if (m->form == FORM_IPV6)
			(void)fputs("ip6[1]", m->out);
		else
			(void)fprintf(m->out, "ether[%u]", ether(m->at, GRH_AT + 1));
		(void)fprintf(m->out, " & 0x%x = 0x%x", 3u << shift, v << shift);
		first = false;
	}
}

/* MAC control; on links without it the answer is no for every packet. */
static void put_mac_control(FILE *out, const struct filter_at *at, uint32_t opcode)
{
	if (!is_ethernet(at))
		(void)fputs("(less 0)", out);
	else
		(void)fprintf(out, "(ether proto 0x8808 and ether[%u:2] = 0x%04x)",
		        ether(at, GRH_AT), opcode);
}

enum word_kind { WORD_ROCE, WORD_FLAG, WORD_NAMED, WORD_BITS, WORD_AETH, WORD_ECN, WORD_MAC };

static const struct word {
	const char *name;
	enum word_kind kind;
	struct bits bits;   /* BITS, AETH */
	uint32_t value;     /* FLAG: enum opcode_flag; ECN: set; MAC: opcode */
	const char *opcode; /* NAMED: part of the opcode's name */
} words[] = {
        {.name = "roce", .kind = WORD_ROCE},
        {.name = "data", .kind = WORD_FLAG, .value = OPCODE_DATA},
        {.name = "cnp", .kind = WORD_NAMED, .opcode = "CNP"},
        {.name = "send", .kind = WORD_NAMED, .opcode = "_SEND_"},
        {.name = "write", .kind = WORD_NAMED, .opcode = "_RDMA_WRITE_"},
        {.name = "read", .kind = WORD_NAMED, .opcode = "_RDMA_READ_"},
        {.name = "atomic", .kind = WORD_NAMED, .opcode = "_COMPARE_SWAP|_FETCH_ADD|_ATOMIC_"},
        {.name = "ack", .kind = WORD_AETH, .bits = {BTH_BYTES_ALL, AETH_KIND, "= 0"}},
        {.name = "nak", .kind = WORD_AETH, .bits = {BTH_BYTES_ALL, AETH_RNR, "!= 0"}},
        {.name = "rnr", .kind = WORD_AETH, .bits = {BTH_BYTES_ALL, AETH_KIND, "= 0x20"}},
        {.name = "ce", .kind = WORD_ECN, .value = 1u << 3},
        {.name = "ect", .kind = WORD_ECN, .value = 1u << 1 | 1u << 2},
        {.name = "fecn", .kind = WORD_BITS, .bits = {BTH_DQP_AT, 0x80, "!= 0"}},
        {.name = "becn", .kind = WORD_BITS, .bits = {BTH_DQP_AT, 0x40, "!= 0"}},
        {.name = "ackreq", .kind = WORD_BITS, .bits = {BTH_PSN_AT, 0x80, "!= 0"}},
        {.name = "pfc", .kind = WORD_MAC, .value = MAC_PFC},
        {.name = "pause", .kind = WORD_MAC, .value = MAC_PAUSE},
};

const struct filter_word_doc filter_word_docs[] = {
        {"roce", "any RoCE packet"},
        {"data", "requests, and READ responses"},
        {"cnp", "congestion notifications"},
        {"send", "SEND packets"},
        {"write", "WRITE packets"},
        {"read", "READ requests and responses"},
        {"atomic", "atomic requests and their acknowledgements"},
        {"ack", "positive acknowledgements"},
        {"nak", "negative acknowledgements, receiver-not-ready among them"},
        {"rnr", "receiver-not-ready alone"},
        {"ce", "RoCE packets that a switch marked"},
        {"ect", "RoCE packets that could have been marked, and were not"},
        {"fecn", "RoCE packets with FECN set in the BTH"},
        {"becn", "RoCE packets with BECN set in the BTH"},
        {"ackreq", "RoCE packets that ask for an acknowledgement"},
        {"pfc", "priority-based pause frames"},
        {"pause", "pause frames of 802.3x"},
        {"qp N", "to queue pair N; N-M: to one of these"},
        {"psn N", "with this PSN; N-M: from N to M, over the wrap too"},
        {"opcode X", "a number, or a name as in RC_RDMA_WRITE_FIRST, SEND_ONLY"},
        {NULL, NULL},
};

/* Of "A|B|C" one is in name. */
static bool is_named(const char *name, const char *parts)
{
	while (*parts) {
		size_t n = strcspn(parts, "|");

		if (name && memmem(name, strlen(name), parts, n))
			return true;
		parts += n + (parts[n] == '|');
	}
	return false;
}

static void put_word(FILE *out, const struct filter_at *at, const struct word *w)
{
	struct opcode_set s = {0};

	for (uint32_t i = 0; i < 256; i++) {
		s.has[i] = w->kind == WORD_FLAG    ? (opcode_table[i].flags & w->value) != 0
		           : w->kind == WORD_NAMED ? is_named(opcode_table[i].name, w->opcode)
		                                   : false;
	}
	switch (w->kind) {
	case WORD_ROCE:
		put_roce(out, at, NULL, NULL);
		break;
	case WORD_FLAG:
	case WORD_NAMED:
		put_roce(out, at, put_opcodes, &s);
		break;
	case WORD_BITS:
		put_roce(out, at, put_bits, &w->bits);
		break;
	case WORD_AETH:
		put_roce(out, at, put_aeth, &w->bits);
		break;
	case WORD_ECN:
		put_roce(out, at, put_ecn, &w->value);
		break;
	case WORD_MAC:
		put_mac_control(out, at, w->value);
		break;
	}
}

/* A whole number at *text, up to `max`; false: none. */
static bool number(const char **text, const char *end, uint32_t max, uint32_t *out)
{
	char digits[16], *stop;
	size_t n = (size_t)(end - *text);
	unsigned long v;

	if (!n || n >= sizeof(digits) || !isdigit((unsigned char)**text))
		return false;
	memcpy(digits, *text, n);
	digits[n] = '\0';
	v = strtoul(digits, &stop, 0);
	*text += stop - digits;
	*out = (uint32_t)v;
	return v <= max;
}

static int put_numbers(FILE *out, const struct filter_at *at, const char *text,
        const struct filter_token *t, const char *name, struct err *e)
{
	struct range r = {.at = !strcmp(name, "qp") ? BTH_DQP_AT : BTH_PSN_AT};
	const char *p = text + t->from, *end = p + t->len;
	const char *dash = memchr(p, '-', t->len);

	if (!number(&p, dash ? dash : end, MASK_24, &r.lo) || (dash && p != dash))
		return filter_error(e, t->from,
		        "%s %.*s: expected a number below 2^24, such as 0x123, or two with a "
		        "dash between",
		        name, (int)t->len, text + t->from);
	r.hi = r.lo;
	if (dash) {
		p = dash + 1;
		if (!number(&p, end, MASK_24, &r.hi))
			p = NULL;
	}
	if (p != end)
		return filter_error(e, t->from,
		        "%s %.*s: expected a number below 2^24, such as 0x123, or two with a "
		        "dash between",
		        name, (int)t->len, text + t->from);
	if (r.at == BTH_DQP_AT && r.lo > r.hi)
		return filter_error(e, t->from, "qp %.*s: the first is the larger", (int)t->len,
		        text + t->from);
	put_roce(out, at, put_range, &r);
	return 0;
}

/* "RC_SEND_ONLY", or "SEND_ONLY" of any transport. */
static bool opcode_is(const char *name, const char *word, size_t n)
{
	const char *behind = name ? strchr(name, '_') : NULL;

	if (!name)
		return false;
	return (strlen(name) == n && !strncasecmp(name, word, n)) ||
	       (behind && strlen(behind + 1) == n && !strncasecmp(behind + 1, word, n));
}

static int put_opcode(FILE *out, const struct filter_at *at, const char *text,
        const struct filter_token *t, struct err *e)
{
	const char *p = text + t->from;
	struct opcode_set s = {0};
	uint32_t n = 0, value;

	if (number(&p, p + t->len, 255, &value) && p == text + t->from + t->len) {
		s.has[value] = true;
		put_roce(out, at, put_opcodes, &s);
		return 0;
	}
	for (uint32_t i = 0; i < 256; i++) {
		s.has[i] = opcode_is(opcode_table[i].name, text + t->from, t->len);
		n += s.has[i];
	}
	if (!n)
		return filter_error(e, t->from,
		        "opcode %.*s: expected a number below 256 or a name, such as "
		        "RC_RDMA_WRITE_FIRST or ACKNOWLEDGE",
		        (int)t->len, text + t->from);
	put_roce(out, at, put_opcodes, &s);
	return 0;
}

/* A word with an argument, with or without = between. */
static int put_with_argument(FILE *out, const struct filter_at *at, const char *text,
        const struct filter_token *t, const char *name, struct err *e)
{
	struct filter_token a = {0};
	bool there = filter_token_next(&a, text, t->from + t->len);
	int r;

	if (there && a.len == 1 && text[a.from] == '=')
		there = filter_token_next(&a, text, a.from + a.len);
	if (!there || !isalnum((unsigned char)text[a.from]))
		return filter_error(e, there ? a.from : t->from + t->len,
		        "%s: expected %s behind it", name,
		        *name == 'o' ? "an opcode" : "a number");
	r = *name == 'o' ? put_opcode(out, at, text, &a, e)
	                 : put_numbers(out, at, text, &a, name, e);
	return r ? r : (int)(a.from + a.len - t->from);
}

int filter_word_put(FILE *out, const struct filter_at *at, const char *text,
        const struct filter_token *t, struct err *e)
{
	static const char *const with_argument[] = {"qp", "psn", "opcode"};

	for (size_t i = 0; i < sizeof(with_argument) / sizeof(with_argument[0]); i++) {
		if (filter_token_is(t, text, with_argument[i]))
			return put_with_argument(out, at, text, t, with_argument[i], e);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!filter_token_is(t, text, words[i].name))
			continue;
		put_word(out, at, &words[i]);
		return (int)t->len;
	}
	return 0;
}
