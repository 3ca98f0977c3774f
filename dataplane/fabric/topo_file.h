/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies from a text file (kind: file). One statement per line, words separated by blanks,
 * # starts a comment:
 *
 *	host NAME                  a host; hosts are numbered in the order of their lines
 *	switch NAME [TIER]         a switch; tier 1 (next to hosts) unless given, up to 15
 *	link A B RATE DELAY        a cable: link h0 leaf0 100Gbps 1us
 *	route SWITCH TO VIA        at SWITCH, packets for hosts of switch TO go to its neighbour
 *	                           VIA instead of the shortest way; several lines make a set
 *
 * Nodes stand before the links that name them. A switch's ports are numbered from 0 in the
 *order of its links. Names have 1 to 15 letters, digits, '_', '-' or '.', and each names one
 *node.
 */
#ifndef FABRIC_TOPO_FILE_H
#define FABRIC_TOPO_FILE_H

#include <stddef.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

/* -EINVAL with PATH:LINE and what was expected; other codes when the file cannot be read. */
NODISCARD int topo_from_file(
        struct topo **out, const char *path, const struct switch_cfg *base, struct err *e);

/* The same from memory; name stands in messages where a path would. Any bytes are safe. */
NODISCARD int topo_from_text(struct topo **out, const char *name, const char *text, size_t len,
        const struct switch_cfg *base, struct err *e);

#endif
