/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/scenario_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "dataplane/base/text_file.h"

#define MAX_SETS 8

void scratch_open(struct scratch *t)
{
	(void)snprintf(t->dir, sizeof(t->dir), "/tmp/squall-scenario-XXXXXX");
	CHECK(mkdtemp(t->dir));
	(void)snprintf(t->path, sizeof(t->path), "%s/s.yaml", t->dir);
}

static void full_name(char *out, size_t len, const struct scratch *t, const char *name)
{
	int n = snprintf(out, len, "%s/%s", t->dir, name);

	CHECK(n > 0 && (size_t)n < len);
}

void scratch_close(struct scratch *t)
{
	DIR *d = opendir(t->dir);
	char path[512];

	CHECK(d);
	for (struct dirent *f; (f = readdir(d));) {
		if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, ".."))
			continue;
		full_name(path, sizeof(path), t, f->d_name);
		CHECK(!remove(path));
	}
	CHECK(!closedir(d));
	CHECK(!rmdir(t->dir));
}

void scratch_put(const struct scratch *t, const char *name, const char *text, size_t len)
{
	char path[512];
	FILE *f;

	full_name(path, sizeof(path), t, name);
	f = fopen(path, "w");
	CHECK(f && fwrite(text, 1, len, f) == len);
	CHECK(!fclose(f));
}

char *scratch_get(const struct scratch *t, const char *name)
{
	char path[512], *text;
	size_t len;

	full_name(path, sizeof(path), t, name);
	return text_file_read(&text, &len, path, 16u << 20, NULL) ? NULL : text;
}

int scenario_from_text(struct scenario **out, const struct scratch *t, const char *text,
        const char *const set[], struct err *e)
{
	struct scenario_set sets[MAX_SETS];
	char copy[MAX_SETS][256];
	uint32_t n = 0;

	for (; set && set[n]; n++) {
		char *equals;

		CHECK(n < MAX_SETS);
		(void)snprintf(copy[n], sizeof(copy[n]), "%s", set[n]);
		equals = strchr(copy[n], '=');
		CHECK(equals);
		*equals = '\0';
		sets[n] = (struct scenario_set){copy[n], equals + 1};
	}
	scratch_put(t, "s.yaml", text, strlen(text));
	return scenario_load(out, t->path, sets, n, NULL, e);
}
