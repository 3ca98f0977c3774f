/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/library.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCES     SQUALL_SOURCE_DIR "/scenarios"
#define INSTALLED   "/share/squall/scenarios"
#define ABOUT_BYTES 2048

/* bin/squall -> share/squall/scenarios of the same prefix */
static bool beside_program(char out[PATH_MAX])
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return false;
	exe[n] = '\0';
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(exe, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return snprintf(out, PATH_MAX, "%s" INSTALLED, exe) < PATH_MAX && !access(out, R_OK);
}

const char *library_folder(void)
{
	static char folder[PATH_MAX];

	if (!*folder && !beside_program(folder))
		(void)snprintf(folder, sizeof(folder), "%s", SOURCES);
	return folder;
}

/* The comment lines at the top of a file, joined by blanks. */
static char *read_about(const char *path)
{
	char text[ABOUT_BYTES] = "", line[512];
	size_t n = 0;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f) && line[0] == '#') {
		const char *from = line + 1 + strspn(line + 1, " \t#");
		size_t len = strcspn(from, "\r\n");

		if (n + len + 2 > sizeof(text))
			break;
		if (n && len)
			text[n++] = ' ';
		memcpy(text + n, from, len);
		n += len;
		text[n] = '\0';
	}
	if (f)
		(void)fclose(f); /* only read */
	return strdup(text);
}

static int by_name(const void *a, const void *b)
{
	const struct library_item *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

static int add(struct library *l, const char *folder, const char *file, struct err *e)
{
	struct library_item *grown = realloc(l->item, (l->n + 1) * sizeof(*grown));
	struct library_item *it;

	if (!grown)
		return err_set(e, -ENOMEM, "%s: out of memory", folder);
	l->item = grown;
	it = &l->item[l->n];
	*it = (struct library_item){.name = strndup(file, strlen(file) - strlen(".yaml"))};
	l->n++;
	if (!it->name || asprintf(&it->path, "%s/%s", folder, file) < 0)
		return err_set(e, -ENOMEM, "%s: out of memory", folder);
	it->about = read_about(it->path);
	return it->about ? 0 : err_set(e, -ENOMEM, "%s: out of memory", folder);
}

static bool is_yaml(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && dot != file && !strcmp(dot, ".yaml");
}

int library_read(struct library *l, const char *below, struct err *e)
{
	char folder[PATH_MAX];
	DIR *d;
	int r = 0;

	*l = (struct library){0};
	if (snprintf(folder, sizeof(folder), "%s%s%s", library_folder(), *below ? "/" : "",
	            below) >= (int)sizeof(folder))
		return err_set(e, -ENAMETOOLONG, "%s: the name is too long", library_folder());
	d = opendir(folder);
	if (!d)
		return err_set(
		        e, -errno, "%s: cannot read the library: %s", folder, strerror(errno));
	for (struct dirent *entry; !r && (entry = readdir(d)) != NULL;)
		if (is_yaml(entry->d_name))
			r = add(l, folder, entry->d_name, e);
	closedir(d);
	if (r)
		library_free(l);
	else if (l->n)
		qsort(l->item, l->n, sizeof(*l->item), by_name);
	return r;
}

void library_free(struct library *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		free(l->item[i].name);
		free(l->item[i].path);
		free(l->item[i].about);
	}
	free(l->item);
	*l = (struct library){0};
}
