/* SPDX-License-Identifier: Apache-2.0 */
/* A fabric as text and as a drawing. Errors stay in the stream. */
#ifndef ANALYSIS_TOPO_SVG_H
#define ANALYSIS_TOPO_SVG_H

#include <stdio.h>

#include "analysis/net_view.h"
#include "analysis/topo_map.h"

/* An SVG document; title: a line above the drawing. */
void topo_svg_write(
        FILE *f, const struct net_view *v, const struct topo_map *m, const char *title);

/* Tiers with their counts, links, oversubscription, and how many paths there are from the first
 * host to the others: way[n_hosts]. */
NODISCARD int topo_text_write(FILE *f, const struct net_view *v, const struct net_way *way,
        const char *title, struct err *e);

#endif
