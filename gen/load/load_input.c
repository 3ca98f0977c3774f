/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/load/load_input.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int load_path(char path[LOAD_PATH_BYTES], const char *base_dir, const char *file, struct err *e)
{
	int n;

	if (!base_dir || file[0] == '/')
		n = snprintf(path, LOAD_PATH_BYTES, "%s", file);
	else
		n = snprintf(path, LOAD_PATH_BYTES, "%s/%s", base_dir, file);
	if (n < 0 || n >= LOAD_PATH_BYTES)
		return err_set(e, -EINVAL, "the file name \"%.40s...\" is longer than %d bytes",
		        file, LOAD_PATH_BYTES - 1);
	return 0;
}

#define BEYOND 1000000

static int64_t number(const char **at)
{
	int64_t v = 0;

	while (**at == ' ')
		++*at;
	if (!isdigit((unsigned char)**at))
		return -1;
	while (isdigit((unsigned char)**at)) {
		if (v < BEYOND)
			v = v * 10 + (**at - '0');
		++*at;
	}
	while (**at == ' ')
		++*at;
	return v;
}

int load_next_range(const char **at, int64_t *first, int64_t *last)
{
	*first = *last = number(at);
	if (*first >= 0 && **at == '-') {
		++*at;
		*last = number(at);
	}
	if (*first < 0 || *last < 0)
		return -EINVAL;
	if (**at == ',' && (*at)[1])
		++*at;
	else if (**at)
		return -EINVAL;
	return 0;
}

int load_quantity(
        int64_t *out, enum unit_kind kind, const char *text, const char *unit, struct err *e)
{
	char with_unit[64];
	size_t len = strlen(text);
	int n;

	if (!len || text[len - 1] < '0' || text[len - 1] > '9')
		return unit_parse(out, kind, text, e);
	n = snprintf(with_unit, sizeof(with_unit), "%s%s", text, unit);
	if (n < 0 || (size_t)n >= sizeof(with_unit))
		return err_set(e, -EINVAL, "\"%.20s...\" is too long: expected %s", text,
		        unit_expected(kind));
	return unit_parse(out, kind, with_unit, e);
}
