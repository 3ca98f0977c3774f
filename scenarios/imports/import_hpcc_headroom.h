/* SPDX-License-Identifier: Apache-2.0 */
/* The headroom of every switch port, and the most frequent value of a group of them, so that
 * few overrides say what differs. */
#ifndef IMPORT_HPCC_HEADROOM_H
#define IMPORT_HPCC_HEADROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/imports/import_hpcc_files.h"

struct hpcc_port {
	uint32_t node, port; /* the file's number of the switch; ports from 0 */
	int64_t rate_bps, headroom_bytes;
};

/* Three times rate x delay; each step cut as there. */
int64_t hpcc_headroom_bytes(const struct hpcc_link *l);

/* Every port of a switch; *out is malloc'd. */
NODISCARD int hpcc_ports_list(
        struct hpcc_port **out, uint32_t *n, const struct hpcc_topo *t, struct err *e);

/* Puts the ports of one rate (by_switch: of one switch and rate) side by side. */
void hpcc_ports_sort(struct hpcc_port *port, uint32_t n, bool by_switch);

/* The most frequent headroom of the group that begins at `from`; *end is where the next begins.
 */
int64_t hpcc_ports_usual(
        const struct hpcc_port *port, uint32_t n, bool by_switch, uint32_t from, uint32_t *end);

#endif
