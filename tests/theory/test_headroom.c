/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headroom bound in the simulator (docs/models.md, "PFC headroom"): at the bound the worst
 * traffic fills it to the last cell and loses nothing; with one cell less (one byte where
 * buffers are byte-exact) one packet is lost and reported as a violation with its place and
 * size.
 *
 * The stage: a switch whose shared pool is one byte, so every packet that must wait is charged
 * to headroom and makes the switch decide XOFF. Host b hangs on a link so slow that its first
 * packet blocks the way for the whole run. Host a then sends the worst case, frame by frame, at
 * line rate, and would go on for ever. Host c's largest frame, due at a's port in the very
 * picosecond at which a's first frame is accounted, goes first and is in the pause frame's way.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "dataplane/fabric/headroom.h"
#include "gen/sim/sim.h"
#include "scenarios/run_sim.h"
#include "scenarios/scenario.h"

#define GBPS       INT64_C(1000000000)
#define PRIMER_PS  INT64_C(0)
#define LARGEST    (58 + 1024 + 4 + 20) /* on the wire */
#define FURTHER    100 /* largest frames that a would send if nothing stopped it */
#define MAX_FRAMES 12000

enum { A, B, C, SWITCH, FRONT, N_NODES };
enum { PORT_C, PORT_A, PORT_B }; /* c's packets of an instant come before a's */

struct stage {
	int64_t rate_bps, delay_ps, latency_ps, cell_bytes;
	bool behind_switch; /* a's packets come through a switch of their own, FRONT */
	bool cut_through;
	bool unpadded; /* frames of every size are legal, not only every fourth */
	enum sim_core core;
};

struct run {
	int64_t bound_bytes, used_bytes, violations, drops;
	struct headroom_violation first;
};

static void set(struct scenario *s, const char *key, const char *value)
{
	struct err e = {0};

	if (scenario_set_key(s, key, value, NULL, &e))
		fail_msg("%s", e.msg);
}

static void set_number(struct scenario *s, const char *key, int64_t value, const char *unit)
{
	char text[48];

	(void)snprintf(text, sizeof(text), "%" PRId64 "%s", value, unit);
	set(s, key, text);
}

/* Without a RETH every message of one packet is a frame of any legal size. */
static void set_keys(struct scenario *s, const struct stage *g)
{
	set(s, "fabric.frame.reth", "0B");
	set(s, "fabric.frame.pad", g->unpadded ? "off" : "on");
	set(s, "fabric.switch.ecn.enabled", "off");
	set(s, "fabric.switch.pfc.reserve", "0B");
	set_number(s, "fabric.switch.cell", g->cell_bytes, "B");
	set_number(s, "fabric.switch.latency", g->latency_ps, "ps");
	set(s, "fabric.switch.forwarding",
	        g->cut_through ? "cut-through" : "store-and-forward");
	set(s, "fabric.nic.cc", "none");
	set(s, "fabric.nic.ack_every", "65535");
	set(s, "fabric.nic.retransmit_timeout", "off");
}

static int64_t response_ps(int64_t rate_bps)
{
	return pause_quanta_ps(pause_response_quanta(rate_bps), rate_bps);
}

/* From a's post to the first frame's start on the link to SWITCH: a's own link is twice as
 * fast, so that nothing but the pause makes gaps on that link. */
static int64_t detour_ps(const struct stage *g)
{
	if (!g->behind_switch)
		return 0;
	return tx_ps_floor(LARGEST, 2 * g->rate_bps) + g->delay_ps + g->latency_ps;
}

/* Long enough for a frame to reach the switch and for what that sets off to come back. */
static int64_t start_ps(const struct stage *g)
{
	return detour_ps(g) + 2 * (g->delay_ps + g->latency_ps) +
	       4 * tx_ps_floor(LARGEST, g->rate_bps) + PS_PER_NS;
}

/* b's rate: the primer, begun before the start, is still on the way when the last frame is in.
 */
static int64_t slow_bps(const struct stage *g)
{
	int64_t burst_ps = detour_ps(g) + 3 * g->delay_ps + 2 * g->latency_ps +
	                   response_ps(g->rate_bps) + 8 * tx_ps_floor(LARGEST, g->rate_bps);

	return 8000 * PS_PER_S / (start_ps(g) + burst_ps);
}

static void set_links(struct scenario *s, const struct stage *g)
{
	const uint32_t peer = g->behind_switch ? FRONT : A;
	const uint32_t n_nodes = g->behind_switch ? N_NODES : FRONT;
	const struct topo_link all[] = {
	        {.a = C, .b = SWITCH, .rate_bps = g->rate_bps, .delay_ps = g->delay_ps},
	        {.a = peer, .b = SWITCH, .rate_bps = g->rate_bps, .delay_ps = g->delay_ps},
	        {.a = B, .b = SWITCH, .rate_bps = slow_bps(g), .delay_ps = g->delay_ps},
	        {.a = A, .b = FRONT, .rate_bps = 2 * g->rate_bps, .delay_ps = g->delay_ps},
	};
	struct topo_node *node = calloc(n_nodes, sizeof(*node));
	struct topo_link *link = malloc(sizeof(all));

	assert_non_null(node);
	assert_non_null(link);
	for (uint32_t i = 0; i < n_nodes; i++) {
		node[i].name[0] = "abcsf"[i];
		node[i].tier = i >= SWITCH;
		node[i].outside_id = i;
	}
	memcpy(link, all, sizeof(all));
	scenario_take_links(s, node, n_nodes, 3, link, g->behind_switch ? 4 : 3);
}

