/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/fabric/fabric_cfg.h"
#include "gen/load/load.h"
#include "scenarios/knob_value.h"
#include "scenarios/yaml_emit.h"

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static bool is_in(const char *path, const struct stat *folder)
{
	char *dir = folder_of(path);
	struct stat st;
	const bool in = dir && !stat(dir, &st) && same(&st, folder);

	free(dir);
	return in;
}

int64_t import_max_bytes(void)
{
	struct frame_cfg frame;

	knob_defaults(&fabric_knobs, &frame);
	return LOAD_MAX_MESSAGE_PACKETS * frame.path_mtu_bytes;
}

bool import_is_input(const struct import_job *job, const char *path)
{
	struct stat target, input;

	if (stat(path, &target))
		return false;
	for (uint32_t i = 0; i < job->n_paths; i++) {
		if (stat(job->path[i], &input))
			continue;
		if (same(&input, &target) || (S_ISDIR(input.st_mode) && is_in(path, &input)))
			return true;
	}
	return false;
}

int import_check_target(const struct import_job *job, const char *path, struct err *e)
{
	if (import_is_input(job, path))
		return err_set(e, -EINVAL,
		        "%s: is what is being imported and would be replaced; name another "
		        "scenario with -o",
		        path);
	if (job->force || access(path, F_OK))
		return 0;
	return err_set(e, -EINVAL,
	        "%s: is there already; name another scenario with -o, or --force replaces it",
	        path);
}

int import_write_resolved(
        const struct scenario *s, const struct import_job *job, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	char *dir = folder_of(path);
	struct out_set set;
	int rc;

	if (!dir)
		return err_set(e, -ENOMEM, "%s: no memory", path);
	out_set_init(&set);
	rc = scenario_add_resolved(&set, s, dir, slash ? slash + 1 : path, e);
	for (const struct out_file *o = set.first; o && !rc; o = o->next)
		rc = import_check_target(job, o->path, e);
	if (!rc)
		rc = out_set_commit(&set, e);
	out_set_abort(&set);
	free(dir);
	return rc;
}

/* A path as a value of --set, which is YAML; malloc'd. */
static char *quoted_path(const char *path)
{
	char *full = *path == '/' ? strdup(path) : realpath(path, NULL), *text = NULL;
	size_t len;
	FILE *f = full ? open_memstream(&text, &len) : NULL;

	if (f) {
		yaml_emit_quoted(f, full);
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	free(full);
	return text;
}

/* Takes "NAME:LINE:COLUMN: " out of a text wherever it is: nobody will find that file. */
static void drop_places(char *text, const char *name)
{
	const size_t len = strlen(name);
	char *at = text;

	while ((at = strstr(at, name)) != NULL) {
		const char *rest = at + len;

		while (*rest == ':' && rest[1] >= '0' && rest[1] <= '9')
			rest += 1 + strspn(rest + 1, "0123456789");
		rest += strspn(rest, ":");
		rest += strspn(rest, " ");
		memmove(at, rest, strlen(rest) + 1);
	}
}

int import_check_made(struct scenario **made, const struct out_set *set,
        const struct import_job *job, const struct import_list *list, uint32_t n_lists,
        struct err *e)
{
	char readable[OUT_READ_BYTES], *value[IMPORT_MAX_BESIDE] = {NULL};
	struct scenario_set key[IMPORT_MAX_BESIDE];
	struct err why = {0};
	int rc = 0;

	for (uint32_t i = 0; i < n_lists; i++) {
		value[i] = quoted_path(list[i].at);
		key[i] = (struct scenario_set){.key = list[i].key, .value = value[i]};
		if (!value[i])
			rc = err_set(e, -ENOMEM, "%s: no memory", job->path[0]);
	}
	(void)out_file_readable(readable, set->last);
	if (!rc)
		rc = scenario_load(made, readable, key, n_lists, NULL, &why);
	for (uint32_t i = 0; i < n_lists; i++)
		free(value[i]);
	if (!rc || e->msg[0])
		return rc;
	drop_places(why.msg, readable);
	for (uint32_t i = 0; i < n_lists; i++)
		drop_places(why.msg, list[i].at);
	return err_set(e, rc, "%s: makes no scenario that can run: %s", job->path[0], why.msg);
}
