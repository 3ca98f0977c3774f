/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/frame_line.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/wire/opcode.h"

static void put_encapsulation(char *out, size_t len, const struct frame *f)
{
	const char *name = "other";

	if (f->kind == FRAME_ROCE_V2)
		name = f->ip_version == 4 ? "rocev2-ipv4" : "rocev2-ipv6";
	else if (f->kind == FRAME_ROCE_V1)
		name = "rocev1";
	else if (f->kind == FRAME_PFC)
		name = "pfc";
	else if (f->kind == FRAME_PAUSE)
		name = "pause";
	(void)snprintf(out, len, "%s", name);
}

static void put_vlan(char *out, size_t len, const struct frame *f)
{
	int n = 0;

	for (int i = 0; i < f->n_vlan && i < 2; i++)
		n += snprintf(out + n, len - (size_t)n, "%s%04x:%d:%d:%d", i ? "," : "",
		        f->vlan[i].tpid, f->vlan[i].tci >> 13, f->vlan[i].tci >> 12 & 1,
		        f->vlan[i].tci & 0xfff);
}

static void put_address(char *out, size_t len, const struct frame *f, const uint8_t *address)
{
	if (f->has & (FRAME_HAS_IPV4 | FRAME_HAS_IPV6))
		(void)inet_ntop(
		        f->ip_version == 4 ? AF_INET : AF_INET6, address, out, (socklen_t)len);
}

static void put_quanta(char *out, size_t len, const struct frame *f)
{
	int n = 0;

	if (!(f->has & FRAME_HAS_PAUSE_TIMES))
		return;
	for (int i = 0; i < (f->kind == FRAME_PFC ? 8 : 1); i++)
		n += snprintf(out + n, len - (size_t)n, "%s%u", i ? "," : "", f->quanta[i]);
}

static void put_verdict(char *out, size_t len, const struct frame *f)
{
	static const char *const text[] = {
	        [ICRC_NOT_CHECKABLE] = "NA", [ICRC_GOOD] = "1", [ICRC_BAD] = "0"};

	(void)snprintf(out, len, "%s", text[frame_icrc(f)]);
}

struct number {
	const char *column;
	uint32_t needs; /* enum frame_has */
	uint64_t value;
	const char *format;
};

static bool put_number(char *out, size_t len, const struct frame *f, const char *column)
{
	const uint32_t bth = FRAME_HAS_BTH, ip = FRAME_HAS_IPV4 | FRAME_HAS_IPV6;
	const struct number all[] = {
	        {"wire_len", ~0u, f->wire_bytes, "%" PRIu64},
	        {"cap_len", ~0u, f->cap_bytes, "%" PRIu64},
	        {"udp_sport", FRAME_HAS_UDP, f->sport, "%" PRIu64},
	        {"udp_dport", FRAME_HAS_UDP, f->dport, "%" PRIu64},
	        {"dscp", ip, f->dscp, "%" PRIu64},
	        {"ecn", ip, f->ecn, "%" PRIu64},
	        {"opcode", bth, f->opcode, "0x%02" PRIx64},
	        {"se", bth, f->solicited, "%" PRIu64},
	        {"m", bth, f->migreq, "%" PRIu64},
	        {"pad", bth, f->pad, "%" PRIu64},
	        {"tver", bth, f->tver, "%" PRIu64},
	        {"pkey", bth, f->pkey, "0x%04" PRIx64},
	        {"fecn", bth, f->fecn, "%" PRIu64},
	        {"becn", bth, f->becn, "%" PRIu64},
	        {"dqp", bth, f->dqp, "0x%06" PRIx64},
	        {"ackreq", bth, f->ack_req, "%" PRIu64},
	        {"psn", bth, f->psn, "%" PRIu64},
	        {"reth_va", FRAME_HAS_RETH, f->reth_va, "0x%016" PRIx64},
	        {"reth_rkey", FRAME_HAS_RETH, f->reth_rkey, "0x%08" PRIx64},
	        {"reth_len", FRAME_HAS_RETH, f->reth_bytes, "%" PRIu64},
	        {"aeth_syndrome", FRAME_HAS_AETH, f->aeth_syndrome, "0x%02" PRIx64},
	        {"aeth_msn", FRAME_HAS_AETH, f->aeth_msn, "%" PRIu64},
	        {"immediate", FRAME_HAS_IMM, f->imm, "0x%08" PRIx64},
	        {"ieth_rkey", FRAME_HAS_IETH, f->ieth_rkey, "0x%08" PRIx64},
	        {"deth_qkey", FRAME_HAS_DETH, f->deth_qkey, "0x%08" PRIx64},
	        {"deth_srcqp", FRAME_HAS_DETH, f->deth_src_qp, "0x%06" PRIx64},
	        {"payload_len", bth, f->payload_bytes, "%" PRIu64},
	        {"icrc", FRAME_HAS_ICRC, __builtin_bswap32(f->icrc), "%08" PRIx64},
	        {"is_cnp", bth, f->opcode == BTH_CNP, "%" PRIu64},
	        {"pfc_vec", f->kind == FRAME_PFC ? FRAME_HAS_PAUSE_TIMES : 0, f->pfc_vector,
	                "0x%04" PRIx64},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].column, column) != 0)
			continue;
		if (all[i].needs == ~0u || f->has & all[i].needs)
			(void)snprintf(out, len, all[i].format, all[i].value);
		return true;
	}
	return false;
}

bool frame_column(char *out, size_t len, const struct frame *f, const char *column)
{
	out[0] = 0;
	if (strcmp(column, "encap") == 0)
		put_encapsulation(out, len, f);
	else if (strcmp(column, "vlan") == 0)
		put_vlan(out, len, f);
	else if (strcmp(column, "src") == 0)
		put_address(out, len, f, f->src);
	else if (strcmp(column, "dst") == 0)
		put_address(out, len, f, f->dst);
	else if (strcmp(column, "opcode_name") == 0) {
		if (frame_is_roce(f) && opcode_table[f->opcode].name)
			(void)snprintf(out, len, "%s", opcode_table[f->opcode].name);
	} else if (strcmp(column, "icrc_ok") == 0) {
		if (frame_is_roce(f))
			put_verdict(out, len, f);
	} else if (strcmp(column, "pfc_quanta") == 0)
		put_quanta(out, len, f);
	else
		return put_number(out, len, f, column);
	return true;
}
