/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/report_read.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/report_json.h"
#include "dataplane/base/text_file.h"

/* What the page takes for granted; all else it looks at before it uses it. */
static const struct {
	const char *key;
	json_type type;
	const char *what;
} members[] = {
        {"summary", JSON_OBJECT, "an object"},
        {"series", JSON_OBJECT, "an object"},
        {"cdf", JSON_OBJECT, "an object"},
        {"dists", JSON_ARRAY, "a list"},
        {"config", JSON_ARRAY, "a list"},
};

static int check(const json_t *j, const char *path, struct err *e)
{
	const char *format = json_string_value(json_object_get(j, "format"));

	if (!format)
		return err_set(e, -EINVAL,
		        "%s: has no \"format\"; expected \"" REPORT_FORMAT
		        "\": run the scenario again",
		        path);
	if (strcmp(format, REPORT_FORMAT))
		return err_set(e, -EINVAL,
		        "%s: its format is \"%.40s\", expected \"" REPORT_FORMAT
		        "\": run the scenario again with this squall",
		        path, format);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *m = json_object_get(j, members[i].key);

		if (!m || json_typeof(m) != members[i].type)
			return err_set(e, -EINVAL,
			        "%s: \"%s\" is missing or not %s: run the scenario again", path,
			        members[i].key, members[i].what);
	}
	return 0;
}

static int read_file(struct report_run *out, const char *path, struct err *e)
{
	json_error_t error;
	char *text = NULL;
	json_t *j;
	int r = text_file_read(&text, &out->len, path, REPORT_MAX_BYTES, e);

	if (r)
		return r;
	j = json_loadb(text, out->len, JSON_REJECT_DUPLICATES, &error);
	if (!j)
		r = err_set(e, -EINVAL, "%s:%d:%d: is no JSON: %s: run the scenario again",
		        path, error.line, error.column, error.text);
	else
		r = check(j, path, e);
	json_decref(j);
	if (r)
		free(text);
	else
		out->json = text;
	return r;
}

int report_read(struct report_run *out, const char *dir, struct err *e)
{
	struct stat st;
	char *path;
	int r;

	if (stat(dir, &st))
		return err_set(
		        e, -EINVAL, "%s: %s; name a folder of results", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, -EINVAL,
		        "%s: is no folder; name the folder of results that "
		        "squall run wrote",
		        dir);
	if (asprintf(&path, "%s/report.json", dir) < 0)
		return err_set(e, -ENOMEM, "%s: out of memory", dir);
	if (stat(path, &st) && errno == ENOENT)
		r = err_set(e, -EINVAL,
		        "%s: holds no report.json, so it is no folder of results of this "
		        "squall: run the scenario into it",
		        dir);
	else
		r = read_file(out, path, e);
	free(path);
	return r;
}
