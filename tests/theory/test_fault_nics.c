/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NICs that misbehave from some moment on, from a scenario's faults to the frames on their
 * links: what the NIC did before, and what it does since.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gen/sim/sim.h"
#include "scenarios/run_sim.h"
#include "tests/support/scenario_text.h"

#define US         PS_PER_US
#define AT         (100 * US)
#define SWITCH     3 /* host h at its port h */
#define MAX_FRAMES 200000

struct frame {
	uint32_t to;
	int64_t start_ps;
	struct desc d;
};

static struct {
	struct frame *f;
	uint32_t n;
} tape;

static void note(void *arg, uint32_t to, const struct desc *d, int64_t start_ps)
{
	(void)arg;
	assert_true(tape.n < MAX_FRAMES);
	tape.f[tape.n++] = (struct frame){to, start_ps, *d};
}

/* Hosts 1 and 2 send 8 MB each to host 0, all of it marked. */
static struct run_record *run_with(const char *cc, const char *fault)
{
	struct scratch scratch;
	struct scenario *s = NULL;
	struct run_record *r = NULL;
	struct sim_cfg cfg;
	struct err e = {0};
	char text[800];

	(void)snprintf(text, sizeof(text),
	        "squall: 1\nstop: {after: 1ms}\nfabric:\n"
	        "  topology: {kind: star, hosts: 3}\n"
	        "  host_link: {rate: 100Gbps, delay: 1us}\n"
	        "  switch: {buffer: 1MiB}\n"
	        "  nic: {cc: %s}\n"
	        "workload:\n  - pattern: flows\n    flows:\n"
	        "      - [1, 0, 4MB, 0us]\n      - [1, 0, 4MB, 0us]\n"
	        "      - [2, 0, 8MB, 0us]\n"
	        "faults:\n  - {%s}\n  - {mark: {link: sw0->host0}}\n",
	        cc, fault);
	scratch_open(&scratch);
	if (scenario_from_text(&s, &scratch, text, NULL, &e))
		fail_msg("%s", e.msg);
	cfg = run_sim_cfg(s);
	cfg.tap = note;
	tape.n = 0;
	if (sim_run(&r, &cfg, &e))
		fail_msg("%s", e.msg);
	assert_true(r->fault[0].packets > 0);
	scenario_free(s);
	scratch_close(&scratch);
	return r;
}

static bool is_from(const struct frame *f, uint16_t host, int kind)
{
	return f->to == SWITCH && f->d.in_port == host && f->d.kind == kind;
}

/* Frames of a host that started before and since the fault are all in these classes. */
static void check_classes(uint16_t host, int kind, int before, int since)
{
	uint32_t n_before = 0, n_since = 0;

	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		if (!is_from(f, host, kind))
			continue;
		assert_int_equal(f->d.priority, f->start_ps < AT ? before : since);
		n_before += f->start_ps < AT;
		n_since += f->start_ps >= AT;
	}
	assert_true(n_before >= 2 && n_since >= 2);
}

static void cnps_change_their_class(void **state)
{
	(void)state;
	run_record_free(run_with("dcqcn", "at: 100us, cnp_priority: host0, priority: 5"));
	check_classes(0, DESC_CNP, 6, 5);
}

static void data_changes_its_class(void **state)
{
	(void)state;
	run_record_free(run_with("dcqcn", "at: 100us, data_priority: host1, priority: 4"));
	check_classes(1, DESC_DATA, 3, 4);
	for (uint32_t i = 0; i < tape.n; i++)
		if (is_from(&tape.f[i], 2, DESC_DATA))
			assert_int_equal(tape.f[i].d.priority, 3);
}

/* Shortest time between two CNPs for the same queue pair that started in [from, until). */
static int64_t shortest_cnp_gap(int64_t from_ps, int64_t until_ps)
{
	int64_t shortest_ps = TIME_NEVER;

	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *a = &tape.f[i];
		const struct frame *b = NULL;

		if (!is_from(a, 0, DESC_CNP) || a->start_ps < from_ps)
			continue;
		for (uint32_t k = i + 1; k < tape.n && !b; k++)
			if (is_from(&tape.f[k], 0, DESC_CNP) && tape.f[k].d.conn == a->d.conn)
				b = &tape.f[k];
		if (b && b->start_ps < until_ps && b->start_ps - a->start_ps < shortest_ps)
			shortest_ps = b->start_ps - a->start_ps;
	}
	return shortest_ps;
}

