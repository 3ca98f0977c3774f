/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One capture out of another with other names in it: addresses, queue pair numbers, PSN bases,
 * keys, ports, each consistently, with checksums and ICRC made anew, so that a capture can be
 * given away and every figure of its analysis but for the names stays. A wrong ICRC or IPv4
 * checksum stays wrong. One thread.
 *
 * Anonymised: everything that is not known to be harmless is replaced or zeroed, and frames
 * that are neither RoCE nor pause are left out. Otherwise what the maps name is replaced and
 * the rest stays.
 */
#ifndef REWRITE_REWRITE_H
#define REWRITE_REWRITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

enum rewrite_address { REWRITE_IPV4 = 4, REWRITE_IPV6 = 6, REWRITE_MAC = 48, REWRITE_LID = 16 };

/* The first `bits` of an address; the rest of it stays. */
struct rewrite_map {
	uint8_t kind; /* enum rewrite_address */
	uint8_t bits;
	uint8_t from[16], to[16];
};

struct rewrite_qp_map {
	uint32_t from, to;
};

/* What stays as it is although the rest is anonymised. */
enum rewrite_keep {
	REWRITE_KEEP_PAYLOAD = 1 << 0,
	REWRITE_KEEP_ADDRESSES = 1 << 1, /* IP addresses, GIDs, LIDs */
	REWRITE_KEEP_MACS = 1 << 2,
	REWRITE_KEEP_QPNS = 1 << 3,
	REWRITE_KEEP_PSNS = 1 << 4,
	REWRITE_KEEP_KEYS = 1 << 5,  /* rkeys, virtual addresses, Q_Keys */
	REWRITE_KEEP_PORTS = 1 << 6, /* UDP source ports, flow labels */
	REWRITE_KEEP_VLANS = 1 << 7,
	REWRITE_KEEP_NAMES = 1 << 8, /* of interfaces */
};

struct rewrite_options {
	bool anonymize;
	const char *seed; /* NULL: a random one */
	uint32_t keep;    /* enum rewrite_keep */
	const struct rewrite_map *map;
	const struct rewrite_qp_map *qp_map;
	uint32_t n_maps, n_qp_maps;
	bool has_psn_base;
	uint32_t psn_base;   /* every flow begins with this PSN */
	uint8_t pattern;     /* what payload is replaced by */
	uint32_t snap_bytes; /* 0: as they are */
	bool has_start;
	int64_t start_ns; /* of the first packet; the others keep their distance */
	/* Further captures of the same traffic, for knowing which flows answer which. */
	const char *const *with;
	uint32_t n_with;
	const char *application;
	const atomic_bool *stop;
};

/* "10.0.0.0/8=198.18.0.0", "02:00:00:00:00:01=02:00:00:00:00:02", "lid:7=9". */
NODISCARD int rewrite_map_parse(struct rewrite_map *m, const char *text, struct err *e);
NODISCARD int rewrite_qp_map_parse(struct rewrite_qp_map *m, const char *text, struct err *e);
/* A list such as "payload,psns". */
NODISCARD int rewrite_keep_parse(uint32_t *keep, const char *text, struct err *e);

struct rewrite_result {
	uint64_t read, written;
	uint64_t roce, pauses, others; /* written */
	/* Left out. */
	uint64_t dropped_lldp, dropped_arp, dropped_other, dropped_unreadable;
	uint64_t icrc_good, icrc_bad, icrc_unchecked; /* as they were, and are now */
	uint64_t management;                          /* datagrams to QP 0 and 1 */
	uint32_t flows, unpaired; /* unpaired: PSNs of their answers may not fit */
	bool lldp_kept, cut;
	char damage[200]; /* "": the file was read to its end */
};

/* in: a path; "-" only where no PSN changes, since that takes two readings. -EINTR once *stop
 * is set: out is then to be thrown away. */
NODISCARD int rewrite_capture(const struct rewrite_options *o, const char *in, FILE *out,
        struct rewrite_result *result, struct err *e);

#endif
