/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines by argp, with errors as everywhere else: one line, with the nearest option that
 * exists. Every command has --help.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"

/* 0; 1 when help was asked for and printed; or -EINVAL. Parsers report through e (their own
 * inputs point to it) and return EINVAL. */
int options_parse(const struct argp *argp, int argc, char **argv, void *input, struct err *e);

/* The one argument that a command takes; ARGP_ERR_UNKNOWN for a second. */
error_t options_take_one(const char **out, char *arg);

/* Calls each for every option of a command, its children's included. */
void options_each(const struct argp *argp, void (*each)(void *arg, const struct argp_option *o),
        void *arg);

/* A whole number in [min, max] for --name. */
NODISCARD int options_whole(uint64_t *out, const char *name, const char *text, uint64_t min,
        uint64_t max, struct err *e);

#endif
