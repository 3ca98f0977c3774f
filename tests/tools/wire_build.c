/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For scripts: each line of stdin is one frame as NAME=VALUE words (the members of struct
 * frame_spec; addresses and payload as hexadecimal digits, vlan=TPID:TCI once per tag), each
 * line of stdout its bytes as hexadecimal digits, or "-" where it is no frame. Stops with
 * status 2 at a word that it does not know.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/build.h"
#include "tests/support/hex.h"

#define MAX_BYTES  70000
#define LINE_BYTES (2 * MAX_BYTES + 4096)

#define FIELD(name)                                                                            \
	{                                                                                      \
#name, offsetof(struct frame_spec, name),                                      \
		        sizeof(((struct frame_spec *)0)->name)                                 \
	}

static const struct field {
	const char *name;
	size_t at, bytes;
} fields[] = {FIELD(ip_version), FIELD(roce_v1), FIELD(dscp), FIELD(ecn), FIELD(ttl),
        FIELD(ip_id), FIELD(dont_fragment), FIELD(flow_label), FIELD(sport), FIELD(opcode),
        FIELD(solicited), FIELD(migreq), FIELD(ack_req), FIELD(fecn), FIELD(becn), FIELD(tver),
        FIELD(pkey), FIELD(dqp), FIELD(psn), FIELD(reth_va), FIELD(reth_rkey),
        FIELD(reth_bytes), FIELD(aeth_syndrome), FIELD(aeth_msn), FIELD(deth_qkey),
        FIELD(deth_src_qp), FIELD(atomic_va), FIELD(atomic_swap_add), FIELD(atomic_compare),
        FIELD(atomic_ack), FIELD(imm), FIELD(ieth_rkey), FIELD(xrceth_srq), FIELD(rdeth_eecn),
        FIELD(feth), FIELD(payload_bytes)};

static bool set_number(struct frame_spec *s, const char *name, const char *value)
{
	uint64_t v = strtoull(value, NULL, 0);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(fields[i].name, name) == 0) {
			/* Little-endian: the low bytes are the value. */
			memcpy((char *)s + fields[i].at, &v, fields[i].bytes);
			return true;
		}
	return false;
}

static bool set_vlan(struct frame_spec *s, char *value)
{
	char *tci = strchr(value, ':');

	if (!tci || s->n_vlan == 2)
		return false;
	s->vlan[s->n_vlan].tpid = (uint16_t)strtoul(value, NULL, 0);
	s->vlan[s->n_vlan].tci = (uint16_t)strtoul(tci + 1, NULL, 0);
	s->n_vlan++;
	return true;
}

static bool set_word(struct frame_spec *s, char *word, uint8_t *payload)
{
	char *value = strchr(word, '=');
	long n = -1;

	if (!value)
		return false;
	*value++ = 0;
	if (strcmp(word, "vlan") == 0)
		return set_vlan(s, value);
	if (strcmp(word, "src_mac") == 0)
		return hex_bytes(s->src.mac, 6, value) == 6;
	if (strcmp(word, "dst_mac") == 0)
		return hex_bytes(s->dst.mac, 6, value) == 6;
	if (strcmp(word, "src_ip") == 0)
		return hex_bytes(s->src.ip, 16, value) > 0;
	if (strcmp(word, "dst_ip") == 0)
		return hex_bytes(s->dst.ip, 16, value) > 0;
	if (strcmp(word, "payload") != 0)
		return set_number(s, word, value);
	n = hex_bytes(payload, MAX_BYTES, value);
	s->payload = payload;
	s->payload_bytes = n < 0 ? 0 : (uint32_t)n;
	return n >= 0;
}

int main(void)
{
	static char line[LINE_BYTES], text[2 * MAX_BYTES + 1];
	static uint8_t payload[MAX_BYTES], out[MAX_BYTES];

	while (fgets(line, sizeof(line), stdin)) {
		struct frame_spec s = {0};
		uint32_t bytes;
		char *rest = line, *word;

		line[strcspn(line, "\n")] = 0;
		while ((word = strsep(&rest, " "))) {
			if (*word && !set_word(&s, word, payload)) {
				(void)fprintf(stderr, "wire_build: what is %s?\n", word);
				return 2;
			}
		}
		bytes = frame_build(out, sizeof(out), &s, false);
		hex_text(text, out, bytes);
		(void)puts(bytes ? text : "-");
	}
	return 0;
}
