/* SPDX-License-Identifier: Apache-2.0 */
/* The screen and the line of a live analysis. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "analysis/human.h"
#include "analysis/put.h"
#include "analysis/trace/trace_live_int.h"
#include "dataplane/base/units.h"

/* A screen that is filled from above: nothing goes beyond its edges. */
struct page {
	FILE *f;
	uint32_t rows, columns, used;
};

static void line(struct page *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void line(struct page *p, const char *fmt, ...)
{
	char text[2048];
	uint32_t n = 0;
	size_t i = 0;
	va_list args;

	if (p->used == p->rows)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (; text[i]; i++) {
		n += (text[i] & 0xc0) != 0x80;
		if (n > p->columns)
			break;
	}
	put_bytes(text, i, p->f);
	put_char('\n', p->f);
	p->used++;
}

enum how { BPS, COUNT, PER_S, PPM, NS };

struct figure {
	const char *name;
	uint8_t at; /* enum live_figure */
	uint8_t how;
};

static const struct figure figures[] = {
        {"goodput", LIVE_GOODPUT, BPS},
        {"on the wire", LIVE_WIRE, BPS},
        {"RoCE packets", LIVE_PACKETS, PER_S},
        {"CE of data", LIVE_CE, PPM},
        {"CNPs", LIVE_CNPS, PER_S},
        {"NAKs", LIVE_NAKS, PER_S},
        {"sent again", LIVE_AGAIN, PER_S},
        {"p99 ACK RTT", LIVE_RTT, NS},
        {"p99 net FCT", LIVE_FCT, NS},
};

#define FIGURES (sizeof(figures) / sizeof(*figures))

static const char *say(char buf[HUMAN_LEN], int64_t v, enum how how)
{
	char n[HUMAN_LEN];

	if (v == TRACE_UNKNOWN)
		return "-";
	switch (how) {
	case BPS:
		return human_rate(buf, v);
	case COUNT:
		return human_count(buf, (double)v);
	case PER_S:
		(void)snprintf(buf, HUMAN_LEN, "%.20s/s", human_count(n, (double)v));
		return buf;
	case PPM:
		(void)snprintf(buf, HUMAN_LEN, "%.2f %%", (double)v / 10000);
		return buf;
	case NS:
		return human_time(buf, ps_from_ns(v));
	}
	return "";
}

/* The last `cells` looks, the newest at the right end; scaled to the largest of them. */
static void chart(
        char *out, size_t size, const struct trace_live *l, int at, uint32_t cells, bool utf8)
{
	static const char *const bar[] = {" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585",
	        "\u2586", "\u2587", "\u2588"};
	static const char *const plain[] = {" ", ".", ".", ":", ":", "-", "=", "#", "#"};
	uint32_t n = l->looks < cells ? l->looks : cells;
	int64_t most = 0;
	size_t used = 0;

	for (uint32_t i = l->looks - n; i != l->looks; i++)
		if (l->history[i % LIVE_HISTORY][at] > most)
			most = l->history[i % LIVE_HISTORY][at];
	*out = '\0';
	for (uint32_t i = 0; i < cells && used + 4 < size; i++) {
		int64_t v = i < cells - n
		                    ? 0
		                    : l->history[(l->looks - cells + i) % LIVE_HISTORY][at];
		int level = v <= 0 || !most ? 0 : 1 + (int)((double)v * 7 / (double)most);
		const char *c = (utf8 ? bar : plain)[level > 8 ? 8 : level];

		memcpy(out + used, c, strlen(c) + 1);
		used += strlen(c);
	}
}

static void figure_line(
        struct page *p, const struct trace_live *l, const struct figure *g, bool utf8)
{
	char now[HUMAN_LEN], peak[HUMAN_LEN], bars[LIVE_HISTORY * 3 + 8];
	uint32_t cells = p->columns > 56 ? p->columns - 54 : 0;

	chart(bars, sizeof(bars), l, g->at, cells < 120 ? cells : 120, utf8);
	line(p, "  %-16s%14s  %s  peak %s", g->name, say(now, l->now[g->at], (enum how)g->how),
	        bars, say(peak, l->peak[g->at], (enum how)g->how));
}

static void head(struct page *p, const struct trace_live *l, const struct trace_result *r)
{
	const struct trace_live_source *s = &l->source;
	char speed[HUMAN_LEN], time[HUMAN_LEN], packets[HUMAN_LEN], unsaid[64] = "";

	line(p, "squall analyze -i %s   %s   stamps: %s   %s   q ends", s->name,
	        s->speed_bps ? human_rate(speed, s->speed_bps) : "speed unknown", s->clock,
	        human_time(time, ps_from_ns(l->now_ns - l->begin_ns)));
	if (s->lost_by_interface == CAPTURE_NO_COUNT)
		(void)snprintf(unsaid, sizeof(unsaid), ", interface does not say");
	else if (s->lost_by_interface)
		(void)snprintf(unsaid, sizeof(unsaid), ", %" PRIu64 " by the interface",
		        s->lost_by_interface);
	line(p, "%s packets%s%s, lost %" PRIu64 "%s; %u flows, %u active",
	        human_count(packets, (double)s->packets), s->filter ? " of filter " : "",
	        s->filter ? s->filter : "", s->lost, unsaid, r->n_flows, l->n_active);
	line(p, "%s", "");
}

static void pause_lines(
        struct page *p, const struct trace_live *l, const struct trace_result *r, bool utf8)
{
	for (int k = 0; k < TRACE_PRIORITIES; k++) {
		char name[24];
		struct figure g = {name, (uint8_t)(LIVE_PAUSED + k), PPM};

		if (!l->ever_paused[k])
			continue;
		(void)snprintf(name, sizeof(name), "paused, prio %d", k);
		figure_line(p, l, &g, utf8);
	}
	if (l->no_speed)
		line(p,
		        "  %" PRIu64 " XOFF frames; how long they pause depends on the speed: "
		        "--speed",
		        r->xoff_frames);
}

static void finding_lines(struct page *p, const struct trace_live *l)
{
	if (!l->n_findings)
		return;
	line(p, "%s", "");
	for (uint32_t i = 0; i < l->n_findings; i++) {
		const struct live_finding *g = &l->finding[i];
		const struct finding_kind *k = finding_table[g->id];

		line(p, "  %-8s %*s%s%s: %s",
		        finding_severity_name((enum finding_severity)g->severity), 3 * g->depth,
		        "", g->depth ? "-> " : "", k->name, k->title);
	}
}

static void flow_lines(struct page *p, const struct trace_live *l, const struct trace_result *r)
{
	int64_t ns = l->now_ns - l->before_ns;
	bool narrow = p->columns < 100;
	int wide = narrow ? 16 : 24;

	if (!l->n_top || p->rows - p->used < 4 || ns <= 0)
		return;
	line(p, "%s", "");
	line(p, "  %-*s %-*s %-8s %11s %7s %8s %8s", wide, "source", wide, "destination", "QP",
	        "now", "CE", "CNPs/s", "again/s");
	for (uint32_t i = 0; i < l->n_top && p->used < p->rows; i++) {
		const struct live_flow *t = &l->top[i];
		const struct trace_flow *w = &r->flow[t->flow];
		char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN], rate[HUMAN_LEN], ce[HUMAN_LEN];
		char cnps[HUMAN_LEN], again[HUMAN_LEN];
		double s = (double)ns / 1e9;

		line(p, "  %-*s %-*s 0x%-6x %11s %7s %8s %8s", wide,
		        trace_addr_text(src, &w->src), wide, trace_addr_text(dst, &w->dst),
		        w->dqp, human_rate(rate, (int64_t)((double)t->bytes * 8 / s)),
		        say(ce, (int64_t)(t->ce * 1000000 / t->data), PPM),
		        human_count(cnps, (double)t->cnps / s),
		        human_count(again, (double)t->again / s));
	}
}

