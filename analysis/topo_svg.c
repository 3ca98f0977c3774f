/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/topo_svg.h"

#include <string.h>

#include "analysis/human.h"
#include "analysis/markup_text.h"
#include "analysis/put.h"

#define HEAD_HIGH  34
#define ARC_GAP    4 /* half of the thickest line, and a little */
#define LEAST_WIDE 360
#define CHAR_WIDE  6.4

static const char style[] =
        "<style>\n"
        "svg{background:#f7f8fa;font:11px system-ui,sans-serif}\n"
        "path{fill:none;stroke:#9aa5b3;stroke-linecap:round}\n"
        "rect{fill:#fff;stroke:#5b6675}rect.h{fill:#c9d6e6;stroke:none}\n"
        "text{fill:#1c2430;text-anchor:middle}text.t{font-size:14px;font-weight:600;"
        "text-anchor:start}\n"
        "@media(prefers-color-scheme:dark){svg{background:#12161c}path{stroke:#56616f}"
        "rect{fill:#1a2028;stroke:#7a8594}rect.h{fill:#38506e}text{fill:#e3e8ef}}\n"
        "</style>\n";

static void write_link(FILE *f, const struct topo_map *m, const struct map_link *l)
{
	const struct map_node *a = &m->node[l->a], *b = &m->node[l->b];
	const int32_t xa = a->x + a->w / 2, xb = b->x + b->w / 2;
	char rate[HUMAN_LEN], delay[HUMAN_LEN];

	if (a->tier == 0 && m->hosts_apart)
		return; /* stands under its switch */
	if (a->y == b->y)
		put(f, "<path d=\"M%d %dQ%d %d %d %d\"", xa, a->y, (xa + xb) / 2,
		        a->y - topo_map_arc_rise(a, b), xb, b->y);
	else if (a->y > b->y)
		put(f, "<path d=\"M%d %dL%d %d\"", xa, a->y, xb, b->y + b->h);
	else
		put(f, "<path d=\"M%d %dL%d %d\"", xa, a->y + a->h, xb, b->y);
	put(f, " stroke-width=\"%d\"><title>", l->cables > 16 ? 4 : l->cables > 1 ? 2 : 1);
	markup_text(f, a->label);
	put_text(" to ", f);
	markup_text(f, b->label);
	put(f, ": %u x %s, %s</title></path>\n", l->cables, human_rate(rate, l->rate_bps),
	        human_time(delay, l->delay_ps));
}

static void write_node(FILE *f, const struct map_node *n)
{
	const int32_t room = n->w - 6;
	const int32_t wide = (int32_t)((double)strlen(n->label) * CHAR_WIDE);

	put(f, "<rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"><title>",
	        n->tier ? "" : " class=\"h\"", n->x, n->y, n->w, n->h, n->tier ? 4 : 2);
	markup_text(f, n->label);
	put_text("</title></rect>\n", f);
	if (n->w < 40)
		return;
	put(f, "<text x=\"%d\" y=\"%d\"", n->x + n->w / 2, n->y + n->h / 2 + 4);
	if (wide > room)
		put(f, " textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\"", room);
	put_char('>', f);
	markup_text(f, n->label);
	put_text("</text>\n", f);
}

/* The title, and room for cables between switches of the top tier, which bend upwards. */
static int32_t head_high(const struct topo_map *m)
{
	int32_t high = HEAD_HIGH;

	for (uint32_t i = 0; i < m->n_links; i++) {
		const struct map_node *a = &m->node[m->link[i].a], *b = &m->node[m->link[i].b];
		const int32_t above = topo_map_arc_rise(a, b) / 2 - a->y + ARC_GAP;

		if (a->y == b->y && HEAD_HIGH + above > high)
			high = HEAD_HIGH + above;
	}
	return high;
}

void topo_svg_write(
        FILE *f, const struct net_view *v, const struct topo_map *m, const char *title)
{
	const int32_t width = m->width > LEAST_WIDE ? m->width : LEAST_WIDE;
	const int32_t head = head_high(m);

	put(f,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
	        "height=\"%d\">\n",
	        width, m->height + head, width, m->height + head);
	put_text(style, f);
	put_text("<text class=\"t\" x=\"16\" y=\"24\">", f);
	markup_text(f, title);
	put(f, ": %u hosts, %u switches</text>\n<g transform=\"translate(0 %d)\">\n",
	        v->n_hosts, v->n_nodes - v->n_hosts, head);
	for (uint32_t i = 0; i < m->n_links; i++)
		write_link(f, m, &m->link[i]);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		write_node(f, &m->node[i]);
	put_text("</g>\n</svg>\n", f);
}
