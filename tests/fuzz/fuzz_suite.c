/* SPDX-License-Identifier: Apache-2.0 */
/* Suites and ASIC files from outside: cases that can be made into scenarios, or one error. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "scenarios/qualify/qualify_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_scenario(const struct qsuite *s, const struct qasic *asic)
{
	struct scenario *scenario;
	struct err e = {0};

	if (qualify_scenario(&scenario, &s->c[0], asic, NULL, 0, &e))
		CHECK(*e.msg);
	else
		scenario_free(scenario);
}

static void suite(const char *text, size_t len, const struct qasic *asic)
{
	struct qsuite *s;
	struct err e = {0};

	if (qualify_suite_read(&s, text, len, "input", asic, &e)) {
		CHECK(strncmp(e.msg, "input", 5) == 0);
		return;
	}
	CHECK(s->n_cases > 0 && s->n_cases <= QUALIFY_MAX_CASES);
	for (uint32_t i = 0; i < s->n_cases; i++) {
		CHECK(s->c[i].n_streams > 0 && s->c[i].n_checks > 0);
		CHECK(*s->c[i].name);
	}
	one_scenario(s, asic);
	qualify_suite_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char sound[] = "squall_asic: 1\n";
	struct qasic *asic;
	struct err e = {0};

	if (qualify_asic_read(&asic, (const char *)data, size, "input", &e))
		CHECK(strncmp(e.msg, "input", 5) == 0);
	else
		qualify_asic_free(asic);
	CHECK(!qualify_asic_read(&asic, sound, sizeof(sound) - 1, "sound", &e));
	suite((const char *)data, size, asic);
	qualify_asic_free(asic);
	return 0;
}
