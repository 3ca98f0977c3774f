/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole small text file, with a bound on memory. Cold path, any thread. */
#ifndef BASE_TEXT_FILE_H
#define BASE_TEXT_FILE_H

#include <stddef.h>

#include "dataplane/base/err.h"

/*
 * The file's bytes and a NUL after them in *text, which the caller frees; *len counts the bytes
 * without that NUL. Only regular files: a pipe or device could block or never end. -EINVAL for
 * a directory, another kind of file or more than max_bytes, else the errno of the failing call.
 */
NODISCARD int text_file_read(
        char **text, size_t *len, const char *path, size_t max_bytes, struct err *e);

#endif
