/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/replace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int replace_check(const char *path, const char *begins, const char *kind, struct err *e)
{
	char head[64] = "";
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return 0; /* not there, or no file: writing it says why */
	n = fread(head, 1, sizeof(head) - 1, f);
	(void)fclose(f); /* only read */
	if (n == 0 || !strncmp(head, begins, strlen(begins)))
		return 0;
	return err_set(e, -EINVAL,
	        "--output %s: exists and is no %s; it would be replaced: choose another name",
	        path, kind);
}

int replace_check_lines(const char *path, bool (*is_line)(const char *line), struct err *e)
{
	char line[256];
	FILE *f = fopen(path, "r");
	bool free_to_use;

	if (!f)
		return 0; /* as above */
	free_to_use = !fgets(line, sizeof(line), f) || is_line(line);
	(void)fclose(f); /* only read */
	return free_to_use
	               ? 0
	               : err_set(e, -EINVAL,
	                         "--fct %s: exists and is no file of flow completion times; it "
	                         "would be replaced: choose another name",
	                         path);
}

int replace_check_inputs(
        const char *out, const char *const *in, uint32_t n_in, const char *doing, struct err *e)
{
	struct stat target, input;

	if (!out || !strcmp(out, "-") || stat(out, &target))
		return 0; /* not there yet, or writing it says why */
	for (uint32_t i = 0; i < n_in; i++) {
		if (!strcmp(in[i], "-") || stat(in[i], &input))
			continue; /* reading it says why */
		if (input.st_dev == target.st_dev && input.st_ino == target.st_ino)
			return err_set(e, -EINVAL,
			        "%s: is what is being %s and would be replaced: choose another "
			        "name",
			        out, doing);
	}
	return 0;
}
