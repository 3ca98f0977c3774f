/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema (2020-12) of the document that trace_json_write and diagnosis_json_write
 * make.
 */
#ifndef TRACE_SCHEMA_H
#define TRACE_SCHEMA_H

#include <stdio.h>

void trace_schema_write(FILE *f);

#endif
