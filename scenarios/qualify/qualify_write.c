/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/junit.h"
#include "analysis/out_file.h"
#include "analysis/result_folder.h"
#include "analysis/verdict_html.h"
#include "analysis/verdict_json.h"

int qualify_write_check(const char *dir, struct err *e)
{
	return result_folder_check(dir, RESULTS_OF_QUALIFY, e);
}

/* "pfc.pause (priority=3)" -> "pfc.pause-priority-3" */
static void file_name(char *out, size_t len, const struct qcase *c)
{
	size_t n = 0;
	int w = snprintf(out, len, "%s.%s", c->suite, c->name);

	if (w < 0)
		return;
	for (const char *p = out; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		             (*p >= '0' && *p <= '9') || *p == '-' || *p == '_' || *p == '.' ||
		             *p == '%';

		if (plain && !(n == 0 && *p == '.'))
			out[n++] = *p;
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && out[n - 1] == '-')
		n--;
	out[n] = '\0';
}

static int add_scenario(struct out_set *set, const struct qcase *c,
        const struct qualify_options *opt, const char *dir, const char *name, struct err *e)
{
	struct scenario *s;
	int rc = qualify_scenario(&s, c, opt->asic, opt->set, opt->n_set, e);

	if (!rc)
		rc = scenario_add_resolved(set, s, dir, name, e);
	scenario_free(s);
	return rc;
}

static int add_evidence(struct out_set *set, const struct verdict_case *v,
        const struct qcase *c, const struct qualify_options *opt, const char *dir,
        struct err *e)
{
	char name[400];
	size_t len;
	FILE *f;
	int rc;

	file_name(name, sizeof(name) - 8, c);
	len = strlen(name);
	memcpy(name + len, ".json", sizeof(".json"));
	rc = out_set_add_in(set, &f, dir, name, e);
	if (rc)
		return rc;
	verdict_json_case(f, v);
	memcpy(name + len, ".yaml", sizeof(".yaml"));
	return add_scenario(set, c, opt, dir, name, e);
}

static int add_verdicts(
        struct out_set *set, const struct verdict *v, const char *dir, struct err *e)
{
	static const struct {
		enum result_name name;
		void (*write)(FILE *f, const struct verdict *v);
	} file[] = {{RESULT_NAME_PAGE, verdict_html_write}, {RESULT_NAME_JUNIT, junit_write},
	        {RESULT_NAME_VERDICT, verdict_json_write}};
	int rc = 0;

	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]) && !rc; i++) {
		FILE *f;

		rc = out_set_add_in(set, &f, dir, result_name(file[i].name), e);
		if (!rc)
			file[i].write(f, v);
	}
	return rc;
}

static int write_all(const struct qualify_result *res, const struct qualify_options *opt,
        const char *dir, const char *evidence, struct err *e)
{
	struct out_set set;
	int rc = 0;

	out_set_init(&set);
	for (uint32_t i = 0; i < res->v.n_cases && !rc; i++)
		if (res->v.c[i].status != VERDICT_NOT_RUN &&
		        res->v.c[i].status != VERDICT_NOT_APPLICABLE)
			rc = add_evidence(&set, &res->v.c[i], res->run[i], opt, evidence, e);
	if (!rc)
		rc = add_verdicts(&set, &res->v, dir, e);
	if (!rc)
		rc = out_set_commit(&set, e);
	out_set_abort(&set);
	return rc;
}

int qualify_write(const struct qualify_result *res, const struct qualify_options *opt,
        const char *dir, struct err *e)
{
	char *evidence = NULL;
	int rc = qualify_write_check(dir, e);

	if (!rc && asprintf(&evidence, "%s/%s", dir, result_name(RESULT_NAME_EVIDENCE)) < 0)
		rc = err_set(e, -ENOMEM, "%s: out of memory", dir);
	if (rc)
		return rc;
	rc = out_folder(evidence, e);
	if (!rc)
		rc = write_all(res, opt, dir, evidence, e);
	if (rc)
		(void)rmdir(evidence); /* unless it holds an earlier one */
	free(evidence);
	return rc;
}
