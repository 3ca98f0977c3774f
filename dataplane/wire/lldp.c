/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/wire/lldp.h"

#include <arpa/inet.h>
#include <string.h>

#include "dataplane/wire/be.h"

enum {
	TLV_END = 0,
	TLV_CHASSIS = 1,
	TLV_PORT = 2,
	TLV_TTL = 3,
	TLV_PORT_DESCRIPTION = 4,
	TLV_SYSTEM_NAME = 5,
	TLV_ORGANISATION = 127,
};

/* Subtypes whose value is an address: of the chassis ID and of the port ID. */
enum { CHASSIS_MAC = 4, CHASSIS_NETWORK = 5, PORT_MAC = 3, PORT_NETWORK = 4 };

enum { FAMILY_IPV4 = 1, FAMILY_IPV6 = 2 }; /* as IANA numbers them */

static void put_text(char out[LLDP_TEXT_BYTES], const uint8_t *p, uint32_t n)
{
	if (n > LLDP_TEXT_BYTES - 1)
		n = LLDP_TEXT_BYTES - 1;
	for (uint32_t i = 0; i < n; i++)
		out[i] = p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '?';
	out[n] = 0;
}

static void put_mac(char out[LLDP_TEXT_BYTES], const uint8_t *p)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < 6; i++) {
		*out++ = digits[p[i] >> 4];
		*out++ = digits[p[i] & 15];
		*out++ = i < 5 ? ':' : 0;
	}
}

static void put_id(
        char out[LLDP_TEXT_BYTES], const uint8_t *p, uint32_t n, bool mac, bool network)
{
	if (mac && n == 6)
		put_mac(out, p);
	else if (network && n == 5 && p[0] == FAMILY_IPV4)
		(void)inet_ntop(AF_INET, p + 1, out, LLDP_TEXT_BYTES);
	else if (network && n == 17 && p[0] == FAMILY_IPV6)
		(void)inet_ntop(AF_INET6, p + 1, out, LLDP_TEXT_BYTES);
	else
		put_text(out, p, n);
}

static void read_organisation(struct lldp *l, const uint8_t *p, uint32_t n)
{
	static const uint8_t ieee_8021[4] = {0x00, 0x80, 0xc2, 0x0b};
	static const uint8_t ieee_8023[4] = {0x00, 0x12, 0x0f, 0x04};

	if (n >= 6 && memcmp(p, ieee_8021, 4) == 0) {
		l->has_pfc = true;
		l->pfc_willing = p[4] >> 7;
		l->pfc_classes = p[4] & 15;
		l->pfc_enabled = p[5];
	} else if (n >= 6 && memcmp(p, ieee_8023, 4) == 0) {
		l->max_frame_bytes = be16(p + 4);
	}
}

static void read_tlv(struct lldp *l, unsigned type, const uint8_t *p, uint32_t n)
{
	switch (type) {
	case TLV_CHASSIS:
		if (n < 2)
			break;
		l->chassis_kind = p[0];
		put_id(l->chassis, p + 1, n - 1, p[0] == CHASSIS_MAC, p[0] == CHASSIS_NETWORK);
		break;
	case TLV_PORT:
		if (n < 2)
			break;
		l->port_kind = p[0];
		put_id(l->port, p + 1, n - 1, p[0] == PORT_MAC, p[0] == PORT_NETWORK);
		break;
	case TLV_TTL:
		if (n >= 2)
			l->ttl_s = be16(p);
		break;
	case TLV_PORT_DESCRIPTION:
		put_text(l->port_description, p, n);
		break;
	case TLV_SYSTEM_NAME:
		put_text(l->system_name, p, n);
		break;
	case TLV_ORGANISATION:
		read_organisation(l, p, n);
		break;
	default:
		break;
	}
}

bool lldp_parse(struct lldp *l, const struct frame *f)
{
	uint32_t at = f->l3_at;

	memset(l, 0, sizeof(*l));
	if (f->kind != FRAME_LLDP)
		return false;
	for (;;) {
		uint32_t n;
		unsigned type;

		if (at + 2 > f->cap_bytes) {
			l->truncated = true;
			break;
		}
		type = f->data[at] >> 1;
		n = be16(f->data + at) & 0x1ffu;
		at += 2;
		if (type == TLV_END)
			break;
		if (at + n > f->cap_bytes) {
			l->truncated = true;
			break;
		}
		read_tlv(l, type, f->data + at, n);
		at += n;
	}
	return l->chassis[0] && l->port[0];
}
