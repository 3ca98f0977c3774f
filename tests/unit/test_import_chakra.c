/* SPDX-License-Identifier: Apache-2.0 */
/* Chakra traces: nodes, dependencies, collectives by their closed forms, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"
#include "scenarios/imports/import_chakra.h"
#include "tests/support/imports.h"

#define RANKS 3

struct fixture {
	struct chakra_trace trace[RANKS];
	char *text[RANKS];
	size_t len[RANKS];
	struct import_draft draft;
};

static void open_fixture(struct fixture *f)
{
	struct err e = {0};
	char path[300];

	*f = (struct fixture){0};
	for (int r = 0; r < RANKS; r++) {
		(void)snprintf(path, sizeof(path), "%s/tests/data/imports/step.%d.et",
		        SQUALL_SOURCE_DIR, r);
		imports_must(text_file_read(&f->text[r], &f->len[r], path, 1 << 20, &e), &e);
		imports_must(chakra_trace_parse(&f->trace[r], "step.et",
		                     (const uint8_t *)f->text[r], f->len[r], &e),
		        &e);
	}
}

static void close_fixture(struct fixture *f)
{
	for (int r = 0; r < RANKS; r++) {
		chakra_trace_fini(&f->trace[r]);
		free(f->text[r]);
	}
	import_draft_fini(&f->draft);
}

static void test_reads(void **state)
{
	(void)state;
	struct fixture f;
	const struct chakra_node *n;

	open_fixture(&f);
	assert_int_equal(f.trace[0].n, 3);
	n = &f.trace[0].node[1];
	assert_int_equal(n->type, CHAKRA_SEND);
	assert_int_equal(n->bytes, 4096);
	assert_int_equal(n->peer, 1);
	assert_int_equal(n->tag, 7);
	assert_int_equal(n->n_deps, 1);
	assert_int_equal(f.trace[0].node[0].duration_ns, 20000);
	assert_int_equal(f.trace[1].node[1].type, CHAKRA_RECV);
	assert_int_equal(f.trace[1].node[1].peer, 0);
	n = &f.trace[1].node[3];
	assert_int_equal(n->collective, CHAKRA_ALL_GATHER);
	assert_true(n->group != f.trace[1].node[2].group);
	assert_int_equal(f.trace[1].dep[n->first_dep], 3);
	close_fixture(&f);
}

/* A send of 4096; an all-reduce of 3000 over three ranks, 2 * 2/3 of it per edge of the ring;
 * an all-gather of 500 per rank between ranks 1 and 2. */
static void test_bytes(void **state)
{
	(void)state;
	struct err e = {0};
	struct fixture f;

	open_fixture(&f);
	imports_must(chakra_schedule(&f.draft, f.trace, RANKS, &e), &e);
	assert_int_equal(imports_bytes(&f.draft.sched, 0, 1), 4096 + 4000);
	assert_int_equal(imports_bytes(&f.draft.sched, 1, 2), 4000 + 500);
	assert_int_equal(imports_bytes(&f.draft.sched, 2, 0), 4000);
	assert_int_equal(imports_bytes(&f.draft.sched, 2, 1), 500);
	assert_int_equal(imports_bytes(&f.draft.sched, 1, 0), 0);
	imports_compiles(&f.draft.sched);
	close_fixture(&f);
}

/* The send waits for the calculation before it. */
static void test_order(void **state)
{
	(void)state;
	const struct sched *s;
	struct err e = {0};
	struct fixture f;

	open_fixture(&f);
	imports_must(chakra_schedule(&f.draft, f.trace, RANKS, &e), &e);
	s = &f.draft.sched;
	assert_int_equal(s->op[0].kind, SCHED_CALC);
	assert_int_equal(s->op[0].value, 20000);
	assert_int_equal(s->op[1].kind, SCHED_SEND);
	assert_int_equal(s->first_on[2] - s->first_on[1], 1);
	assert_int_equal(s->on[s->first_on[1]], SCHED_ON(0, false));
	close_fixture(&f);
}

static void test_cut_short(void **state)
{
	(void)state;
	struct chakra_trace t;
	struct err e = {0};
	struct fixture f;
	uint32_t refused = 0;

	open_fixture(&f);
	for (size_t n = 0; n < f.len[0]; n++) {
		if (!chakra_trace_parse(&t, "cut.et", (const uint8_t *)f.text[0], n, &e)) {
			assert_in_range(t.n, 1, 2); /* between two messages */
			chakra_trace_fini(&t);
			continue;
		}
		assert_int_equal(e.code, -22);
		assert_non_null(strstr(e.msg, "cut.et: byte "));
		refused++;
	}
	assert_int_equal(refused, f.len[0] - 2);
	close_fixture(&f);
}

/* A trace of one collective of 100 bytes, as protobuf: comm_type, comm_size, root. */
static struct chakra_trace rooted(uint8_t kind, uint8_t root)
{
	const uint8_t text[] = {7, 0x0a, 5, '0', '.', '0', '.', '4', /* GlobalMetadata */
	        0, 0x08, 1, 0x18, CHAKRA_COLL, /* Node: its length, id, type */
	        0x52, 13, 0x0a, 9, 'c', 'o', 'm', 'm', '_', 't', 'y', 'p', 'e', 0x48, kind,
	        0x52, 13, 0x0a, 9, 'c', 'o', 'm', 'm', '_', 's', 'i', 'z', 'e', 0x48, 100, 0x52,
	        8, 0x0a, 4, 'r', 'o', 'o', 't', 0x48, root};
	uint8_t whole[sizeof(text)];
	struct chakra_trace t;
	struct err e = {0};

