/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/analyze_live.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/human.h"
#include "analysis/put.h"
#include "analysis/trace/trace_live.h"
#include "capture/clock.h"
#include "cli/capture_options.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "cli/stop.h"
#include "dataplane/base/units.h"

#define NS_PER_MS  INT64_C(1000000)
#define BATCH      256
#define POLL_MS    50
#define DRAIN_NS   (2000 * NS_PER_MS)
#define SHOW_SHARE 20 /* at most so large a part of the time is spent on showing */

struct live {
	const struct analyze_args *a;
	struct trace *t;
	const struct source_ops *ops;
	struct source *source;
	struct source_config config;
	struct bpf_program program;
	struct trace_live *view;
	struct trace_live_source about;
	struct screen screen;
	struct packet batch[BATCH];
	uint64_t packets;
	int64_t begin_ns, next_ns, keys_ns;
	const atomic_bool *stop;
	bool utf8;
};

static int64_t steady_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return t.tv_sec * 1000 * NS_PER_MS + t.tv_nsec;
}

static int open_source(struct live *l, struct err *e)
{
	struct capture_interface i;
	uint32_t index;
	int r = capture_source_choose(
	        &l->ops, &l->config, l->a->live.source_kind, &l->program, e);

	if (!r)
		r = l->ops->open(&l->source, &l->config, e);
	for (uint32_t k = 0; !r && l->ops->describe(l->source, k, &i); k++) {
		r = trace_interface_add(l->t, &i, &index, e);
		if (k)
			continue;
		(void)snprintf(l->about.clock, sizeof(l->about.clock), "%s, %.64s",
		        clock_kind_name((enum clock_kind)i.clock.kind), i.clock.name);
		l->about.speed_bps = i.speed_bps ? (int64_t)i.speed_bps : l->a->trace.speed_bps;
	}
	return r;
}

static void count_losses(struct live *l)
{
	struct source_stats s = {.dropped_by_interface = CAPTURE_NO_COUNT};

	l->ops->stats(l->source, 0, &s);
	l->about.packets = l->packets;
	l->about.lost = s.dropped;
	l->about.lost_by_interface = s.dropped_by_interface;
	trace_interface_counts(
	        l->t, 0, s.received + s.dropped, s.dropped, s.dropped_by_interface);
}

static void draw(struct live *l, const struct trace_result *r)
{
	char *text = NULL;
	size_t len = 0;
	uint32_t rows, columns;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return; /* the next one may have memory */
	screen_size(&rows, &columns);
	trace_live_screen(l->view, f, r, rows, columns, l->utf8);
	if (!fclose(f))
		screen_draw(&l->screen, text, len);
	free(text);
}

/* Looking at a large result takes its time, in which packets wait: then the less often. */
static int show(struct live *l, int64_t now_ns, struct err *e)
{
	int64_t took_ns, step_ns = l->a->refresh_ns;
	const struct trace_result *r;
	struct diagnosis *d = NULL;
	int rc;

	count_losses(l);
	r = trace_now(l->t);
	rc = diagnose(&d, r, e);
	if (!rc)
		rc = trace_live_look(l->view, r, d, &l->about, now_ns, e);
	diagnosis_free(d);
	if (rc)
		return rc;
	if (l->screen.on) {
		draw(l, r);
	} else if (now_ns > l->begin_ns) {
		trace_live_line(l->view, stderr);
		(void)fflush(stderr); /* a lost line */
	}
	took_ns = steady_ns() - now_ns;
	if (step_ns < SHOW_SHARE * took_ns)
		step_ns = SHOW_SHARE * took_ns;
	l->next_ns = now_ns + step_ns;
	return 0;
}

/* Of a batch what --count still wants. */
static int feed(struct live *l, uint32_t n, struct err *e)
{
	uint64_t max = l->a->live.max_packets;
	int r;

	if (max && n > max - l->packets)
		n = (uint32_t)(max - l->packets);
	r = trace_feed(l->t, l->batch, n, l->packets + 1, e);
	l->packets += n;
	return r;
}

