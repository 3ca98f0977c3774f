/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HPCC ns-3 family's three files. The input holds all of them, each part ended by a line of
 * five '=': config.txt, topology.txt, flow.txt.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/check.h"
#include "scenarios/imports/import_hpcc.h"

#define SEPARATOR "=====\n"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the part up to the separator, returns what follows it. */
static const uint8_t *write_part(
        const char *dir, const char *name, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *stop = p == end ? NULL : memmem(p, (size_t)(end - p), SEPARATOR, 6);
	size_t n = (size_t)((stop ? stop : end) - p);
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	CHECK(f);
	CHECK(fwrite(p, 1, n, f) == n);
	CHECK(fclose(f) == 0);
	return stop ? stop + 6 : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"config.txt", "topology.txt", "flow.txt"};
	const uint8_t *p = data, *end = data + size;
	char dir[] = "/tmp/fuzz_hpcc.XXXXXX", path[128];
	static struct import_notes notes;
	struct scenario *s = NULL;
	struct err e = {0};

	CHECK(mkdtemp(dir));
	for (int i = 0; i < 3; i++)
		p = write_part(dir, names[i], p, end);
	memset(&notes, 0, sizeof(notes));
	if (import_hpcc.load(&s, dir, NULL, 0, NULL, &notes, &e) != 0)
		CHECK(s == NULL && e.msg[0]);
	scenario_free(s);
	for (int i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(dir);
	return 0;
}
