/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the fabric and the endpoint against their own rules: every default parses, lies
 * in the row's range, names its source, and lands in a field of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "gen/rnic/rnic_cfg.h"

static const struct knob_group *const groups[] = {&fabric_knobs, &topo_knobs, &core_link_knobs,
        &host_link_knobs, &fabric_link_knobs, &switch_knobs, &frame_knobs, &nic_knobs};

#define N_GROUPS (sizeof(groups) / sizeof(groups[0]))

static const struct knob *row_of(const struct knob_group *g, const char *key)
{
	for (size_t i = 0; i < g->n_rows; i++)
		if (!strcmp(g->rows[i].key, key))
			return &g->rows[i];
	fail_msg("no row %s.%s", g->path, key);
	return NULL;
}

static bool is_word(const struct knob *k, int64_t *value)
{
	for (const struct knob_word *w = k->words; w && w->word; w++)
		if (!strcmp(w->word, k->def)) {
			*value = w->value;
			return true;
		}
	return false;
}

static int64_t default_of(const struct knob_group *g, const struct knob *k)
{
	static const int unit[] = {[KNOB_COUNT] = UNIT_COUNT,
	        [KNOB_TIME] = UNIT_TIME,
	        [KNOB_RATE] = UNIT_RATE,
	        [KNOB_SIZE] = UNIT_SIZE,
	        [KNOB_FRACTION] = UNIT_FRACTION};
	struct err e = {0};
	int64_t value = -1;

	if (is_word(k, &value))
		return value;
	if (k->type == KNOB_BOOL)
		return !strcmp(k->def, "on");
	if (k->type > KNOB_FRACTION)
		fail_msg("%s.%s: the default %s is not one of its words", g->path, k->key,
		        k->def);
	if (k->plain && !unit_parse(&value, UNIT_COUNT, k->def, NULL))
		return value;
	if (unit_parse(&value, (enum unit_kind)unit[k->type], k->def, &e))
		fail_msg("%s.%s: %s", g->path, k->key, e.msg);
	if (value < k->min || value > k->max)
		fail_msg("%s.%s: the default %s is out of its own range", g->path, k->key,
		        k->def);
	return value;
}

static bool is_list(const struct knob *k)
{
	return k->type == KNOB_PRIORITIES || k->type == KNOB_EACH_PRIORITY;
}

static void test_rows_are_sound(void **state)
{
	(void)state;
	for (size_t g = 0; g < N_GROUPS; g++)
		for (size_t i = 0; i < groups[g]->n_rows; i++) {
			const struct knob *k = &groups[g]->rows[i];

			assert_non_null(k->doc);
			assert_true(k->offset + sizeof(int64_t) <= groups[g]->struct_bytes);
			assert_int_equal(k->type == KNOB_WORD && !k->words, 0);
			if (!k->def)
				continue;
			if (!k->source)
				fail_msg("%s.%s has no source", groups[g]->path, k->key);
			if (!is_list(k))
				(void)default_of(groups[g], k);
		}
}

static void test_fields_are_not_shared(void **state)
{
	(void)state;
	for (size_t g = 0; g < N_GROUPS; g++)
		for (size_t i = 0; i < groups[g]->n_rows; i++)
			for (size_t j = 0; j < i; j++) {
				assert_int_not_equal(
				        groups[g]->rows[i].offset, groups[g]->rows[j].offset);
				assert_string_not_equal(
				        groups[g]->rows[i].key, groups[g]->rows[j].key);
			}
}

/* Every field of struct rnic_cfg and struct switch_cfg has a key: a row is one int64_t wide but
 * for the eight weights. */
static void test_every_field_has_a_key(void **state)
{
	(void)state;
	assert_int_equal(nic_knobs.n_rows * sizeof(int64_t), sizeof(struct rnic_cfg));
	assert_int_equal(
	        (switch_knobs.n_rows + 7) * sizeof(int64_t), sizeof(struct switch_cfg));
	assert_int_equal((frame_knobs.n_rows + fabric_knobs.n_rows) * sizeof(int64_t),
	        sizeof(struct frame_cfg));
}

/* Sources: IBTA 9.7.6.1.3 (4.096 us * 2^14), HPCC's 4 and 16 KB per Gbit/s, RoCE frame sizes.
 */
static void test_known_defaults(void **state)
{
	const struct {
		const struct knob_group *g;
		const char *key;
		int64_t value;
	} want[] = {
	        {&nic_knobs, "retransmit_timeout", INT64_C(4096000) << 14},
	        {&nic_knobs, "ack_priority", NIC_PRIORITY_SAME},
	        {&nic_knobs, "window", NIC_WINDOW_OFF},
	        {&switch_knobs, "buffer", 33554432},
	        {&switch_knobs, "ecn.kmin", INT64_C(100) * 4000},
	        {&switch_knobs, "ecn.kmax", INT64_C(100) * 16000},
	        {&switch_knobs, "ecn.pmax", Q32_ONE / 5},
	        {&switch_knobs, "pfc.alpha", Q32_ONE / 8},
	        {&switch_knobs, "pfc.headroom", PFC_HEADROOM_AUTO},
	        {&switch_knobs, "pfc.response", PFC_RESPONSE_STANDARD},
	        {&frame_knobs, "header", 14 + 20 + 8 + 12 + 4},
	        {&frame_knobs, "ack", 14 + 20 + 8 + 12 + 4 + 4},
	        {&frame_knobs, "cnp", 14 + 20 + 8 + 12 + 16 + 4},
	        {&frame_knobs, "gap", 7 + 1 + 12},
	        {&fabric_knobs, "path_mtu", 1024},
	        {&host_link_knobs, "rate", INT64_C(100000000000)},
	        {&fabric_link_knobs, "delay", 1000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct knob *k = row_of(want[i].g, want[i].key);

		if (default_of(want[i].g, k) != want[i].value)
			fail_msg("%s.%s is %s", want[i].g->path, k->key, k->def);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rows_are_sound),
	        cmocka_unit_test(test_fields_are_not_shared),
	        cmocka_unit_test(test_every_field_has_a_key),
	        cmocka_unit_test(test_known_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
