/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed frame as the columns of the reference's TSV files, so that every field of a frame
 * is compared with what is expected. */
#ifndef TESTS_FRAME_LINE_H
#define TESTS_FRAME_LINE_H

#include <stddef.h>

#include "dataplane/wire/frame.h"

/* Writes the value of a column, such as "udp_sport", as the files write it. false: there is no
 * column of this name. */
bool frame_column(char *out, size_t len, const struct frame *f, const char *column);

#endif
