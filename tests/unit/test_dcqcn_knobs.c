/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of fabric.nic.dcqcn and fabric.nic.np: complete, consistent, firmware defaults. */
#include "gen/cc/dcqcn_cfg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/dcqcn_presets.h"

static enum unit_kind unit_of(enum knob_type type)
{
	switch (type) {
	case KNOB_TIME:
		return UNIT_TIME;
	case KNOB_RATE:
		return UNIT_RATE;
	case KNOB_SIZE:
		return UNIT_SIZE;
	case KNOB_FRACTION:
		return UNIT_FRACTION;
	default:
		return UNIT_COUNT;
	}
}

static int64_t default_of(const struct knob *row)
{
	const struct knob_word *w;
	struct err e = {0};
	int64_t value = 0;

	if (row->type == KNOB_BOOL)
		return strcmp(row->def, "on") == 0;
	for (w = row->words; w && w->word; w++)
		if (strcmp(w->word, row->def) == 0)
			return w->value;
	if (unit_parse(&value, unit_of(row->type), row->def, &e))
		fail_msg("%s: %s", row->key, e.msg);
	assert_in_range(value, row->min, row->max);
	return value;
}

/* Fills out from the rows' defaults; every int64_t of the struct has exactly one row. */
static void fill(int64_t *out, const struct knob_group *g)
{
	size_t i, n = g->struct_bytes / sizeof(*out);
	uint64_t seen = 0;

	assert_int_equal(g->n_rows, n);
	for (i = 0; i < g->n_rows; i++) {
		const struct knob *row = &g->rows[i];
		size_t at = row->offset / sizeof(*out);

		assert_true(at < n);
		assert_false(seen & UINT64_C(1) << at);
		seen |= UINT64_C(1) << at;
		assert_non_null(row->doc);
		assert_non_null(row->source);
		out[at] = default_of(row);
	}
}

static void defaults_are_the_firmware_s(void **state)
{
	struct dcqcn_cfg got, want = dcqcn_cfg_connectx();

	(void)state;
	fill((int64_t *)&got, &dcqcn_knobs);
	assert_memory_equal(&got, &want, sizeof(got));
}

static void notification_point_defaults(void **state)
{
	struct np_cfg got;

	(void)state;
	fill((int64_t *)&got, &np_knobs);
	assert_int_equal(got.min_time_between_cnps_ps, 4 * PS_PER_US);
	assert_int_equal(got.scope, NP_SCOPE_QP);
	assert_int_equal(got.delay_ps, 0);
	assert_int_equal(got.carrier, NP_CARRIER_PACKET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(defaults_are_the_firmware_s),
	        cmocka_unit_test(notification_point_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
