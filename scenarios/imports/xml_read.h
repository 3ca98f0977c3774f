/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XML files element by element, through expat, with bounds: no entities of their own, at most
 * XML_MAX_DEPTH levels, at most XML_MAX_BYTES. One thread.
 */
#ifndef SCENARIO_XML_READ_H
#define SCENARIO_XML_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define XML_MAX_DEPTH 64
#define XML_MAX_BYTES (INT64_C(1) << 30)

struct xml_file; /* what a handler asks about the element it is in */

/* Non-zero, with the message set by xml_err, ends the reading. attr: name, value, ..., NULL. */
typedef int xml_start_fn(
        void *arg, struct xml_file *x, const char *name, const char **attr, struct err *e);
typedef int xml_end_fn(void *arg, struct xml_file *x, const char *name, struct err *e);

NODISCARD int xml_read(
        const char *path, xml_start_fn *start, xml_end_fn *end, void *arg, struct err *e);
/* The same from memory; name is for messages. */
NODISCARD int xml_read_text(const char *name, const char *text, size_t len, xml_start_fn *start,
        xml_end_fn *end, void *arg, struct err *e);

/* Levels above the element that starts or ends: 0 for the root. */
uint32_t xml_depth(const struct xml_file *x);
uint32_t xml_line(const struct xml_file *x);

/* -EINVAL with "FILE:LINE:COLUMN: ". */
int xml_err(struct xml_file *x, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* NULL: the element has no such attribute. */
const char *xml_attr(const char **attr, const char *name);

/* A whole number from min to max. An attribute that is not there is an error, or `absent` if
 * absent is given. */
NODISCARD int xml_count(struct xml_file *x, const char **attr, const char *name, int64_t min,
        int64_t max, const int64_t *absent, int64_t *out, struct err *e);

#endif
