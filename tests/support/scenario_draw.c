/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_draw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "dataplane/base/check.h"

int64_t draw_between(struct scenario_draw *t, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(rng_next(&t->rng) % ((uint64_t)(hi - lo) + 1));
}

bool draw_chance(struct scenario_draw *t, unsigned per_mille)
{
	return draw_between(t, 1, PER_MILLE) <= per_mille;
}

int64_t draw_log(struct scenario_draw *t, int64_t lo, int64_t hi)
{
	int bits = 0;
	int64_t top;

	while (bits < 62 && lo <= hi >> (bits + 1))
		bits++;
	top = lo << draw_between(t, 0, bits);
	return draw_between(t, lo, top > hi || top < lo ? hi : top);
}

const char *draw_one(struct scenario_draw *t, const char *const *of, size_t n)
{
	return of[draw_between(t, 0, (int64_t)n - 1)];
}

static const struct scenario_shape shapes[] = {
        {"kind: star, hosts: 2", 2, {{"host0", "sw0"}}},
        {"kind: star, hosts: 7", 7, {{"host2", "sw0"}}},
        {"kind: dumbbell, hosts: 6", 6, {{"host0", "sw0"}, {"sw0", "sw1"}}},
        {"kind: leaf-spine, hosts: 8, leaves: 2, spines: 2", 8,
                {{"host1", "leaf0"}, {"leaf0", "spine0"}, {"leaf1", "spine1"}}},
        {"kind: leaf-spine, hosts: 12, leaves: 4, spines: 3", 12,
                {{"host0", "leaf0"}, {"leaf0", "spine2"}, {"leaf3", "spine0"}}},
        {"kind: leaf-spine, hosts: 8, leaves: 2, oversubscription: 2:1", 8,
                {{"host0", "leaf0"}, {"leaf1", "spine0"}}},
        {"kind: fat-tree, k: 4", 16,
                {{"host3", "pod0-edge1"}, {"pod0-edge0", "pod0-agg1"}, {"pod0-agg0", "core0"}}},
        {"kind: fat-tree, pods: 2, hosts_per_pod: 6, edges_per_pod: 2", 12,
                {{"host0", "pod0-edge0"}, {"pod1-edge0", "pod1-agg0"}}},
        {"kind: rail, nodes: 4, rails: 2", 8,
                {{"host0", "rail0-leaf0"}, {"rail1-leaf0", "spine0"}}},
        {"kind: file, file: \"" SQUALL_SOURCE_DIR "/scenarios/clockwise.txt\"", 8,
                {{"host0", "sw0"}, {"sw0", "sw1"}, {"sw1", "sw2"}, {"sw2", "sw3"},
                        {"sw3", "sw0"}}},
};

#define N_SHAPES  (sizeof(shapes) / sizeof(shapes[0]))
#define CLOCKWISE (&shapes[N_SHAPES - 1])

void draw_shape(struct scenario_draw *t)
{
	t->shape = &shapes[draw_between(t, 0, N_SHAPES - 1)];
}

void draw_put_host(struct scenario_draw *t)
{
	fprintf(t->f, "host%" PRId64, draw_between(t, 0, t->shape->n_hosts - 1));
}

static size_t draw_cable(struct scenario_draw *t, size_t first)
{
	size_t n = 0;

	while (n < 6 && t->shape->cable[n][0])
		n++;
	return (size_t)draw_between(t, n > 1 ? (int64_t)first : 0, (int64_t)n - 1);
}

void draw_put_switch(struct scenario_draw *t)
{
	fputs(t->shape->cable[draw_cable(t, 0)][1], t->f);
}

void draw_put_direction(struct scenario_draw *t)
{
	size_t i = draw_cable(t, 0), up = draw_chance(t, 500);

	fprintf(t->f, "%s->%s", t->shape->cable[i][!up], t->shape->cable[i][up]);
}

void draw_put_link(struct scenario_draw *t)
{
	if (draw_chance(t, 100)) {
		fputs("all", t->f);
	} else if (draw_chance(t, 400)) {
		draw_put_direction(t);
	} else {
		size_t i = draw_cable(t, 0);

		fprintf(t->f, "%s-%s", t->shape->cable[i][0], t->shape->cable[i][1]);
	}
}

__attribute__((format(printf, 4, 5))) static void force(
        struct scenario_draw *t, const char *path, const char *key, const char *format, ...)
{
	va_list args;

	CHECK(t->n_forced < SCENARIO_MAX_FORCED);
	t->forced[t->n_forced].path = path;
	t->forced[t->n_forced].key = key;
	va_start(args, format);
	(void)vsnprintf(t->forced[t->n_forced].value, sizeof(t->forced[0].value), format, args);
	va_end(args);
	t->n_forced++;
}

const char *draw_forced(const struct scenario_draw *t, const char *path, const char *key)
{
	for (size_t i = 0; i < t->n_forced; i++)
		if (!strcmp(t->forced[i].path, path) && !strcmp(t->forced[i].key, key))
			return t->forced[i].value;
	return NULL;
}