	memcpy(whole, text, sizeof(text));
	whole[8] = sizeof(text) - 9;
	imports_must(chakra_trace_parse(&t, "r.et", whole, sizeof(whole), &e), &e);
	assert_int_equal(t.n, 1);
	return t;
}

/* The same with a root that is text of one letter. */
static int rooted_by_text(struct chakra_trace *t, char root, struct err *e)
{
	const uint8_t text[] = {7, 0x0a, 5, '0', '.', '0', '.', '4', /* GlobalMetadata */
	        46, 0x08, 1, 0x18, CHAKRA_COLL,                      /* Node */
	        0x52, 13, 0x0a, 9, 'c', 'o', 'm', 'm', '_', 't', 'y', 'p', 'e', 0x48,
	        CHAKRA_BROADCAST, 0x52, 13, 0x0a, 9, 'c', 'o', 'm', 'm', '_', 's', 'i', 'z',
	        'e', 0x48, 100, 0x52, 10, 0x0a, 4, 'r', 'o', 'o', 't', 0xea, 1, 1,
	        (uint8_t)root};

	return chakra_trace_parse(t, "r.et", text, sizeof(text), e);
}

static void test_root_as_text(void **state)
{
	struct chakra_trace t;
	struct err e = {0};

	(void)state;
	imports_must(rooted_by_text(&t, '2', &e), &e);
	assert_int_equal(t.node[0].root, 2);
	chakra_trace_fini(&t);
	assert_true(rooted_by_text(&t, 'x', &e) < 0);
	assert_non_null(strstr(e.msg, "no whole number: root"));
	chakra_trace_fini(&t);
}

static void test_roots_that_disagree(void **state)
{
	struct chakra_trace t[RANKS];
	struct import_draft d = {0};
	struct err e = {0};

	(void)state;
	for (uint8_t r = 0; r < RANKS; r++)
		t[r] = rooted(CHAKRA_GATHER, r == 2 ? 1 : 0);
	assert_true(chakra_schedule(&d, t, RANKS, &e) < 0);
	assert_non_null(strstr(e.msg,
	        "r.et: byte 8: the root of this collective is rank 1, but in r.et, byte 8, it "
	        "is rank 0"));
	import_draft_fini(&d);
	for (int r = 0; r < RANKS; r++)
		chakra_trace_fini(&t[r]);
}

struct edges {
	uint8_t kind, root;
	int bytes[RANKS][RANKS];
};

static void test_roots(void **state)
{
	static const struct edges all[] = {
	        {CHAKRA_BROADCAST, 0, {{0, 100, 0}, {0, 0, 100}, {0, 0, 0}}},
	        {CHAKRA_BROADCAST, 2, {{0, 100, 0}, {0, 0, 0}, {100, 0, 0}}},
	        {CHAKRA_REDUCE, 1, {{0, 0, 100}, {0, 0, 0}, {0, 100, 0}}},
	        {CHAKRA_SCATTER, 1, {{0, 0, 0}, {34, 0, 33}, {0, 0, 0}}},
	        {CHAKRA_GATHER, 2, {{0, 0, 33}, {0, 0, 34}, {0, 0, 0}}},
	};
	struct err e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct import_draft d = {0};
		struct chakra_trace t[RANKS];

		for (int r = 0; r < RANKS; r++)
			t[r] = rooted(all[i].kind, all[i].root);
		imports_must(chakra_schedule(&d, t, RANKS, &e), &e);
		for (uint32_t a = 0; a < RANKS; a++)
			for (uint32_t b = 0; b < RANKS; b++)
				assert_int_equal(
				        imports_bytes(&d.sched, a, b), all[i].bytes[a][b]);
		imports_compiles(&d.sched);
		import_draft_fini(&d);
		for (int r = 0; r < RANKS; r++)
			chakra_trace_fini(&t[r]);
	}
}

static void test_root_outside_its_group(void **state)
{
	struct chakra_trace t[RANKS];
	struct import_draft d = {0};
	struct err e = {0};

	(void)state;
	for (int r = 0; r < RANKS; r++)
		t[r] = rooted(CHAKRA_BROADCAST, 3);
	assert_true(chakra_schedule(&d, t, RANKS, &e) < 0);
	assert_non_null(strstr(e.msg, "r.et: byte 8: the root is rank 3, which is not in"));
	import_draft_fini(&d);
	for (int r = 0; r < RANKS; r++)
		chakra_trace_fini(&t[r]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_reads),
	        cmocka_unit_test(test_bytes),
	        cmocka_unit_test(test_order),
	        cmocka_unit_test(test_cut_short),
	        cmocka_unit_test(test_roots),
	        cmocka_unit_test(test_root_outside_its_group),
	        cmocka_unit_test(test_root_as_text),
	        cmocka_unit_test(test_roots_that_disagree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
