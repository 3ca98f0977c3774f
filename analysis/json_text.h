/* SPDX-License-Identifier: Apache-2.0 */
/* A quoted JSON string; bytes that are no UTF-8 become U+FFFD, so the document stays valid. */
#ifndef ANALYSIS_JSON_TEXT_H
#define ANALYSIS_JSON_TEXT_H

#include <stdio.h>

void json_text(FILE *f, const char *s); /* NULL: null */

#endif
