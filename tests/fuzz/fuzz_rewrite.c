/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a capture, rewritten: it ends with a capture that can be read to its end, with
 * as many frames as were counted, each as long and with the same ICRC verdict as before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/rewrite/rewrite.h"
#include "capture/reader.h"
#include "dataplane/base/check.h"
#include "dataplane/wire/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void named(char path[40], int *fd, const void *data, size_t size)
{
	*fd = memfd_create("capture", 0);
	CHECK(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 40, "/proc/self/fd/%d", *fd);
}

static void check(const char *out, size_t bytes, const struct rewrite_result *result)
{
	uint64_t n = 0, good = 0, bad = 0, roce = 0;
	struct packet_batch b;
	struct err e = {0};
	struct reader *r;
	char path[40];
	int fd, got;

	named(path, &fd, out, bytes);
	CHECK(reader_open(&r, path, NULL, &e) == 0);
	CHECK(packet_batch_init(&b, 256, &e) == 0);
	while ((got = reader_fill(r, &b, &e)) > 0) {
		n += (uint64_t)got;
		for (int i = 0; i < got; i++) {
			const struct packet *p = &b.packet[i];
			struct frame f;

			frame_parse(&f, reader_interface(r, p->interface)->link, p->data,
			        p->cap_bytes, p->wire_bytes);
			roce += frame_is_roce(&f);
			if (!frame_is_roce(&f))
				continue;
			good += frame_icrc(&f) == ICRC_GOOD;
			bad += frame_icrc(&f) == ICRC_BAD;
		}
	}
	CHECK(got == 0 && n == result->written);
	CHECK(roce == result->roce && good == result->icrc_good && bad == result->icrc_bad);
	packet_batch_fini(&b);
	reader_close(r);
	CHECK(close(fd) == 0);
}

static void rewrite(const struct rewrite_options *o, const char *path)
{
	struct rewrite_result result;
	struct err e = {0};
	size_t bytes;
	char *out;
	FILE *f = open_memstream(&out, &bytes);
	int r;

	CHECK(f);
	r = rewrite_capture(o, path, f, &result, &e);
	CHECK(fclose(f) == 0);
	CHECK(r <= 0 && (!r || e.msg[0]));
	if (!r)
		check(out, bytes, &result);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rewrite_map map = {REWRITE_IPV4, 8, {10}, {11}};
	const struct rewrite_options o[] = {{.anonymize = true, .seed = "fuzz"},
	        {.map = &map, .n_maps = 1, .has_psn_base = true, .psn_base = 17}};
	char path[40];
	int fd;

	named(path, &fd, data, size);
	for (size_t i = 0; i < sizeof(o) / sizeof(*o); i++)
		rewrite(&o[i], path);
	CHECK(close(fd) == 0);
	return 0;
}
