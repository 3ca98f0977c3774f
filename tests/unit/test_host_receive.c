/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that wait for what others send: ping-pong, whose rounds can be written down. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/simkit.h"

#define ROUNDS 5
#define BYTES  1024

static int prepare(struct load_entry *en, struct err *e)
{
	(void)en;
	(void)e;
	return 0;
}

static bool involves(const struct load_entry *en, uint32_t host)
{
	(void)en;
	return host < 2;
}

static void start(
        const struct load_entry *en, uint32_t host, uint32_t lane, struct load_state *st)
{
	(void)lane;
	(void)en;
	*st = (struct load_state){.w = {host, 0}};
}

/* Host 0 sends and waits for the answer, host 1 waits and answers. w[1] counts operations. */
static void next(const struct load_entry *en, struct load_state *st, struct load_op *op)
{
	uint64_t round = st->w[1] / 2;
	bool sends = st->w[1] % 2 == st->w[0];

	(void)en;
	op->kind = round == ROUNDS ? LOAD_END : sends ? LOAD_SEND : LOAD_RECV;
	op->peer = 1 - (uint32_t)st->w[0];
	op->bytes = BYTES;
	op->count = round + 1;
	op->tag = (uint32_t)round;
	st->w[1]++;
}

static void fini(struct load_entry *en)
{
	(void)en;
}

static const struct load_ops ping_pong = {.name = "ping-pong",
        .doc = "Two hosts in turn.",
        .prepare = prepare,
        .involves = involves,
        .start = start,
        .next = next,
        .fini = fini,
        .receives = true};

/*
 * A message arrives whole after (1024 + 58 + 16 + 24) bytes twice at 80 ps and 2 us of cable:
 * the answer is posted at that instant. The ACK goes first (86 bytes), the answer waits for it.
 */
static void answers_follow_arrivals(void **state)
{
	const int64_t hop_ps = (BYTES + 58 + 16 + 24) * 80, cable_ps = 2 * PS_PER_US;
	const int64_t arrival_ps = 2 * hop_ps + cable_ps, ack_ps = 86 * 80;
	const struct load_entry entry = {.ops = &ping_pong};
	struct run_record *r = NULL;
	struct err e = {0};
	struct simkit k;
	struct sim_cfg cfg;

	(void)state;
	simkit_init(&k);
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	for (int core = 0; core < 2; core++) {
		cfg = simkit_cfg(&k);
		cfg.core = core ? SIM_CORE_HEAP : SIM_CORE_WINDOWS;
		cfg.entry = &entry;
		cfg.n_entries = 1;
		if (sim_run(&r, &cfg, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(r->end, RUN_WORKLOAD_DONE);
		assert_int_equal(r->n_msg, 2 * ROUNDS);
		for (uint32_t i = 0; i < 2 * ROUNDS; i++) {
			const struct msg_record *m = simkit_msg(r, i % 2, 1 - i % 2, i / 2);
			int64_t post_ps = i ? arrival_ps * i + ack_ps * (i - 1) : 0;

			assert_int_equal(m->tag, i / 2);
			assert_int_equal(m->post_ps, post_ps);
			assert_int_equal(m->first_ps, post_ps + (i ? ack_ps : 0));
		}
		run_record_free(r);
	}
	simkit_fini(&k);
}

static uint32_t many_lanes(const struct load_entry *en, uint32_t host)
{
	(void)en;
	(void)host;
	return LOAD_MAX_LANES;
}

/* A message knows its program by 16 bits: 17 entries of 4096 lanes are too many for a host. */
static void too_many_programs_are_refused(void **state)
{
	struct load_entry entry[17] = {{0}};
	struct load_ops ops = ping_pong;
	struct run_record *r = NULL;
	struct err e = {0};
	struct simkit k;
	struct sim_cfg cfg;

	(void)state;
	ops.lanes = many_lanes;
	for (uint16_t i = 0; i < 17; i++) {
		entry[i].ops = &ops;
		entry[i].index = i;
	}
	simkit_init(&k);
	simkit_star(&k, 2, 100 * SIMKIT_GBPS, PS_PER_US);
	cfg = simkit_cfg(&k);
	cfg.entry = entry;
	cfg.n_entries = 17;
	assert_int_equal(sim_run(&r, &cfg, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "69632 programs, at most 65536"));
	simkit_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(answers_follow_arrivals),
	        cmocka_unit_test(too_many_programs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
