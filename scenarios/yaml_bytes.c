/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/yaml_bytes.h"

#include <errno.h>
#include <string.h>

#include "scenarios/utf8.h"
#include "scenarios/yaml_tree.h"

int yaml_too_many(const char *name, struct err *e)
{
	return err_set(e, -EINVAL,
	        "%s: more than %u values (aliases counted as often as they are used); put long "
	        "lists "
	        "into a file of their own",
	        name, YAML_MAX_NODES);
}

static bool is_sign(char c, char next)
{
	if (c == '-')
		return next == ' ' || next == '\t' || next == '\r' || next == '\n';
	return c && strchr("[]{},:?&*!\"'", c);
}

/* The library keeps everything between brackets in memory until they close, some 600 bytes for
 * each sign, so their number is bounded before it sees them: two for each value are enough. */
static bool has_too_many(const char *text, size_t len)
{
	uint32_t n = 0;

	for (size_t i = 0; i + 1 < len && n <= 2 * YAML_MAX_NODES; i++)
		n += is_sign(text[i], text[i + 1]);
	return n > 2 * YAML_MAX_NODES;
}

int yaml_check_bytes(
        const char *text, size_t len, const char *name, bool is_value, struct err *e)
{
	struct yaml_where at = {.name = name};
	size_t good = utf8_good_prefix(text, len);
	uint32_t line = 1, column = 1;

	if (len > YAML_MAX_BYTES)
		return yaml_err(e, &at,
		        "larger than %zu MiB; put long lists into a file of their own",
		        YAML_MAX_BYTES >> 20);
	if (good == len)
		return has_too_many(text, len) ? yaml_too_many(name, e) : 0;
	for (size_t i = 0; i < good; i++) {
		if (text[i] == '\n') {
			line++;
			column = 0;
		}
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			column++;
	}
	if (!is_value) {
		at.line = line;
		at.column = column;
	}
	return yaml_err(e, &at,
	        "byte 0x%02x is not text: a scenario is UTF-8 without control "
	        "characters",
	        (unsigned char)text[good]);
}