static void cnps_become_few(void **state)
{
	(void)state;
	run_record_free(run_with("dcqcn", "at: 100us, cnp_throttled: host0, interval: 60us"));
	assert_true(shortest_cnp_gap(0, AT) < 20 * US);
	assert_in_range(shortest_cnp_gap(AT, 1000 * US), 59 * US, 80 * US);
}

static void source_ports_become_one(void **state)
{
	int64_t before = -1, since = -1;
	bool differed = false;

	(void)state;
	run_record_free(run_with("none", "at: 100us, one_source_port: host1"));
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		if (!is_from(f, 1, DESC_DATA))
			continue;
		if (f->start_ps < AT) {
			differed |= before >= 0 && before != f->d.entropy;
			before = f->d.entropy;
		} else {
			assert_true(since < 0 || since == f->d.entropy);
			since = f->d.entropy;
		}
	}
	assert_true(differed);
	assert_true(since >= 0);
}

/* Data that the host started from 3 to 8 us after the first XOFF reached it, 3 us being beyond
 * its response time. */
static uint32_t after_xoff(uint16_t host)
{
	int64_t xoff_ps = TIME_NEVER;
	uint32_t n = 0;

	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		if (f->to != host || f->d.kind != DESC_PFC ||
		        (xoff_ps != TIME_NEVER && f->d.t_ps > xoff_ps + 8 * US))
			continue;
		assert_true(f->d.sent_unit); /* no XON in this time */
		if (xoff_ps == TIME_NEVER)
			xoff_ps = f->d.t_ps;
	}
	assert_true(xoff_ps != TIME_NEVER);
	for (uint32_t i = 0; i < tape.n; i++)
		n += is_from(&tape.f[i], host, DESC_DATA) &&
		     tape.f[i].start_ps > xoff_ps + 3 * US &&
		     tape.f[i].start_ps < xoff_ps + 8 * US;
	return n;
}

static void a_pause_bites_late(void **state)
{
	(void)state;
	run_record_free(run_with("none", "pfc_late: host1, delay: 20us"));
	assert_int_equal(after_xoff(2), 0);
	assert_in_range(after_xoff(1), 50, 57); /* a packet in 88.48 ns */
}

/* 20 of 100 Gb/s: the NIC asks for pauses as soon as its buffer is full, and gets no more. */
static void a_receiver_slows_down(void **state)
{
	struct run_record *r;
	uint32_t pauses = 0, got = 0;

	(void)state;
	r = run_with("none", "at: 100us, slow_receiver: host0, rate: 20Gbps");
	for (uint32_t i = 0; i < tape.n; i++) {
		const struct frame *f = &tape.f[i];

		if (is_from(f, 0, DESC_PFC)) {
			assert_true(f->start_ps > AT);
			pauses += f->d.sent_unit != 0;
		}
		got += f->to == 0 && f->d.kind == DESC_DATA && f->start_ps >= 400 * US &&
		       f->start_ps < 900 * US;
	}
	assert_true(pauses >= 3);
	assert_in_range(got, 1130 * 90 / 100, 1130 * 110 / 100); /* 500 us in 442 ns each */
	assert_int_equal(r->n.drops_host, 0);
	run_record_free(r);
}

static int open_tape(void **state)
{
	(void)state;
	tape.f = calloc(MAX_FRAMES, sizeof(*tape.f));
	return tape.f ? 0 : -1;
}

static int close_tape(void **state)
{
	(void)state;
	free(tape.f);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(cnps_change_their_class),
	        cmocka_unit_test(data_changes_its_class),
	        cmocka_unit_test(cnps_become_few),
	        cmocka_unit_test(source_ports_become_one),
	        cmocka_unit_test(a_pause_bites_late),
	        cmocka_unit_test(a_receiver_slows_down),
	};

	return cmocka_run_group_tests(tests, open_tape, close_tape);
}
