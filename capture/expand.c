/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip and zstd as they stream by: members and frames in a row are one file. Memory is the
 * window of the coding (zstd: 128 MiB at most, as its own program has it) and one buffer.
 */
#include "capture/input_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define RAW_BYTES     (128 * 1024)
#define GZIP_MAX_BITS (15 + 16) /* zlib: gzip alone */

int expand_open(struct input *in, struct err *e)
{
	in->raw = malloc(RAW_BYTES);
	if (in->coding == INPUT_ZSTD) {
		in->decoder = ZSTD_createDStream();
	} else {
		z_stream *z = calloc(1, sizeof(*z));

		if (z && inflateInit2(z, GZIP_MAX_BITS) != Z_OK) {
			free(z);
			z = NULL;
		}
		in->decoder = z;
	}
	if (in->raw && in->decoder)
		return 0;
	return err_set(e, -ENOMEM, "%s: out of memory", in->name);
}

void expand_close(struct input *in)
{
	if (in->decoder && in->coding == INPUT_ZSTD) {
		(void)ZSTD_freeDStream(in->decoder); /* cannot fail */
	} else if (in->decoder) {
		(void)inflateEnd(in->decoder); /* an unfinished stream is no error here */
		free(in->decoder);
	}
	free(in->raw);
	in->decoder = NULL;
	in->raw = NULL;
}

static int damaged(const struct input *in, const char *coding, const char *why, struct err *e)
{
	return err_set(e, -EINVAL,
	        "%s: byte %" PRIu64 " (compressed): damaged %s data: %s; `%s -t` tests a file",
	        in->name, in->raw_at - (in->raw_n - in->raw_used), coding, why, coding);
}

/* Expands what raw holds into buf: bytes written, all good; what follows them may not be: e. */
static size_t expand_gzip(struct input *in, uint8_t *buf, size_t n, struct err *e)
{
	z_stream *z = in->decoder;
	int rc;

	if (!in->within) { /* padding with zeros may follow a member */
		while (in->raw_used < in->raw_n && !in->raw[in->raw_used])
			in->raw_used++;
		if (in->raw_used == in->raw_n)
			return 0;
		if (inflateReset(z) != Z_OK)
			(void)damaged(in, "gzip", "no state", e);
		in->within = true;
	}
	z->next_in = in->raw + in->raw_used;
	z->avail_in = (uInt)(in->raw_n - in->raw_used);
	z->next_out = buf;
	z->avail_out = (uInt)n;
	rc = inflate(z, Z_NO_FLUSH);
	in->raw_used = in->raw_n - z->avail_in;
	if (rc == Z_STREAM_END)
		in->within = false;
	else if (rc == Z_MEM_ERROR)
		(void)err_set(e, -ENOMEM, "%s: out of memory", in->name);
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		(void)damaged(in, "gzip", z->msg ? z->msg : "not gzip", e);
	return n - z->avail_out;
}

/* One block at a time: a call that meets damage forgets what it expanded before. */
static size_t expand_zstd(struct input *in, uint8_t *buf, size_t n, struct err *e)
{
	size_t left = in->raw_n - in->raw_used;
	ZSTD_inBuffer from = {in->raw,
	        in->raw_used + (in->wanted && in->wanted < left ? in->wanted : left),
	        in->raw_used};
	ZSTD_outBuffer to = {buf, n, 0};
	size_t rc;

	if (!in->wanted && !left)
		return 0; /* between frames */
	if (!in->wanted)  /* a new frame: its header, 5 bytes at least */
		from.size = in->raw_used + (left < 5 ? left : 5);
	rc = ZSTD_decompressStream(in->decoder, &to, &from);
	if (ZSTD_isError(rc)) {
		(void)damaged(in, "zstd", ZSTD_getErrorName(rc), e);
		return 0;
	}
	in->raw_used = from.pos;
	in->wanted = rc;
	in->within = rc != 0;
	return to.pos;
}

ssize_t expand_read(struct input *in, uint8_t *buf, size_t n, struct err *e)
{
	bool may_wait = !in->regular || in->follow;
	size_t out = 0;

	if (n > INT32_MAX)
		n = INT32_MAX;
	while (!in->failed.code) {
		size_t used = in->raw_used, made;
		ssize_t got;

		made = in->coding == INPUT_GZIP
		               ? expand_gzip(in, buf + out, n - out, &in->failed)
		               : expand_zstd(in, buf + out, n - out, &in->failed);
		out += made;
		if (out == n || (out && may_wait && in->raw_used == in->raw_n))
			return (ssize_t)out;
		if (made || in->raw_used != used)
			continue;
		got = input_raw(in, in->raw, RAW_BYTES, &in->failed);
		in->raw_used = 0;
		in->raw_n = got > 0 ? (size_t)got : 0;
		if (got == 0) {
			in->cut = in->within;
			return (ssize_t)out;
		}
	}
	return out ? (ssize_t)out : err_set(e, in->failed.code, "%s", in->failed.msg);
}
