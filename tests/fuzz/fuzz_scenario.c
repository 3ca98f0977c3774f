/* SPDX-License-Identifier: Apache-2.0 */
/* Scenario files: any bytes are a scenario that can be written and read back, or one error. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "dataplane/base/text_file.h"
#include "scenarios/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_dir(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	CHECK(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			CHECK(unlinkat(dirfd(dir), entry->d_name, 0) == 0);
	(void)closedir(dir);
	CHECK(rmdir(path) == 0);
}

/* Writes s as dir/scenario.yaml; the caller frees the text. */
static char *resolve(const struct scenario *s, const char *dir, char path[64])
{
	struct err e = {0};
	char *text = NULL;
	size_t len = 0;

	(void)snprintf(path, 64, "%s/scenario.yaml", dir);
	CHECK(scenario_write_resolved(s, path, &e) == 0);
	CHECK(text_file_read(&text, &len, path, (size_t)1 << 30, &e) == 0);
	return text;
}

/* What is written reads back as the same text. */
static void check_resolved(const struct scenario *s)
{
	char first_dir[] = "/tmp/fuzz_scenario.XXXXXX",
	     again_dir[] = "/tmp/fuzz_scenario.XXXXXX";
	char path[64], unused[64];
	struct scenario *again = NULL;
	char *first_text, *again_text;
	struct err e = {0};

	CHECK(mkdtemp(first_dir) && mkdtemp(again_dir));
	first_text = resolve(s, first_dir, path);
	if (scenario_load(&again, path, NULL, 0, NULL, &e) != 0) {
		(void)fprintf(stderr, "%s\n%s", e.msg, first_text);
		abort();
	}
	again_text = resolve(again, again_dir, unused);
	CHECK(strcmp(first_text, again_text) == 0);
	free(first_text);
	free(again_text);
	scenario_free(again);
	remove_dir(first_dir);
	remove_dir(again_dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scenario *s = NULL;
	struct err e = {0};
	char path[64];
	int fd = memfd_create("scenario", 0);

	CHECK(fd >= 0);
	CHECK(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (scenario_load(&s, path, NULL, 0, NULL, &e) != 0)
		CHECK(s == NULL && strstr(e.msg, "/proc/self/fd/"));
	else
		check_resolved(s);
	scenario_free(s);
	(void)close(fd);
	return 0;
}
