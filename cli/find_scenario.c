/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/find_scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/library.h"
#include "dataplane/base/nearest.h"

/* A folder, say one of results, hides no scenario of its name. */
static bool is_source(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode);
}

/* True when *out was filled with a path that exists. */
static bool try_path(
        char **out, const char *folder, const char *slash, const char *name, const char *suffix)
{
	if (asprintf(out, "%s%s%s%s", folder, slash, name, suffix) < 0) {
		*out = NULL;
		return false;
	}
	if (is_source(*out))
		return true;
	free(*out);
	*out = NULL;
	return false;
}

/* Writes the nearest name of the library, or nothing. */
static void nearest_scenario(char *out, size_t len, const char *name)
{
	struct library l;
	struct nearest near;
	const char *meant;

	out[0] = '\0';
	if (library_read(&l, "", NULL))
		return; /* then there is nothing to suggest */
	nearest_init(&near, strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
	for (uint32_t i = 0; i < l.n; i++)
		nearest_offer(&near, l.item[i].name);
	meant = nearest_get(&near);
	if (meant)
		(void)snprintf(out, len, "%s", meant); /* may be cut */
	library_free(&l);
}

int find_scenario(char **out, const char *name, struct err *e)
{
	char nearest[64];

	if (!*name)
		return err_set(e, -EINVAL,
		        "the name of the scenario is empty; name a file or one of scenarios/");
	if (*name &&
	        (try_path(out, "", "", name, "") ||
	                (!strchr("./", *name) &&
	                        (try_path(out, "scenarios", "/", name, ".yaml") ||
	                                try_path(out, library_folder(), "/", name, ".yaml") ||
	                                try_path(out, library_folder(), "/../", name, "")))))
		return 0;
	if (*name && !access(name, F_OK)) { /* a folder: what reads it says why not */
		*out = strdup(name);
		return *out ? 0 : err_set(e, -ENOMEM, "%s: out of memory", name);
	}
	nearest_scenario(nearest, sizeof(nearest), name);
	return err_set(e, -EINVAL,
	        "%s: no such scenario file, and none of that name in the library%s%s (squall "
	        "list shows them)",
	        name, *nearest ? "; nearest is " : "", nearest);
}
