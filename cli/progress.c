/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/human.h"
#include "analysis/process.h"
#include "analysis/put.h"

#define BAR_CELLS        24
#define TERMINAL_EVERY_S 0.1
#define PLAIN_EVERY_S    5.0

void progress_start(struct progress *p, int64_t stop_ps, uint64_t total_messages)
{
	*p = (struct progress){
	        .is_terminal = isatty(STDERR_FILENO),
	        .start_s = process_wall_s(),
	        .stop_ps = stop_ps,
	        .total_messages = total_messages,
	};
	p->shown_s = p->start_s;
}

double progress_share(const struct progress *p, const struct sim_progress *now)
{
	double time = -1, messages = -1, share;

	if (p->stop_ps != TIME_NEVER && p->stop_ps > 0)
		time = (double)now->t_ps / (double)p->stop_ps;
	if (p->total_messages)
		messages = (double)now->messages_done / (double)p->total_messages;
	share = time > messages ? time : messages;
	return share > 1 ? 1 : share;
}

static void format_bar(char bar[BAR_CELLS + 1], double share)
{
	int full = (int)(share * BAR_CELLS);

	memset(bar, '#', (size_t)full);
	memset(bar + full, '.', (size_t)(BAR_CELLS - full));
	bar[BAR_CELLS] = '\0';
}

static void format_line(char *line, size_t len, const struct progress *p,
        const struct sim_progress *now, double elapsed_s)
{
	char t[HUMAN_LEN], hops[HUMAN_LEN], events[HUMAN_LEN], left[HUMAN_LEN + 8] = "";
	char bar[BAR_CELLS + 1], head[BAR_CELLS + 16] = "";
	double share = progress_share(p, now);

	if (share >= 0) {
		format_bar(bar, share);
		(void)snprintf(head, sizeof(head), "[%s] %3.0f %%  ", bar, share * 100);
	}
	if (share > 0.001 && share < 1) {
		double left_s = elapsed_s * (1 - share) / share;

		(void)snprintf(left, sizeof(left),
		        left_s < 100 ? "  %.0f s left" : "  %.0f min left",
		        left_s < 100 ? left_s : left_s / 60);
	}
	(void)snprintf(line, len, "%s%s  %s hops/s  %s events/s%s", head,
	        human_time(t, now->t_ps),
	        human_count(hops, (double)now->packet_hops / elapsed_s),
	        human_count(events, (double)now->events / elapsed_s), left);
}

void progress_show(void *progress, const struct sim_progress *now)
{
	struct progress *p = progress;
	double now_s = process_wall_s();
	char line[160];

	if (now_s - p->shown_s < (p->is_terminal ? TERMINAL_EVERY_S : PLAIN_EVERY_S))
		return;
	p->shown_s = now_s;
	format_line(line, sizeof(line), p, now, now_s - p->start_s);
	put(stderr, p->is_terminal ? "\r%s\033[K" : "%s\n", line);
	(void)fflush(stderr); /* nothing to be done about a lost progress line */
	p->drawn = p->is_terminal;
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		put_text("\r\033[K", stderr);
	p->drawn = false;
}
