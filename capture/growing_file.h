/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture file while it grows: it has the name FILE.PID.tmp beside its own, so that nobody
 * takes half a capture for a whole one and nothing is lost when the program is killed; and its
 * own name when it is whole. One thread.
 */
#ifndef CAPTURE_GROWING_FILE_H
#define CAPTURE_GROWING_FILE_H

#include <stdbool.h>

#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

struct growing_file {
	char *path, *temporary; /* temporary: NULL once it has its name */
	int fd;
};

/* -EINVAL where path is there and no capture, or no regular file. */
NODISCARD int growing_file_open(struct growing_file *g, const char *path, struct err *e);
NODISCARD int growing_file_finish(struct growing_file *g, struct err *e);
/* Removes what was written; harmless after finish. */
void growing_file_abort(struct growing_file *g);

#endif
