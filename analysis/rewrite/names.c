/* SPDX-License-Identifier: Apache-2.0 */
/* The name that takes the place of one: what a map says, else a pseudonym, else its own. */
#include <string.h>

#include "analysis/rewrite/rewrite_int.h"
#include "dataplane/wire/be.h"

enum { USE_VA = 1 };

static bool maps(const struct rewrite_map *m, const uint8_t *address)
{
	uint32_t whole = m->bits / 8, rest = m->bits % 8;

	if (memcmp(m->from, address, whole) != 0)
		return false;
	return !rest || !((m->from[whole] ^ address[whole]) & (0xff00 >> rest) & 0xff);
}

static bool mapped(const struct rewriter *w, uint8_t kind, uint8_t *address)
{
	for (uint32_t i = 0; i < w->o->n_maps; i++) {
		const struct rewrite_map *m = &w->o->map[i];
		uint32_t whole = m->bits / 8, rest = m->bits % 8;

		if (m->kind != kind || !maps(m, address))
			continue;
		memcpy(address, m->to, whole);
		if (rest) {
			uint8_t mask = (uint8_t)(0xff00 >> rest);

			address[whole] =
			        (uint8_t)((m->to[whole] & mask) | (address[whole] & ~mask));
		}
		return true;
	}
	return false;
}

void name_ipv4(const struct rewriter *w, uint8_t ip[4])
{
	if (!mapped(w, REWRITE_IPV4, ip) && hides(w, REWRITE_KEEP_ADDRESSES))
		pseudonym_ipv4(w->names, ip);
}

void name_ipv6(const struct rewriter *w, uint8_t ip[16])
{
	static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (mapped(w, REWRITE_IPV6, ip))
		return;
	if (!memcmp(ip, v4_mapped, sizeof(v4_mapped)))
		name_ipv4(w, ip + 12);
	else if (hides(w, REWRITE_KEEP_ADDRESSES))
		pseudonym_ipv6(w->names, ip);
}

void name_mac(const struct rewriter *w, uint8_t mac[6])
{
	if (!mapped(w, REWRITE_MAC, mac) && hides(w, REWRITE_KEEP_MACS))
		pseudonym_mac(w->names, mac);
}

void name_lid(const struct rewriter *w, uint8_t lid[2])
{
	if (!mapped(w, REWRITE_LID, lid) && hides(w, REWRITE_KEEP_ADDRESSES))
		put_be16(lid, (uint16_t)pseudonym_number(w->names, PSEUDONYM_LID, be16(lid)));
}

uint32_t name_qpn(const struct rewriter *w, uint32_t qpn)
{
	for (uint32_t i = 0; i < w->o->n_qp_maps; i++)
		if (w->o->qp_map[i].from == qpn)
			return w->o->qp_map[i].to;
	return hides(w, REWRITE_KEEP_QPNS) ? pseudonym_number(w->names, PSEUDONYM_QPN, qpn)
	                                   : qpn;
}

uint32_t name_rkey(const struct rewriter *w, uint32_t rkey)
{
	return hides(w, REWRITE_KEEP_KEYS) ? pseudonym_number(w->names, PSEUDONYM_RKEY, rkey)
	                                   : rkey;
}

uint32_t name_qkey(const struct rewriter *w, uint32_t qkey)
{
	return hides(w, REWRITE_KEEP_KEYS) ? pseudonym_number(w->names, PSEUDONYM_QKEY, qkey)
	                                   : qkey;
}

/* The addresses of one region keep their distances, and their places within a page. */
uint64_t name_va(const struct rewriter *w, uint32_t rkey, uint64_t va)
{
	if (!hides(w, REWRITE_KEEP_KEYS))
		return va;
	return va + (pseudonym_hash(w->names, USE_VA, &rkey, sizeof(rkey)) & ~UINT64_C(0xfff));
}

uint16_t name_port(const struct rewriter *w, uint16_t port)
{
	return hides(w, REWRITE_KEEP_PORTS)
	               ? (uint16_t)pseudonym_number(w->names, PSEUDONYM_PORT, port)
	               : port;
}
