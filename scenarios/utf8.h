/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are text: well-formed UTF-8 (RFC 3629) without control characters. */
#ifndef SCENARIO_UTF8_H
#define SCENARIO_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many leading bytes are text; tab, line feed and carriage return are. */
size_t utf8_good_prefix(const char *text, size_t len);

/* Does a terminal show it as it stands? No characters that control it, nor those that turn the
 * direction of writing, so that a name reads as another. */
bool utf8_is_shown(const char *text);

#endif
