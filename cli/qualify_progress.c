/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/qualify_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/process.h"
#include "analysis/put.h"

#define BAR_CELLS 24

void qualify_progress_start(struct qualify_progress *p)
{
	*p = (struct qualify_progress){
	        .is_terminal = isatty(STDERR_FILENO), .start_s = process_wall_s()};
}

static void draw(
        struct qualify_progress *p, const struct verdict_case *c, uint32_t n_done, uint32_t n)
{
	char bar[BAR_CELLS + 1], left[40] = "", failing[40] = "";
	const double elapsed_s = process_wall_s() - p->start_s;
	const uint32_t full = n_done * BAR_CELLS / n;

	memset(bar, '#', full);
	memset(bar + full, '.', BAR_CELLS - full);
	bar[BAR_CELLS] = '\0';
	if (n_done < n)
		(void)snprintf(
		        left, sizeof(left), "  %.0f s left", elapsed_s * (n - n_done) / n_done);
	if (p->bad)
		(void)snprintf(failing, sizeof(failing), "  %u fail", p->bad);
	put(stderr, "\r[%s] %u of %u%s%s  %.40s\033[K", bar, n_done, n, failing, left, c->name);
	p->drawn = true;
}

void qualify_progress_show(
        void *progress, const struct verdict_case *c, uint32_t n_done, uint32_t n)
{
	struct qualify_progress *p = progress;

	p->bad += verdict_is_bad(c->status);
	if (p->is_terminal)
		draw(p, c, n_done, n);
	else
		put(stderr, "%u of %u  %-15s %s.%s\n", n_done, n, verdict_word(c->status),
		        c->suite, c->name);
	(void)fflush(stderr); /* nothing to be done about a lost progress line */
}

void qualify_progress_end(struct qualify_progress *p)
{
	if (p->drawn)
		put_text("\r\033[K", stderr);
	p->drawn = false;
}
