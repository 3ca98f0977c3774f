/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/human.h"
#include "cli/cli.h"
#include "dataplane/base/units.h"

void capture_show_begun(void *show, const struct capture_interface *i, uint32_t n_queues)
{
	const struct capture_show *s = show;
	char rate[HUMAN_LEN], speed[48] = "", queues[32] = "", clock[256];

	if (i->speed_bps)
		(void)snprintf(
		        speed, sizeof(speed), ", %s", human_rate(rate, (int64_t)i->speed_bps));
	if (n_queues > 1)
		(void)snprintf(queues, sizeof(queues), ", %u queues", n_queues);
	clock_describe(clock, sizeof(clock), &i->clock);
	cli_note("capturing %s%s%s into %s; stamps: %s", i->name, speed, queues, s->out,
	        clock + (strncmp(clock, "squall ", 7) ? 0 : 7));
}

static void add(struct live_queue_counts *sum, const struct live_queue_counts *q, uint32_t n)
{
	*sum = (struct live_queue_counts){.lost_interface = CAPTURE_NO_COUNT};
	for (uint32_t i = 0; i < n; i++) {
		sum->packets += q[i].packets;
		sum->bytes += q[i].bytes;
		sum->received += q[i].received;
		sum->lost_source += q[i].lost_source;
		sum->lost_buffers += q[i].lost_buffers;
		sum->lost_write += q[i].lost_write;
		sum->stamps_back += q[i].stamps_back;
		if (q[i].lost_interface == CAPTURE_NO_COUNT)
			continue;
		if (sum->lost_interface == CAPTURE_NO_COUNT)
			sum->lost_interface = 0;
		sum->lost_interface += q[i].lost_interface;
	}
}

/* "lost 0", or where. A device counts for all its queues together, or not at all. */
static const char *losses(char *text, size_t n, const struct live_queue_counts *q)
{
	char interface[40] = "";

	if (q->lost_interface != CAPTURE_NO_COUNT)
		(void)snprintf(interface, sizeof(interface), "interface %" PRIu64 ", ",
		        q->lost_interface);
	if (!live_lost(q))
		(void)snprintf(text, n, "lost 0");
	else
		(void)snprintf(text, n,
		        "lost %" PRIu64 " (%sring %" PRIu64 ", buffers %" PRIu64
		        ", writing %" PRIu64 ")",
		        live_lost(q), interface, q->lost_source, q->lost_buffers,
		        q->lost_write);
	return text;
}

void capture_show_progress(void *show, const struct live_progress *p)
{
	struct capture_show *s = show;
	struct live_queue_counts sum;
	int64_t since_ns = p->elapsed_ns - s->elapsed_ns;
	char packets[HUMAN_LEN], rate[HUMAN_LEN], size[HUMAN_LEN], lost[200];

	add(&sum, p->queue, p->n_queues);
	cli_note("%" PRId64 " s: %s packets, %s/s, file %s, %s",
	        (p->elapsed_ns + 500000000) / 1000000000,
	        human_count(packets, (double)sum.packets),
	        human_count(rate, since_ns > 0 ? (double)(sum.packets - s->packets) * 1e9 /
	                                                 (double)since_ns
	                                       : 0),
	        human_size(size, (int64_t)p->file_bytes), losses(lost, sizeof(lost), &sum));
	s->packets = sum.packets;
	s->elapsed_ns = p->elapsed_ns;
}

void capture_show_end(const struct live_result *r, const char *out)
{
	struct live_queue_counts sum;
	char size[HUMAN_LEN], took[HUMAN_LEN], lost[200];

	add(&sum, r->queue, r->n_queues);
	for (uint32_t i = 0; r->n_queues > 1 && i < r->n_queues; i++)
		cli_note("queue %u: %" PRIu64 " packets, %s", i, r->queue[i].packets,
		        losses(lost, sizeof(lost), &r->queue[i]));
	if (sum.stamps_back)
		cli_note("%" PRIu64 " stamps are earlier than those before them by more than "
		         "1 ms: the clock was set back",
		        sum.stamps_back);
	cli_note("%s: %" PRIu64 " packets in %s, %s, %s", out, sum.packets,
	        human_time(took, ps_from_ns(r->elapsed_ns)),
	        human_size(size, (int64_t)r->file_bytes), losses(lost, sizeof(lost), &sum));
}
