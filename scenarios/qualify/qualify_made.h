/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a case that are made from others: bytes(TIME), what a port carries in that time,
 * and weights(PRIORITY=N ...), the list of a scheduler's weights with 1 for the rest. One
 * thread.
 */
#ifndef QUALIFY_MADE_H
#define QUALIFY_MADE_H

#include <stdbool.h>

#include "scenarios/qualify/qualify_bind.h"

bool qualify_is_made(const char *text);

/* Names are replaced already. NULL with the message in e, which has the scalar's place. */
const char *qualify_made(const struct qscope *s, const char *text,
        const struct yaml_node *scalar, struct err *e);

#endif
