/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of the program may ask about an entry with pattern replay. Cold path. */
#ifndef LOAD_REPLAY_H
#define LOAD_REPLAY_H

#include <stdio.h>

#include "gen/load/load.h"

/* The list that the entry was made from, into f, which keeps errors of writing. */
void replay_emit(FILE *f, const struct load_entry *en);

#endif
