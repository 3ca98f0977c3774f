/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Result files appear whole or not at all: each is written under a temporary name in its own
 * folder, and all files of a set are renamed into place together once every byte of every one
 * is on disk. A failure (disk full, no permission) leaves what was there before untouched.
 */
#ifndef ANALYSIS_OUT_FILE_H
#define ANALYSIS_OUT_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/err.h"

#define OUT_SET_MAX 12

struct out_file {
	char *path, *temporary;
	FILE *f;
	int fd;
	int failed; /* errno of the first write that failed; a stream remembers only that one
	               did */
};

/* Stays where it is from the first file on: its streams point into it. */
struct out_set {
	struct out_file file[OUT_SET_MAX];
	uint32_t n;
};

void out_set_init(struct out_set *s);

/* Could a result file of this name be made? -EINVAL where a device, pipe or folder has it. */
NODISCARD int out_file_check(const char *path, struct err *e);

/* Opens a new file of the set; *f belongs to the set and is never closed by the caller. */
NODISCARD int out_set_add(struct out_set *s, FILE **f, const char *path, struct err *e);

/* Brings everything so far to disk, so that a full one is noticed before more is written. */
NODISCARD int out_set_flush(struct out_set *s, struct err *e);

/* Finishes and renames all of them, in the order in which they were added. Ends the set. */
NODISCARD int out_set_commit(struct out_set *s, struct err *e);

/* Removes what was written. Ends the set; harmless after a commit. */
void out_set_abort(struct out_set *s);

/* mkdir -p; refuses a path that is no folder, or one in which no file can be made. */
NODISCARD int out_folder(const char *path, struct err *e);

/* Whether out_folder would succeed, without making anything: to know it before a long run. */
NODISCARD int out_folder_check(const char *path, struct err *e);

#endif
