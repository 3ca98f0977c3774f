/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Result folders: any bytes as report.json are one error that names the file, or data that the
 * page holds and that cannot end its script element.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/report_assets.h"
#include "analysis/report_read.h"
#include "dataplane/base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	CHECK(f);
	CHECK(fwrite(data, 1, size, f) == size);
	CHECK(fclose(f) == 0);
}

/* Twice the same run, as when two are compared. */
static void check_page(const struct report_run *run)
{
	const struct report_run both[] = {*run, {.name = "</script>", run->json, run->len}};
	const size_t head = (size_t)(report_page_head_end - report_page_head),
	             tail = (size_t)(report_page_tail_end - report_page_tail);
	char *page = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&page, &len);

	CHECK(f);
	report_html_write(f, both, 2);
	CHECK(fclose(f) == 0);
	CHECK(len > head + tail);
	CHECK(!memchr(page + head, '<', len - head - tail));
	free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/fuzz_report.XXXXXX", path[64];
	struct report_run run = {.name = "run"};
	struct err e = {0};

	CHECK(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/report.json", dir);
	write_file(path, data, size);
	if (report_read(&run, dir, &e)) {
		CHECK(!run.json && strncmp(e.msg, path, strlen(path)) == 0);
	} else {
		CHECK(run.len == size && memcmp(run.json, data, size) == 0);
		check_page(&run);
	}
	free((void *)(uintptr_t)run.json);
	(void)unlink(path);
	(void)rmdir(dir);
	return 0;
}