void trace_live_screen(const struct trace_live *l, FILE *f, const struct trace_result *r,
        uint32_t rows, uint32_t columns, bool utf8)
{
	struct page p = {f, rows, columns, 0};

	head(&p, l, r);
	for (size_t i = 0; i < FIGURES; i++) {
		if (figures[i].at == LIVE_RTT)
			pause_lines(&p, l, r, utf8);
		figure_line(&p, l, &figures[i], utf8);
	}
	finding_lines(&p, l);
	flow_lines(&p, l, r);
}

void trace_live_line(const struct trace_live *l, FILE *f)
{
	char buf[HUMAN_LEN];

	put(f, "%s:", human_time(buf, ps_from_ns(l->now_ns - l->begin_ns)));
	put(f, " goodput %s", say(buf, l->now[LIVE_GOODPUT], BPS));
	put(f, ", %s packets", say(buf, l->now[LIVE_PACKETS], PER_S));
	put(f, ", CE %s", say(buf, l->now[LIVE_CE], PPM));
	put(f, ", CNPs %s", say(buf, l->now[LIVE_CNPS], PER_S));
	put(f, ", NAKs %s", say(buf, l->now[LIVE_NAKS], PER_S));
	put(f, ", sent again %s", say(buf, l->now[LIVE_AGAIN], PER_S));
	for (int k = 0; k < TRACE_PRIORITIES; k++)
		if (l->ever_paused[k])
			put(f, ", paused%d %s", k, say(buf, l->now[LIVE_PAUSED + k], PPM));
	put(f, ", p99 RTT %s", say(buf, l->now[LIVE_RTT], NS));
	put(f, ", p99 net FCT %s", say(buf, l->now[LIVE_FCT], NS));
	put(f, ", lost %" PRIu64, l->source.lost);
	if (l->source.lost_by_interface != CAPTURE_NO_COUNT && l->source.lost_by_interface)
		put(f, " (interface %" PRIu64 ")", l->source.lost_by_interface);
	for (uint32_t i = 0; i < l->n_findings; i++)
		put(f, "%s%s", i ? " " : "; found: ", finding_table[l->finding[i].id]->name);
	put_char('\n', f);
}
