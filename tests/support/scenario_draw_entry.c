/* SPDX-License-Identifier: Apache-2.0 */
/* Entries whose keys only together mean something: faults, training, lists, schedules. */
#include <inttypes.h>

#include "tests/support/scenario_draw.h"

static void put_when(struct scenario_draw *t)
{
	if (draw_chance(t, 700))
		fprintf(t->f, "at: %" PRId64 "ns, ", draw_log(t, 1, 100000));
	if (draw_chance(t, 700))
		fprintf(t->f, "for: %" PRId64 "ns, ", draw_log(t, 1, 100000));
}

static void put_psns(struct scenario_draw *t)
{
	int64_t first = draw_log(t, 1, 200) - 1;

	if (draw_chance(t, 500))
		fprintf(t->f, ", psn: %" PRId64 "-%" PRId64, first,
		        first + draw_between(t, 0, 20));
	else
		fprintf(t->f, ", psn: [0, %" PRId64 ", %" PRId64 "-%" PRId64 "]", first + 1,
		        first + 2, first + 5);
}

/* drop, corrupt, mark, hold: which frames. */
static void put_frames(struct scenario_draw *t, const char *kind)
{
	fprintf(t->f, "%s: {link: ", kind);
	draw_put_link(t);
	if (draw_chance(t, 500))
		fprintf(t->f, ", probability: %" PRId64 "%%", draw_log(t, 1, 100));
	if (draw_chance(t, 300))
		fprintf(t->f, ", every: %" PRId64, draw_log(t, 1, 50));
	if (draw_chance(t, 300))
		fprintf(t->f, ", count: %" PRId64, draw_log(t, 1, 50));
	if (draw_chance(t, 300))
		fprintf(t->f, ", frames: %s",
		        DRAW_ONE(t, "auto", "all", "data", "ack", "cnp", "pfc"));
	if (draw_chance(t, 300))
		fprintf(t->f, ", sent: %s", DRAW_ONE(t, "auto", "any", "first", "again"));
	if (draw_chance(t, 250))
		put_psns(t);
	if (draw_chance(t, 250)) {
		fputs(", qp: {src: ", t->f);
		draw_put_host(t);
		if (draw_chance(t, 300))
			fputs(", number: 0", t->f);
		fputc('}', t->f);
	}
	if (*kind == 'h')
		fprintf(t->f, ", time: %" PRId64 "ns", draw_log(t, 1, 60000));
	fputc('}', t->f);
}

static void put_link_fault(struct scenario_draw *t)
{
	switch (draw_between(t, 0, 2)) {
	case 0:
		if (draw_chance(t, 500))
			fprintf(t->f, "reroute: %" PRId64 "ns, ", draw_log(t, 1, 100000));
		fputs("link_down: ", t->f);
		draw_put_link(t);
		break;
	case 1:
		fprintf(t->f, "rate: %" PRId64 "Mbps, link_rate: ", draw_log(t, 200, 400000));
		draw_put_link(t);
		break;
	default:
		fprintf(t->f, "delay: %" PRId64 "ns, link_delay: ", draw_log(t, 1, 30000));
		draw_put_link(t);
	}
}

static void put_storm(struct scenario_draw *t)
{
	if (draw_chance(t, 400))
		fprintf(t->f, "interval: %" PRId64 "ns, ", draw_log(t, 10, 30000));
	if (draw_chance(t, 400))
		fprintf(t->f, "quanta: %" PRId64 ", ", draw_log(t, 1, 65535) - 1);
	if (draw_chance(t, 300))
		fputs("priorities: [0, 3, 6], ", t->f);
	else if (draw_chance(t, 300))
		fprintf(t->f, "priority: %" PRId64 ", ", draw_between(t, 0, 7));
	if (draw_chance(t, 200))
		fprintf(t->f, "frame: %s, ",
		        DRAW_ONE(t, "global-pause", "bad-opcode", "short", "zero-vector",
		                "zero-source"));
	fputs("pfc_storm: ", t->f);
	if (draw_chance(t, 500))
		draw_put_host(t);
	else
		draw_put_direction(t);
}

