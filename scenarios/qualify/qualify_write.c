/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_write.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/junit.h"
#include "analysis/out_file.h"
#include "analysis/verdict_html.h"
#include "analysis/verdict_json.h"

static int in_folder(char **path, const char *dir, const char *name, struct err *e)
{
	return asprintf(path, "%s/%s", dir, name) < 0
	               ? err_set(e, -ENOMEM, "%s: out of memory", dir)
	               : 0;
}

int qualify_write_check(const char *dir, struct err *e)
{
	bool has_other = false, has_verdict = false;
	int rc = out_folder_check(dir, e);
	DIR *d = rc ? NULL : opendir(dir);

	for (struct dirent *n; d && (n = readdir(d)) != NULL;) {
		has_verdict |= !strcmp(n->d_name, "verdict.json");
		has_other |= !strcmp(n->d_name, "report.html") ||
		             !strcmp(n->d_name, "junit.xml") || !strcmp(n->d_name, "evidence");
	}
	if (d)
		closedir(d);
	if (!rc && has_other && !has_verdict)
		rc = err_set(e, -EINVAL,
		        "%s: holds a report but no verdict.json, so it is no folder of "
		        "verdicts; choose another --out",
		        dir);
	return rc;
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

static int write_scenario(const struct qcase *c, const struct qualify_options *opt,
        const char *path, struct err *e)
{
	struct scenario *s;
	int rc = qualify_scenario(&s, c, opt->asic, opt->set, opt->n_set, e);

	if (!rc)
		rc = scenario_write_resolved(s, path, e);
	scenario_free(s);
	return rc;
}

static int write_evidence(const struct verdict_case *v, const struct qcase *c,
        const struct qualify_options *opt, const char *dir, struct err *e)
{
	char name[400], *path = NULL, *yaml = NULL;
	struct out_set set;
	FILE *f;
	int rc;

	file_name(name, sizeof(name) - 8, c);
	out_set_init(&set);
	rc = asprintf(&path, "%s/%s.json", dir, name) < 0 ||
	                     asprintf(&yaml, "%s/%s.yaml", dir, name) < 0
	             ? err_set(e, -ENOMEM, "%s: out of memory", dir)
	             : 0;
	if (!rc)
		rc = out_set_add(&set, &f, path, e);
	if (!rc) {
		verdict_json_case(f, v);
		rc = write_scenario(c, opt, yaml, e);
	}
	if (!rc)
		rc = out_set_commit(&set, e);
	else
		out_set_abort(&set);
	free(path);
	free(yaml);
	return rc;
}

static int write_verdicts(const struct verdict *v, const char *dir, struct err *e)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f, const struct verdict *v);
	} file[] = {{"report.html", verdict_html_write}, {"junit.xml", junit_write},
	        {"verdict.json", verdict_json_write}};
	struct out_set set;
	int rc = 0;

	out_set_init(&set);
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]) && !rc; i++) {
		char *path = NULL;
		FILE *f;

		rc = in_folder(&path, dir, file[i].name, e);
		if (!rc)
			rc = out_set_add(&set, &f, path, e);
		if (!rc)
			file[i].write(f, v);
		free(path);
	}
	if (!rc)
		return out_set_commit(&set, e);
	out_set_abort(&set);
	return rc;
}

int qualify_write(const struct qualify_result *res, const struct qualify_options *opt,
        const char *dir, struct err *e)
{
	char *evidence = NULL;
	int rc = in_folder(&evidence, dir, "evidence", e);

	if (!rc)
		rc = out_folder(evidence, e);
	for (uint32_t i = 0; i < res->v.n_cases && !rc; i++)
		if (res->v.c[i].status != VERDICT_NOT_RUN)
			rc = write_evidence(&res->v.c[i], res->run[i], opt, evidence, e);
	if (!rc)
		rc = write_verdicts(&res->v, dir, e);
	free(evidence);
	return rc;
}
