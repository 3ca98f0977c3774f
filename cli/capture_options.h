/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that listen on an interface are asked alike: where packets come from, which
 * of them, and for how long. */
#ifndef CLI_CAPTURE_OPTIONS_H
#define CLI_CAPTURE_OPTIONS_H

#include <stdbool.h>

#include "cli/capture_args.h"

enum {
	CAPTURE_OPT_FILTER = 0x400,
	CAPTURE_OPT_SNAP,
	CAPTURE_OPT_RING,
	CAPTURE_OPT_DURATION,
	CAPTURE_OPT_COUNT,
	CAPTURE_OPT_TIMESTAMPS,
	CAPTURE_OPT_SOURCE,
	CAPTURE_OPT_PROMISCUOUS,
	CAPTURE_OPT_EAL,
};

/* clang-format off */
/* Rows of a struct argp_option table. */
#define CAPTURE_OPTIONS \
	{"filter", CAPTURE_OPT_FILTER, "TEXT", 0, \
	 "Only packets that match, such as \"cnp or ce or nak or pfc or qp 0x123\"", 0}, \
	{"snap", CAPTURE_OPT_SNAP, "BYTES", 0, \
	 "Of each packet only so many bytes, such as 96", 0}, \
	{"count", CAPTURE_OPT_COUNT, "N", 0, "End after so many packets", 0}, \
	{"duration", CAPTURE_OPT_DURATION, "TIME", 0, "End after this time, such as 10s", 0}, \
	{"timestamps", CAPTURE_OPT_TIMESTAMPS, "KIND", 0, \
	 "Who stamps: any (the NIC where it can, else the kernel), hardware (or fail), " \
	 "software", 0}, \
	{"source", CAPTURE_OPT_SOURCE, "NAME", 0, "Where from: af_packet, pcap or dpdk", 0}, \
	{"ring", CAPTURE_OPT_RING, "NxSIZE", 0, \
	 "The source's ring of each queue, such as 64x1MiB (32x1MiB)", 0}, \
	{"promiscuous", CAPTURE_OPT_PROMISCUOUS, NULL, 0, \
	 "Take in packets that are for others, too, as a mirror port's are", 0}, \
	{"eal", CAPTURE_OPT_EAL, "ARGUMENTS", 0, "dpdk: further arguments of EAL", 0}
/* clang-format on */

/* False where key is none of these; else *r is 0 or a negative errno, with a->err. */
bool capture_option_parse(int key, char *arg, struct capture_args *a, int *r);

/* "64x1MiB" or "64 x 1MiB"; 1 to max. */
NODISCARD int capture_option_ring(
        uint32_t *n, uint32_t *bytes, const char *name, const char *text, struct err *e);
NODISCARD int capture_option_number(
        uint32_t *out, const char *name, const char *text, uint32_t max, struct err *e);

/* The words of filters behind what argp has to say, and then `end`; malloc'd, as argp wants it.
 */
char *capture_options_help(const char *text, const char *end);

/* The source of a kind, c completed for it; where c->program is set it is *program, and the
 * caller frees it (pcap_freecode). */
NODISCARD int capture_source_choose(const struct source_ops **ops, struct source_config *c,
        int kind, struct bpf_program *program, struct err *e);

#endif
