/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main for fuzz targets built without libFuzzer: every file or folder named on the command line
 * goes through the target once, and so does every prefix and a few corruptions of each file, so
 * that a plain test run exercises the error paths as well. Nothing to replay is a failure.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dataplane/base/rng.h"

#define MAX_PREFIXES    64
#define MAX_CORRUPTIONS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target gets a block of exactly this size, so that a sanitizer sees a read past its end.
 */
static void feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void feed_variants(uint8_t *data, size_t size)
{
	size_t step = size / MAX_PREFIXES + 1;
	struct rng r = rng_make(size, 0, RNG_FAULT);

	for (size_t n = 0; n < size; n += step)
		feed(data, n);
	for (int i = 0; size && i < MAX_CORRUPTIONS; i++) {
		size_t at = rng_below(&r, size);
		uint8_t old = data[at];

		data[at] = (uint8_t)rng_next(&r);
		feed(data, size);
		data[at] = old;
	}
}

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, got;

	if (!f) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	do {
		data = realloc(data, size + 65536);
		if (!data)
			abort();
		got = fread(data + size, 1, 65536, f);
		size += got;
	} while (got);
	(void)fclose(f); /* only read from */
	feed(data, size);
	feed_variants(data, size);
	free(data);
	return 1;
}

/* Number of files replayed under path, or -1. */
static int replay(const char *path)
{
	char inner[4096];
	struct dirent *entry;
	struct stat st;
	int total = 0, n = 0;
	DIR *dir;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		return replay_file(path);
	dir = opendir(path);
	if (!dir) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		n = snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		n = n > 0 && (size_t)n < sizeof(inner) ? replay(inner) : -1;
		if (n < 0)
			break;
		total += n;
	}
	(void)closedir(dir);
	return n < 0 ? -1 : total;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int n = replay(argv[i]);

		if (n < 0)
			return 1;
		total += n;
	}
	printf("%d files replayed\n", total);
	return total > 0 ? 0 : 1;
}
