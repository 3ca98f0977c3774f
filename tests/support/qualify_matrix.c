/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/qualify_matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/defect.h"
#include "scenarios/qualify/qualify_run.h"

static const char *const names[] = {"ecn", "pfc", "roce", "scheduling", "watchdog"};

#define N_SUITES (sizeof(names) / sizeof(names[0]))

/* One combination of each case is enough to see whether it fails. */
static void keep_last(struct qsuite *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_cases; i++) {
		n += n == 0 || s->c[i].at != s->c[n - 1].at;
		s->c[n - 1] = s->c[i];
	}
	s->n_cases = n;
}

static void add_failed(char *out, size_t len, const struct verdict *v)
{
	*out = '\0';
	for (uint32_t i = 0; i < v->n_cases; i++) {
		const char *name = v->c[i].name;
		size_t used = strlen(out);

		if (v->c[i].status != VERDICT_PASS)
			(void)snprintf(out + used, len - used, "%s%s.%.*s", used ? " " : "",
			        v->c[i].suite, (int)strcspn(name, " "), name);
	}
}

static void run_planted(
        struct qsuite **suite, const struct qasic *asic, const struct planted *p)
{
	const struct scenario_set set = {.key = "fabric.switch.defect", .value = p->defect};
	const struct qualify_options opt = {
	        .asic = asic, .set = &set, .n_set = 1, .threads = 2};
	struct qualify_result res;
	char failed[4096];
	struct err e = {0};

	if (qualify_run(&res, suite, N_SUITES, &opt, &e))
		fail_msg("%s: %s", p->defect, e.msg);
	add_failed(failed, sizeof(failed), &res.v);
	if (strcmp(failed, p->fails) != 0)
		fail_msg("%s:\n  fails    %s\n  expected %s", p->defect, failed, p->fails);
	qualify_result_fini(&res);
}

static void load_suites(struct qsuite **suite, struct qasic **asic)
{
	struct err e = {0};
	char path[400];

	(void)snprintf(path, sizeof(path), "%s/scenarios/qualify/asic/generic.yaml",
	        SQUALL_SOURCE_DIR);
	if (qualify_asic_load(asic, path, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < N_SUITES; i++) {
		(void)snprintf(path, sizeof(path), "%s/scenarios/qualify/%s.yaml",
		        SQUALL_SOURCE_DIR, names[i]);
		if (qualify_suite_load(&suite[i], path, *asic, &e))
			fail_msg("%s", e.msg);
		keep_last(suite[i]);
	}
}

static void free_suites(struct qsuite **suite, struct qasic *asic)
{
	for (size_t i = 0; i < N_SUITES; i++)
		qualify_suite_free(suite[i]);
	qualify_asic_free(asic);
}

void qualify_matrix(const struct planted *p, size_t n)
{
	struct qsuite *suite[N_SUITES];
	struct qasic *asic;

	load_suites(suite, &asic);
	for (size_t i = 0; i < n; i++)
		run_planted(suite, asic, &p[i]);
	free_suites(suite, asic);
}

/* Is word one of those in text, which has blanks between them? */
static bool has_word(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at += len)
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static bool is_failed(const struct qcase *c)
{
	char name[300];

	(void)snprintf(name, sizeof(name), "%s.%s", c->suite, c->cfg.name);
	for (size_t g = 0; g < PLANTED_N; g++)
		for (size_t i = 0; i < planted_groups[g].n; i++)
			if (has_word(planted_groups[g].p[i].fails, name))
				return true;
	return false;
}

static bool is_planted(const char *defect)
{
	for (size_t g = 0; g < PLANTED_N; g++)
		for (size_t i = 0; i < planted_groups[g].n; i++)
			if (!strcmp(planted_groups[g].p[i].defect, defect))
				return true;
	return false;
}

void qualify_matrix_is_whole(void)
{
	struct qsuite *suite[N_SUITES];
	struct qasic *asic;

	load_suites(suite, &asic);
	for (size_t i = 0; i < N_SUITES; i++)
		for (uint32_t k = 0; k < suite[i]->n_cases; k++)
			if (!is_failed(&suite[i]->c[k]))
				fail_msg("%s.%s: no planted fault fails it", names[i],
				        suite[i]->c[k].cfg.name);
	free_suites(suite, asic);
	for (const struct knob_word *w = fabric_defect_words; w->word; w++)
		if (w->value != FABRIC_SOUND && !is_planted(w->word))
			fail_msg("%s: no test plants it", w->word);
}
