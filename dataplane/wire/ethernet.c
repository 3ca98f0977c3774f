/* SPDX-License-Identifier: Apache-2.0 */
/* IEEE 802.3 clause 3 and IEEE 802.1Q clause 9: addresses, tags, type. */
#include "dataplane/wire/parse_int.h"

#define MAX_TAGS 16 /* more are no network's */

static inline bool is_tag(uint16_t type)
{
	return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_TAG ||
	       type == ETHERTYPE_OLD_QINQ;
}

/* Returns the type behind the tags, or a tag's where they do not end. */
static NOINLINE uint16_t parse_tags(struct parse *s, uint16_t type)
{
	struct frame *f = s->f;

	while (is_tag(type) && f->n_vlan < MAX_TAGS) {
		if (!parse_need(s, VLAN_BYTES))
			return type;
		if (f->n_vlan < 2) {
			f->vlan[f->n_vlan].tpid = type;
			f->vlan[f->n_vlan].tci = be16(s->p + s->at);
		}
		f->n_vlan++;
		type = be16(s->p + s->at + 2);
		s->at += VLAN_BYTES;
	}
	return type;
}

void parse_ethertype(struct parse *s, uint16_t type)
{
	struct frame *f = s->f;

	if (UNLIKELY(is_tag(type)))
		type = parse_tags(s, type);
	f->ethertype = type;
	switch (type) {
	case ETHERTYPE_IPV4:
		parse_ipv4(s);
		break;
	case ETHERTYPE_IPV6:
		parse_ipv6(s);
		break;
	case ETHERTYPE_ROCE_V1:
		parse_grh(s);
		if (f->has & FRAME_HAS_BTH)
			f->kind = FRAME_ROCE_V1;
		break;
	case ETHERTYPE_MAC_CONTROL:
		parse_mac_control(s);
		break;
	case ETHERTYPE_LLDP:
		f->kind = FRAME_LLDP;
		f->l3_at = (uint16_t)s->at;
		break;
	case ETHERTYPE_ARP:
		f->kind = FRAME_ARP;
		f->l3_at = (uint16_t)s->at;
		break;
	default:
		break;
	}
}

void parse_ethernet(struct parse *s)
{
	uint16_t type;

	s->f->l2_at = (uint16_t)s->at;
	if (!parse_need(s, ETH_BYTES))
		return;
	s->f->has |= FRAME_HAS_ETH;
	type = be16(s->p + s->at + 12);
	s->at += ETH_BYTES;
	parse_ethertype(s, type);
}
