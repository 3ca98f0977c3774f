/* SPDX-License-Identifier: Apache-2.0 */
/* Where the ICRC of a packet begins and which of its bytes count as ones. */
#ifndef WIRE_ICRC_INT_H
#define WIRE_ICRC_INT_H

#include <stdint.h>

#include "dataplane/wire/icrc.h"

enum icrc_form { ICRC_IPV4, ICRC_IPV6, ICRC_GRH, ICRC_LRH, ICRC_FORMS };

struct icrc_span {
	const uint8_t *data;
	uint8_t form;            /* enum icrc_form */
	uint16_t start_at;       /* IP header or GRH; without one the LRH */
	uint16_t udp_at, bth_at; /* udp_at: unused by forms without it */
	uint32_t end_at;         /* the ICRC is there */
};

struct icrc_span icrc_span_of(const struct frame *f);

/* The register after the bytes up to end_at. */
uint32_t icrc_register_by(enum crc_method m, const struct icrc_span *span);

#endif
