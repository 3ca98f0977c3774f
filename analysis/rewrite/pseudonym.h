/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other names for what identifies somebody: each kind of name is permuted under a key, so that
 * equal names stay equal, different ones different, in every file that is treated with that
 * key, and nobody without it finds the way back. IP addresses keep their prefixes: two that
 * agree in n bits have pseudonyms that agree in n bits (Xu, Fan, Ammar, Moon:
 * "Prefix-preserving IP address anonymization", ICNP 2002). What has a meaning of its own
 * (special-use ranges, QP 0 and 1, VLAN 0, group addresses) keeps it. One thread; memory is
 * bounded.
 */
#ifndef REWRITE_PSEUDONYM_H
#define REWRITE_PSEUDONYM_H

#include <stdint.h>

#include "analysis/rewrite/siphash.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct pseudonyms;

/* The key is made of the text; NULL: of the system's randomness, and forgotten. */
NODISCARD int pseudonyms_open(struct pseudonyms **p, const char *seed, struct err *e);
void pseudonyms_close(struct pseudonyms *p); /* NULL is fine */

/* In place, network order. */
void pseudonym_ipv4(struct pseudonyms *p, uint8_t ip[4]);
void pseudonym_ipv6(struct pseudonyms *p, uint8_t ip[16]);
void pseudonym_mac(struct pseudonyms *p, uint8_t mac[6]);

/* Numbers of so many bits, each kind with a permutation of its own. */
enum pseudonym_number {
	PSEUDONYM_QPN,   /* 24 bits: also EE contexts, SRQs */
	PSEUDONYM_RKEY,  /* 32 */
	PSEUDONYM_QKEY,  /* 32 */
	PSEUDONYM_PORT,  /* 16: those of the dynamic range stay in it */
	PSEUDONYM_LABEL, /* 20: the flow label of IPv6 */
	PSEUDONYM_VLAN,  /* 12 */
	PSEUDONYM_LID,   /* 16 */
	PSEUDONYM_COMM,  /* 32: communication IDs */
	PSEUDONYM_NUMBERS
};
uint32_t pseudonym_number(struct pseudonyms *p, enum pseudonym_number kind, uint32_t v);

/* 64 bits that depend on the key, the kind of use and the data alone. */
uint64_t pseudonym_hash(const struct pseudonyms *p, uint8_t use, const void *data, uint32_t n);

#endif
