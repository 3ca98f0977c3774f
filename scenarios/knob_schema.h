/* SPDX-License-Identifier: Apache-2.0 */
/* The knob table as a JSON Schema (2020-12) of scenario files and as text for one key. Errors
 * stay in the stream. */
#ifndef KNOB_SCHEMA_H
#define KNOB_SCHEMA_H

#include <stdio.h>

#include "dataplane/base/knob.h"

void knob_schema_write(FILE *f);

#endif
