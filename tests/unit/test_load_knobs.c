/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of workload[]: defaults parse and lie in their ranges, fields do not overlap, every
 * pattern has exactly the keys that it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/units.h"
#include "gen/load/load.h"

static bool word_value(const struct knob *k, const char *text, int64_t *value)
{
	for (const struct knob_word *w = k->words; w && w->word; w++)
		if (strcmp(w->word, text) == 0) {
			*value = w->value;
			return true;
		}
	return false;
}

static void check_default(const struct knob *k)
{
	static const enum unit_kind unit[] = {
	        [KNOB_COUNT] = UNIT_COUNT,
	        [KNOB_TIME] = UNIT_TIME,
	        [KNOB_SIZE] = UNIT_SIZE,
	        [KNOB_FRACTION] = UNIT_FRACTION,
	};
	struct err e = {0};
	int64_t value;

	if (k->type == KNOB_TEXT || k->type == KNOB_TABLE) {
		assert_string_equal(k->def, "");
		return;
	}
	if (word_value(k, k->def, &value))
		return;
	if (k->type == KNOB_BOOL) {
		assert_true(!strcmp(k->def, "on") || !strcmp(k->def, "off"));
		return;
	}
	if (unit_parse(&value, unit[k->type], k->def, &e))
		fail_msg("%s: %s", k->key, e.msg);
	assert_true(value >= k->min && value <= k->max);
}

static void test_rows_are_sound(void **state)
{
	(void)state;
	assert_string_equal(load_knobs.path, "workload[]");
	assert_int_equal(load_knobs.struct_bytes, sizeof(struct load_cfg));
	for (size_t i = 0; i < load_knobs.n_rows; i++) {
		const struct knob *k = &load_knobs.rows[i];

		assert_non_null(k->doc);
		assert_true(k->min <= k->max);
		if (k->def) {
			assert_non_null(k->source);
			check_default(k);
		}
		for (size_t j = 0; j < i; j++) {
			const struct knob *other = &load_knobs.rows[j];

			if (k->type != KNOB_TABLE && other->type != KNOB_TABLE)
				assert_int_not_equal(k->offset, other->offset);
			if (strcmp(k->key, other->key) == 0 && k->applies & other->applies)
				assert_int_not_equal(k->type, other->type);
		}
	}
}

static void test_words_name_the_patterns(void **state)
{
	const struct knob *k = &load_knobs.rows[0];
	size_t n = 0;

	(void)state;
	assert_string_equal(k->key, "pattern");
	for (const struct knob_word *w = k->words; w->word; w++, n++)
		assert_string_equal(load_patterns[w->value]->name, w->word);
	assert_null(load_patterns[n]);
}

/* In one of its forms. */
static bool key_applies(const char *key, unsigned pattern)
{
	for (size_t i = 0; i < load_knobs.n_rows; i++) {
		const struct knob *k = &load_knobs.rows[i];

		if (strcmp(k->key, key) == 0 && (!k->applies || k->applies & 1u << pattern))
			return true;
	}
	return false;
}

static void test_each_pattern_has_its_keys(void **state)
{
	static const char *const common = " pattern start priority dscp transport "
	                                  "udp_source_port";
#define PLACE      " first_host ranks hosts placement share"
#define COLLECTIVE " buffer repeat period qps channels channel_order chunk" PLACE
	static const char *const own[] = {
	        [LOAD_INCAST] =
	                " message repeat period senders receiver receivers spread jitter "
	                "first_host qps hosts placement share",
	        [LOAD_ALL_TO_ALL] = " message repeat period qps order skew zipf_exponent "
	                            "hot_ranks hot_share reshuffle" PLACE,
	        [LOAD_RING] = " message repeat period qps jitter" PLACE,
	        [LOAD_FLOWS] = " file flows",
	        [LOAD_POISSON] = " load flows cdf" PLACE,
	        [LOAD_SCHEDULE] = " repeat first_host file calc_unit collective "
	                          "collective_buffer",
	        [LOAD_REPLAY] = " file",
	        [LOAD_ALL_REDUCE] = COLLECTIVE " algorithm slices in_flight",
	        [LOAD_ALL_GATHER] = COLLECTIVE " slices",
	        [LOAD_REDUCE_SCATTER] = COLLECTIVE " slices",
	        [LOAD_BROADCAST] = COLLECTIVE " algorithm root in_flight",
	        [LOAD_MOE] = " buffer repeat period qps order skew zipf_exponent hot_ranks "
	                     "hot_share reshuffle compute" PLACE,
	        [LOAD_PERMUTATION] = " message repeat period qps jitter reshuffle" PLACE,
	        [LOAD_HOTSPOT] = " message repeat period qps jitter hot_ranks hot_share" PLACE,
	        [LOAD_ON_OFF] = " message load qps on off bursts" PLACE,
	        [LOAD_TRAINING] =
	                " repeat qps jitter compute channels channel_order chunk slices "
	                "collectives bucket overlap stragglers slowdown straggle "
	                "straggle_from" PLACE,
	};

	(void)state;
	for (unsigned p = 0; load_patterns[p]; p++)
		for (size_t i = 0; i < load_knobs.n_rows; i++) {
			const struct knob *k = &load_knobs.rows[i];
			char word[40], keys[400];

			(void)snprintf(word, sizeof(word), " %s ", k->key);
			(void)snprintf(keys, sizeof(keys), "%s%s ", common, own[p]);
			if (key_applies(k->key, p) != !!strstr(keys, word))
				fail_msg("%s: key %s", load_patterns[p]->name, k->key);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_rows_are_sound),
	        cmocka_unit_test(test_words_name_the_patterns),
	        cmocka_unit_test(test_each_pattern_has_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
