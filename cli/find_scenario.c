/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/find_scenario.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/nearest.h"

#define LIBRARY SQUALL_SOURCE_DIR "/scenarios"

/* True when *out was filled with a path that exists. */
static bool try_path(char **out, const char *folder, const char *name, const char *suffix)
{
	if (asprintf(out, "%s%s%s", folder, name, suffix) < 0) {
		*out = NULL;
		return false;
	}
	if (!access(*out, F_OK))
		return true;
	free(*out);
	*out = NULL;
	return false;
}

/* Writes the nearest name of the library, without its suffix, or nothing. */
static void nearest_scenario(char *out, size_t len, const char *name)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	DIR *d = opendir(LIBRARY);
	uint32_t best = UINT32_MAX;

	out[0] = '\0';
	for (struct dirent *entry; d && (entry = readdir(d)) != NULL;) {
		char *dot = strrchr(entry->d_name, '.');
		struct nearest near;

		if (!dot || strcmp(dot, ".yaml") != 0)
			continue;
		*dot = '\0';
		nearest_init(&near, base);
		nearest_offer(&near, entry->d_name);
		if (nearest_get(&near) && near.best_distance < best) {
			best = near.best_distance;
			(void)snprintf(out, len, "%s", entry->d_name); /* may be cut */
		}
	}
	if (d)
		closedir(d);
}

int find_scenario(char **out, const char *name, struct err *e)
{
	char nearest[64];

	if (*name &&
	        (try_path(out, "", name, "") || try_path(out, "scenarios/", name, ".yaml") ||
	                try_path(out, LIBRARY "/", name, ".yaml") ||
	                try_path(out, SQUALL_SOURCE_DIR "/", name, "")))
		return 0;
	nearest_scenario(nearest, sizeof(nearest), name);
	return err_set(e, -EINVAL,
	        "%s: no such scenario file, and none of that name in scenarios/%s%s", name,
	        *nearest ? "; nearest is " : "", nearest);
}