static struct headroom_in bound_of(const struct stage *g, int64_t rate_bps, int64_t delay_ps,
        const struct frame_cfg *frame)
{
	return (struct headroom_in){
	        .rate_bps = rate_bps,
	        .delay_ps = delay_ps,
	        .latency_ps = g->latency_ps,
	        .response_ps = response_ps(rate_bps),
	        .cell_bytes = g->cell_bytes,
	        .frame = frame,
	};
}

static int64_t add_flow(struct load_flow *flow, int64_t n, uint32_t src, uint32_t dst,
        int64_t bytes, int64_t start_ps)
{
	flow[n] = (struct load_flow){
	        .src = src, .dst = dst, .bytes = bytes, .start_ps = start_ps, .priority = -1};
	return n + 1;
}

static void set_flows(struct scenario *s, const struct stage *g, const struct headroom_run *run,
        int n_runs, const struct frame_cfg *frame)
{
	struct load_flow *flow = calloc(MAX_FRAMES, sizeof(*flow));
	struct err e = {0};
	int64_t n = 0;

	assert_non_null(flow);
	n = add_flow(flow, n, A, B, frame->path_mtu_bytes, PRIMER_PS);
	/* Long enough that its last packet, which is acknowledged, never comes. */
	n = add_flow(flow, n, C, A, 100000 * frame->path_mtu_bytes, start_ps(g) + detour_ps(g));
	for (int i = 0; i < n_runs; i++)
		for (int64_t k = 0; k < run[i].count; k++)
			n = add_flow(flow, n, A, B, run[i].frame_bytes - frame->header_bytes,
			        start_ps(g));
	for (int i = 0; i < FURTHER; i++)
		n = add_flow(flow, n, A, B, frame->path_mtu_bytes, start_ps(g));
	if (scenario_add_flows(s, flow, n, &e))
		fail_msg("%s", e.msg);
}

/* SWITCH's buffer is its headroom and one byte, the shared pool. FRONT has room for everything.
 */
static void set_headroom(struct scenario *s, const struct stage *g, int64_t a_bytes)
{
	struct headroom_in fast = bound_of(g, g->rate_bps, g->delay_ps, &s->frame);
	struct headroom_in slow = bound_of(g, slow_bps(g), g->delay_ps, &s->frame);
	struct topo *t = s->topo;
	struct switch_cfg *profile = realloc(t->profile, 3 * sizeof(*profile));

	assert_non_null(profile);
	t->profile = profile;
	t->n_profiles = 3;
	profile[2] = profile[0];
	profile[2].buffer_bytes = INT64_C(1) << 32;
	profile[0].buffer_bytes =
	        headroom_bound_bytes(&fast) + a_bytes + headroom_bound_bytes(&slow) + 1;
	profile[1] = profile[0];
	profile[1].pfc_headroom_bytes = a_bytes;
	t->port[t->node[SWITCH].first_port + PORT_A].profile = 1;
	if (!g->behind_switch)
		return;
	t->node[FRONT].profile = 2;
	for (uint32_t i = 0; i < t->node[FRONT].n_ports; i++)
		t->port[t->node[FRONT].first_port + i].profile = 2;
}

static int64_t count_frames(const struct headroom_run *run, int n)
{
	int64_t frames = 0;

	for (int i = 0; i < n; i++)
		frames += run[i].count;
	return frames;
}

/* False if there are more frames than the stage holds. */
static bool play(struct run *out, const struct stage *g, int64_t less_bytes)
{
	struct scenario *s = NULL;
	struct run_record *rec = NULL;
	struct err e = {0};
	struct frame_cfg frame = {.header_bytes = 58,
	        .ack_bytes = 62,
	        .cnp_bytes = 74,
	        .pfc_bytes = 60,
	        .fcs_bytes = 4,
	        .gap_bytes = 20,
	        .min_bytes = 60,
	        .pad = !g->unpadded,
	        .path_mtu_bytes = 1024,
	        .time_step_ps = 1};
	struct headroom_in in = bound_of(g, g->rate_bps, g->delay_ps, &frame);
	struct headroom_run run[HEADROOM_MAX_RUNS];
	int n_runs = headroom_worst(&in, run);
	struct sim_cfg cfg;

	*out = (struct run){.bound_bytes = headroom_bound_bytes(&in)};
	if (count_frames(run, n_runs) + FURTHER + 2 > MAX_FRAMES)
		return false;
	if (scenario_new_defaults(&s, "headroom", &e))
		fail_msg("%s", e.msg);
	set_keys(s, g);
	set_links(s, g);
	set_flows(s, g, run, n_runs, &frame);
	if (scenario_finish(s, NULL, 0, NULL, &e))
		fail_msg("%s", e.msg);
	assert_memory_equal(&s->frame, &frame, sizeof(frame));
	set_headroom(s, g, out->bound_bytes - less_bytes);
	cfg = run_sim_cfg(s);
	cfg.seed = 1;
	cfg.stop_ps = start_ps(g) + 8000 * PS_PER_S / slow_bps(g);
	cfg.core = g->core;
	if (sim_run(&rec, &cfg, &e))
		fail_msg("%s", e.msg);
	out->used_bytes = rec->max_headroom_bytes;
	out->violations = rec->n.headroom_violations;
	out->drops = rec->n.drops_lossless;
	if (rec->n_violation)
		out->first = rec->violation[0];
	run_record_free(rec);
	scenario_free(s);
	return true;
}