static void put_host_fault(struct scenario_draw *t)
{
	switch (draw_between(t, 0, 5)) {
	case 0:
		fprintf(t->f, "rate: %" PRId64 "Gbps, slow_receiver: ", draw_between(t, 1, 90));
		break;
	case 1:
		fputs("pfc_ignored: ", t->f);
		break;
	case 2:
		fprintf(t->f, "delay: %" PRId64 "ns, pfc_late: ", draw_log(t, 1, 30000));
		break;
	case 3:
		fprintf(t->f, "priority: %" PRId64 ", %s: ", draw_between(t, 0, 7),
		        DRAW_ONE(t, "data_priority", "cnp_priority"));
		break;
	case 4:
		fprintf(t->f, "interval: %" PRId64 "us, cnp_throttled: ", draw_log(t, 1, 60));
		break;
	default:
		fputs("one_source_port: ", t->f);
	}
	if (draw_chance(t, 150))
		fputs("all", t->f);
	else
		draw_put_host(t);
}

void draw_put_fault(struct scenario_draw *t)
{
	fputs("  - {", t->f);
	put_when(t);
	switch (draw_between(t, 0, 9)) {
	case 0:
	case 1:
	case 2:
	case 3:
		put_frames(t, DRAW_ONE(t, "drop", "drop", "corrupt", "mark", "hold"));
		break;
	case 4:
	case 5:
		put_link_fault(t);
		break;
	case 6:
		fputs("ecn_off: ", t->f);
		draw_put_switch(t);
		break;
	case 7:
		put_storm(t);
		break;
	default:
		put_host_fault(t);
	}
	fputs("}\n", t->f);
}

static void put_flows(struct scenario_draw *t)
{
	fputs("{pattern: flows, flows: [", t->f);
	for (int64_t n = draw_between(t, 1, 12); n > 0; n--) {
		int64_t src = draw_between(t, 0, t->shape->n_hosts - 1),
		        dst = draw_between(t, 0, t->shape->n_hosts - 2);

		fprintf(t->f, "[%" PRId64 ", %" PRId64 ", %" PRId64 "B, %" PRId64 "ns", src,
		        dst + (dst >= src), draw_log(t, 1, 300000), draw_log(t, 1, 100000) - 1);
		if (draw_chance(t, 300))
			fprintf(t->f, ", %" PRId64, draw_between(t, 0, 7));
		fputs(n > 1 ? "], " : "]", t->f);
	}
	fputs("]}", t->f);
}

static void put_training(struct scenario_draw *t)
{
	fprintf(t->f,
	        "{pattern: training, repeat: %" PRId64 ", compute: %" PRId64
	        "us, collectives: [",
	        draw_between(t, 1, 4), draw_between(t, 0, 60));
	for (int64_t n = draw_between(t, 1, 3); n > 0; n--)
		fprintf(t->f, "[%s, %" PRId64 "B]%s",
		        DRAW_ONE(t, "all-reduce", "all-gather", "reduce-scatter"),
		        draw_log(t, 1, 100000), n > 1 ? ", " : "");
	fprintf(t->f, "], overlap: %s", DRAW_ONE(t, "on", "off"));
	if (draw_chance(t, 500))
		fprintf(t->f, ", bucket: %" PRId64 "B", draw_log(t, 1000, 100000));
	if (draw_chance(t, 400))
		fprintf(t->f, ", stragglers: \"0\", slowdown: 1.%" PRId64,
		        draw_between(t, 1, 9));
	if (draw_chance(t, 300))
		fprintf(t->f, ", jitter: %" PRId64 "ns", draw_log(t, 1, 9000));
	if (draw_chance(t, 300))
		fprintf(t->f, ", channels: %" PRId64, draw_between(t, 1, 3));
	fputc('}', t->f);
}

void draw_put_special_load(struct scenario_draw *t)
{
	if (draw_chance(t, 500))
		put_flows(t);
	else if (draw_chance(t, 700))
		put_training(t);
	else
		fputs("{pattern: schedule, file: \"" SQUALL_SOURCE_DIR
		      "/tests/data/imports/pingpong.goal\"}",
		        t->f);
}
