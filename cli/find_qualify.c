/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/find_qualify.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/library.h"
#include "dataplane/base/nearest.h"

static int copy(char **out, const char *path, struct err *e)
{
	*out = strdup(path);
	return *out ? 0 : err_set(e, -ENOMEM, "%s: out of memory", path);
}

int find_qualify(
        char **out, const char *below, const char *name, const char *what, struct err *e)
{
	struct library l;
	struct nearest near;
	int rc;

	*out = NULL;
	if (strchr(name, '/') || strchr(name, '.')) {
		if (access(name, F_OK))
			return err_set(e, -EINVAL, "%s: no such file", name);
		return copy(out, name, e);
	}
	rc = library_read(&l, below, e);
	if (rc)
		return rc;
	nearest_init(&near, name);
	for (uint32_t i = 0; i < l.n && !*out && !rc; i++) {
		nearest_offer(&near, l.item[i].name);
		if (!strcmp(l.item[i].name, name))
			rc = copy(out, l.item[i].path, e);
	}
	if (!*out && !rc)
		rc = err_set(e, -EINVAL, "%s: no such %s%s%s; squall qualify --list names them",
		        name, what, nearest_get(&near) ? "; nearest is " : "",
		        nearest_get(&near) ? nearest_get(&near) : "");
	library_free(&l);
	return rc;
}
