/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a capture file one after another, whatever carries them: a regular file, a pipe,
 * gzip or zstd over either, a file that still grows. One thread; bounded memory.
 *
 * Regular files are read into the caller's buffer with pread and are not mapped: a mapped file
 * that somebody cuts short kills its reader with SIGBUS, and one copy into a buffer that stays
 * in the cache costs no more than the page faults of a mapping.
 */
#ifndef CAPTURE_INPUT_INT_H
#define CAPTURE_INPUT_INT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

enum input_coding { INPUT_PLAIN, INPUT_GZIP, INPUT_ZSTD };

struct input {
	const char *name; /* for messages; the caller's */
	int fd;
	bool close_fd, regular, follow;
	const atomic_bool *stop;
	enum input_coding coding;
	bool cut; /* the compressed data end within a member or frame */

	uint64_t raw_at;   /* file offset after the bytes that were read */
	uint64_t raw_seen; /* the largest such offset: a followed file is never shorter */

	uint8_t *carry; /* bytes given back, from carry_at on to be read again */
	size_t carry_at, carry_n, carry_max;

	/* Compressed input: what was read and not yet expanded. */
	uint8_t *raw;
	size_t raw_used, raw_n;
	bool within;   /* a member or frame has begun and has not ended */
	size_t wanted; /* zstd: bytes to the end of its next block; 0: a frame begins */
	void *decoder;
	struct err failed; /* met after bytes that were good */
};

NODISCARD int input_open(struct input *in, const char *path, bool follow,
        const atomic_bool *stop, struct err *e);
void input_close(struct input *in);

/* At least one byte and at most n; more than are there at once are not waited for. 0: the end.
 */
NODISCARD ssize_t input_read(struct input *in, uint8_t *buf, size_t n, struct err *e);

/* The last n bytes read are to be read again. Only once after a run of reads that began where
 * the former such call pointed. */
NODISCARD int input_unread(struct input *in, const uint8_t *bytes, size_t n, struct err *e);

/* 0, 1 if the input ends before n bytes, or a negative errno. */
NODISCARD int input_skip(struct input *in, uint64_t n, struct err *e);

bool input_stopped(const struct input *in);
uint64_t input_size(const struct input *in); /* of the file as it is now; 0: no regular one */

/* The file's own bytes, as input_read gives them where nothing is compressed. */
NODISCARD ssize_t input_raw(struct input *in, uint8_t *buf, size_t n, struct err *e);

/* expand.c: the two codings. raw holds at least one byte more, or within says what is missing.
 */
NODISCARD int expand_open(struct input *in, struct err *e);
void expand_close(struct input *in);
NODISCARD ssize_t expand_read(struct input *in, uint8_t *buf, size_t n, struct err *e);

#endif