static bool ended(struct live *l, int64_t now_ns)
{
	const struct capture_args *c = &l->a->live;

	if (atomic_load_explicit(l->stop, memory_order_relaxed) ||
	        (c->max_packets && l->packets == c->max_packets) ||
	        (c->duration_ns && now_ns - l->begin_ns >= c->duration_ns))
		return true;
	if (now_ns < l->keys_ns)
		return false;
	l->keys_ns = now_ns + POLL_MS * NS_PER_MS;
	return screen_quit(&l->screen);
}

static int timeout_ms(const struct live *l, int64_t now_ns)
{
	int64_t left_ns = POLL_MS * NS_PER_MS, end_ns = l->begin_ns + l->a->live.duration_ns;

	if (!l->a->quiet && l->next_ns - now_ns < left_ns)
		left_ns = l->next_ns - now_ns;
	if (l->a->live.duration_ns && end_ns - now_ns < left_ns)
		left_ns = end_ns - now_ns;
	return left_ns > 0 ? (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

/* One poll; 1: nothing was there. */
static int take(struct live *l, int wait_ms, struct err *gone, struct err *e)
{
	int n = l->ops->poll(l->source, 0, l->batch, BATCH, wait_ms, gone), r;

	if (n <= 0)
		return n < 0 ? n : 1;
	r = feed(l, (uint32_t)n, e);
	l->ops->release(l->source, 0);
	return r;
}

static int run(struct live *l, struct err *gone, struct err *e)
{
	int64_t now_ns = l->begin_ns = steady_ns();
	int r = l->a->quiet ? 0 : show(l, now_ns, e);

	while (r >= 0 && !ended(l, now_ns)) {
		r = take(l, timeout_ms(l, now_ns), gone, e);
		now_ns = steady_ns();
		if (r >= 0 && !l->a->quiet && now_ns >= l->next_ns)
			r = show(l, now_ns, e);
	}
	l->ops->halt(l->source);
	while (!r && !(l->a->live.max_packets && l->packets == l->a->live.max_packets) &&
	        steady_ns() - now_ns < DRAIN_NS)
		r = take(l, POLL_MS, gone, e);
	return r > 0 || gone->code ? 0 : r;
}

static void say_end(const struct live *l)
{
	char time[HUMAN_LEN], by[80] = "";

	if (l->about.lost_by_interface == CAPTURE_NO_COUNT)
		(void)snprintf(by, sizeof(by), "; what the interface lost it does not say");
	else if (l->about.lost_by_interface)
		(void)snprintf(by, sizeof(by), ", %" PRIu64 " by the interface",
		        l->about.lost_by_interface);
	cli_note("%s: %" PRIu64 " packets in %s, lost %" PRIu64 "%s", l->about.name, l->packets,
	        human_time(time, ps_from_ns(steady_ns() - l->begin_ns)), l->about.lost, by);
}

int analyze_live(const struct analyze_args *a, struct trace *t, struct err *gone, struct err *e)
{
	struct live *l = calloc(1, sizeof(*l));
	int r = l ? 0 : err_set(e, -ENOMEM, "analyze: out of memory");

	if (r)
		return r;
	*l = (struct live){.a = a,
	        .t = t,
	        .config = a->live.source,
	        .about = {.name = a->live.source.device, .filter = a->live.source.filter},
	        .stop = stop_on_signals(),
	        .utf8 = screen_is_utf8()};
	l->config.n_queues = 1; /* one thread analyses: packets keep their order */
	r = trace_live_open(&l->view, e);
	if (!r)
		r = open_source(l, e);
	if (!r) {
		if (!a->quiet)
			(void)screen_begin(&l->screen); /* or lines */
		r = run(l, gone, e);
		screen_end(&l->screen);
		count_losses(l);
		if (!r && !a->quiet)
			say_end(l);
	}
	if (l->source)
		l->ops->close(l->source);
	if (l->config.program)
		pcap_freecode(&l->program);
	trace_live_close(l->view);
	free(l);
	return r;
}
