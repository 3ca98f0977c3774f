/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside the program, where it was built; or installed. */
static const char *const places[] = {"", "../lib/squall/"};

static int program_folder(char *folder, size_t len, struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", folder, len - 1);
	char *slash;

	if (n < 0)
		return err_set(e, -errno, "/proc/self/exe: %s", strerror(errno));
	folder[n] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		slash[1] = '\0';
	return 0;
}

static void *load(const char *file, bool global, const char *missing, struct err *e)
{
	char folder[PATH_MAX], path[PATH_MAX + 64];

	if (program_folder(folder, sizeof(folder), e))
		return NULL;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		void *so;

		(void)snprintf(path, sizeof(path), "%s%s%s", folder, places[i], file);
		if (access(path, F_OK))
			continue;
		so = dlopen(path, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
		if (!so)
			(void)err_set(e, -ENOENT, "cannot load %s: %s", path, dlerror());
		return so;
	}
	(void)err_set(e, -ENOENT, "%s is neither in %s nor in %s%s: %s", file, folder, folder,
	        places[1], missing);
	return NULL;
}

void *module_symbol(
        const char *file, const char *symbol, bool global, const char *missing, struct err *e)
{
	void *so = load(file, global, missing, e), *at = so ? dlsym(so, symbol) : NULL;

	if (so && !at)
		(void)err_set(
		        e, -EINVAL, "%s has no %s: it is of another version", file, symbol);
	return at;
}