static void mood_datagrams(struct scenario_draw *t)
{
	force(t, "workload[]", "transport", "ud");
	force(t, "workload[]", "message", "%" PRId64 "B", draw_between(t, 1, 256));
	force(t, "workload[]", "repeat", "%" PRId64, draw_between(t, 1, 60));
	force(t, "workload[]", "buffer", "%" PRId64 "B", draw_between(t, 1, 1500));
	force(t, "workload[]", "chunk", "%" PRId64 "B", draw_between(t, 1, 256));
}

static void mood_storms(struct scenario_draw *t)
{
	force(t, "fabric.switch", "watchdog.detect", "%" PRId64 "ns", draw_log(t, 1, 50000));
	force(t, "fabric.switch", "watchdog.restore", "%" PRId64 "ns", draw_log(t, 1, 50000));
	if (draw_chance(t, 500))
		force(t, "fabric.switch", "watchdog.poll", "%" PRId64 "ns",
		        draw_log(t, 1, 20000));
	force(t, "fabric.switch", "watchdog.action", "%s",
	        DRAW_ONE(t, "drop", "forward", "alert"));
}

/* Everybody's packets go around the ring, and its buffers fill. */
static void mood_deadlock(struct scenario_draw *t)
{
	t->shape = CLOCKWISE;
	force(t, "fabric.switch", "buffer", "%" PRId64 "KB", draw_between(t, 600, 1200));
	force(t, "fabric.nic", "cc", "%s", DRAW_ONE(t, "none", "none", "dcqcn"));
	force(t, "workload[]", "message", "%" PRId64 "KB", draw_between(t, 100, 1000));
	force(t, "", "stop.on_deadlock", "%s", DRAW_ONE(t, "on", "off"));
}

static void mood_disorder(struct scenario_draw *t)
{
	force(t, "fabric.switch", "load_balancing", "%s", DRAW_ONE(t, "spray", "adaptive"));
	force(t, "fabric.switch", "flowlet_gap", "%" PRId64 "ns", draw_between(t, 0, 3000));
	force(t, "fabric.nic", "retransmit", "%s",
	        DRAW_ONE(t, "selective-repeat", "selective-repeat", "go-back-n", "none"));
	if (draw_chance(t, 500)) {
		force(t, "fabric.nic", "reorder_window", "%" PRId64, draw_log(t, 2, 2048));
		force(t, "fabric.nic", "reorder_threshold", "%" PRId64, draw_log(t, 1, 100));
	}
}

static void mood_not_ready(struct scenario_draw *t)
{
	force(t, "fabric.nic", "receive_queue", "%" PRId64, draw_log(t, 1, 8));
	force(t, "fabric.nic", "receive_time", "%" PRId64 "ns", draw_log(t, 1, 60000));
	force(t, "fabric.nic", "rnr_timer", "%" PRId64 "us", draw_between(t, 10, 60));
	force(t, "fabric.nic", "rnr_retry", "%" PRId64, draw_between(t, 0, 7));
}

static void mood_slow_hosts(struct scenario_draw *t)
{
	force(t, "fabric.nic", "receive_rate", "%" PRId64 "Gbps", draw_between(t, 0, 90));
	force(t, "fabric.nic", "receive_buffer", "%" PRId64 "KB", draw_log(t, 2, 300));
	if (draw_chance(t, 500))
		force(t, "fabric.nic", "pfc.xoff", "%" PRId64 "KB", draw_log(t, 1, 200));
}

/* More than small buffers hold: drops and marks, or pauses. */
static void mood_pressure(struct scenario_draw *t)
{
	bool lossy = draw_chance(t, 600);

	force(t, "fabric.switch", "pfc.priorities", "%s", lossy ? "[]" : "[3]");
	force(t, "fabric.switch", "buffer", "%" PRId64 "KB",
	        lossy ? draw_log(t, 20, 200) : draw_between(t, 300, 1000));
	if (!lossy)
		force(t, "fabric.switch", "pfc.headroom", "%" PRId64 "KB", draw_log(t, 1, 30));
	force(t, "fabric.switch", "ecn.kmin", "%" PRId64 "KB", draw_log(t, 1, 30));
	force(t, "fabric.switch", "ecn.kmax", "%" PRId64 "KB", draw_between(t, 30, 100));
	force(t, "workload[]", "qps", "%" PRId64, draw_between(t, 1, 4));
	force(t, "workload[]", "message", "%" PRId64 "KB", draw_log(t, 10, 500));
	force(t, "workload[]", "buffer", "%" PRId64 "KB", draw_log(t, 10, 2000));
}

void draw_moods(struct scenario_draw *t)
{
	static const struct {
		void (*set)(struct scenario_draw *t);
		unsigned per_mille;
	} moods[] = {{mood_datagrams, 80}, {mood_storms, 150}, {mood_disorder, 150},
	        {mood_not_ready, 150}, {mood_slow_hosts, 100}};

	if (draw_chance(t, 80))
		mood_deadlock(t);
	else if (draw_chance(t, 350))
		mood_pressure(t);
	for (size_t i = 0; i < sizeof(moods) / sizeof(moods[0]); i++)
		if (draw_chance(t, moods[i].per_mille))
			moods[i].set(t);
}