/* Returns whether the stage was large enough to try. */
static bool check(const struct stage *g)
{
	int64_t one_bytes = g->cell_bytes ? g->cell_bytes : 1;
	struct run r;

	if (!play(&r, g, 0))
		return false;
	if (r.violations || r.drops || r.used_bytes != r.bound_bytes)
		fail_msg("%" PRId64 " bps, %" PRId64 " ps, cells of %" PRId64 ": bound %" PRId64
		         ", used %" PRId64 ", %" PRId64 " violations",
		        g->rate_bps, g->delay_ps, g->cell_bytes, r.bound_bytes, r.used_bytes,
		        r.violations);
	assert_true(play(&r, g, one_bytes));
	assert_int_equal(r.violations, 1);
	assert_int_equal(r.drops, 1);
	assert_int_equal(r.first.node, SWITCH);
	assert_int_equal(r.first.port, PORT_A);
	assert_int_equal(r.first.priority, 3);
	assert_int_equal(r.first.missing_bytes, one_bytes);
	return true;
}

/* With payloads of every size and with padding. */
static int check_both(struct stage g)
{
	int tried = check(&g);

	g.unpadded = true;
	return tried + check(&g);
}

/* 5 m to 4 km of fibre at 5 ns a metre. */
static void bound_is_exact_at_every_speed_and_length(void **state)
{
	static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800};
	static const int64_t metres[] = {5, 40, 300, 4000};
	static const int64_t cell_bytes[] = {0, 80, 144, 208, 254};
	int tried = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		for (size_t k = 0; k < sizeof(metres) / sizeof(metres[0]); k++)
			for (size_t c = 0; c < sizeof(cell_bytes) / sizeof(cell_bytes[0]); c++)
				tried += check_both((struct stage){.rate_bps = gbps[i] * GBPS,
				        .delay_ps = metres[k] * 5000,
				        .cell_bytes = cell_bytes[c]});
	assert_in_range(tried, 300, 320);
}

static void bound_counts_the_pipeline(void **state)
{
	(void)state;
	for (int64_t latency_ps = 1; latency_ps < 2000000; latency_ps *= 10)
		assert_int_equal(check_both((struct stage){.rate_bps = 100 * GBPS,
		                         .delay_ps = 200000,
		                         .latency_ps = latency_ps,
		                         .cell_bytes = latency_ps % 4 ? 208 : 0}),
		        2);
}

/* The peer that must stop is a switch: its response is that of its own port. */
static void bound_is_exact_between_switches(void **state)
{
	static const int64_t gbps[] = {25, 100, 400};
	static const int64_t cell_bytes[] = {0, 144, 208};

	(void)state;
	for (size_t i = 0; i < sizeof(gbps) / sizeof(gbps[0]); i++)
		for (size_t c = 0; c < sizeof(cell_bytes) / sizeof(cell_bytes[0]); c++)
			for (int64_t delay_ps = 200000; delay_ps < 2000000; delay_ps *= 7)
				assert_true(
				        check_both((struct stage){.rate_bps = gbps[i] * GBPS,
				                .delay_ps = delay_ps,
				                .latency_ps = 500000,
				                .cell_bytes = cell_bytes[c],
				                .behind_switch = true}) == 2);
}

/* A frame that must wait is accounted when its last byte is in, so nothing changes. */
static void bound_is_exact_with_cut_through(void **state)
{
	(void)state;
	for (int64_t cell_bytes = 0; cell_bytes <= 208; cell_bytes += 104)
		assert_true(check(&(struct stage){.rate_bps = 100 * GBPS,
		        .delay_ps = 200000,
		        .cell_bytes = cell_bytes,
		        .cut_through = true}));
}

static void bound_holds_in_the_plain_event_heap(void **state)
{
	(void)state;
	assert_true(check(&(struct stage){
	        .rate_bps = 100 * GBPS, .delay_ps = 1000000, .core = SIM_CORE_HEAP}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(bound_is_exact_at_every_speed_and_length),
	        cmocka_unit_test(bound_counts_the_pipeline),
	        cmocka_unit_test(bound_is_exact_between_switches),
	        cmocka_unit_test(bound_is_exact_with_cut_through),
	        cmocka_unit_test(bound_holds_in_the_plain_event_heap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
