/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Result files appear whole or not at all. Each is written into a file of its folder that has
 * no name yet, and all files of a set get theirs together once every byte of every one is on
 * disk. A failure (disk full, no permission), a signal or a crash leaves what was there before
 * and nothing else. One thread, and no other that takes SIGINT, SIGTERM or SIGHUP.
 *
 * Some file systems (NFS) know no file without a name; and of many files in a set only the
 * first are open at a time. Such a file has the name *.tmp until then, and the signals wait
 * until the set has ended.
 */
#ifndef ANALYSIS_OUT_FILE_H
#define ANALYSIS_OUT_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/err.h"

struct out_file {
	char *path, *temporary; /* temporary: NULL while the file has no name */
	struct out_file *next;
	FILE *f;    /* NULL once the next file was added */
	int fd;     /* -1: closed */
	int failed; /* errno of the first write that failed; a stream remembers only that one
	               did */
};

struct out_set {
	struct out_file *first, *last;
	uint32_t n;
	bool signals_wait;
	sigset_t signals; /* as they were */
};

void out_set_init(struct out_set *s);

/* Could a result file of this name be made? -EINVAL where a device, pipe or folder has it. */
NODISCARD int out_file_check(const char *path, struct err *e);

/* Opens a new file of the set; *f belongs to the set, is never closed by the caller, and ends
 * when the next file is added. A path that is a symbolic link is written through: what it leads
 * to is replaced, not the link. */
NODISCARD int out_set_add(struct out_set *s, FILE **f, const char *path, struct err *e);

/* The same for a file of a result folder, which a symbolic link never leads out of: -EINVAL
 * where the name is one, or anything but a regular file. */
NODISCARD int out_set_add_in(
        struct out_set *s, FILE **f, const char *dir, const char *name, struct err *e);

/* Brings everything so far to disk, so that a full one is noticed before more is written. */
NODISCARD int out_set_flush(struct out_set *s, struct err *e);

/* Under this name the file of the set, flushed, can be read before it has its own. */
#define OUT_READ_BYTES 4352
const char *out_file_readable(char buf[OUT_READ_BYTES], const struct out_file *o);

/* Finishes and names all of them, in the order in which they were added. Ends the set. */
NODISCARD int out_set_commit(struct out_set *s, struct err *e);

/* Removes what was written. Ends the set; harmless after a commit. */
void out_set_abort(struct out_set *s);

/* mkdir -p; refuses a path that is no folder, or one in which no file can be made. */
NODISCARD int out_folder(const char *path, struct err *e);

/* Whether out_folder would succeed, without making anything: to know it before a long run. */
NODISCARD int out_folder_check(const char *path, struct err *e);

#endif
