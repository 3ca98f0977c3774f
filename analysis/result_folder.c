/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/result_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/out_file.h"
#include "analysis/report_json.h"
#include "analysis/summary.h"
#include "analysis/verdict.h"

/* Of a file that says it is ours. */
#define MAX_MARK_BYTES (256 << 20)

#define RUN     (1U << RESULTS_OF_RUN)
#define QUALIFY (1U << RESULTS_OF_QUALIFY)
#define PAGE    (1U << RESULTS_PAGE)

/* Every name of a result file stands here and nowhere else. */
static const struct {
	const char *name;
	unsigned kinds;
} files[RESULT_NAMES] = {
        [RESULT_NAME_SUMMARY] = {"summary.json", RUN},
        [RESULT_NAME_RUN] = {"run.json", RUN},
        [RESULT_NAME_MESSAGES] = {"messages.csv", RUN},
        [RESULT_NAME_SERIES] = {"series.csv", RUN},
        [RESULT_NAME_PORTS] = {"ports.csv", RUN},
        [RESULT_NAME_PFC] = {"pfc.csv", RUN},
        [RESULT_NAME_FAULTS] = {"faults.csv", RUN},
        [RESULT_NAME_COLLECTIVES] = {"collectives.csv", RUN},
        [RESULT_NAME_ENTRIES] = {"entries.csv", RUN},
        [RESULT_NAME_REPORT] = {"report.json", RUN},
        [RESULT_NAME_PAGE] = {"report.html", RUN | QUALIFY | PAGE},
        [RESULT_NAME_CAPTURE] = {"capture.pcapng", RUN},
        [RESULT_NAME_SCENARIO] = {"scenario.yaml", RUN},
        [RESULT_NAME_TOPOLOGY] = {"topology.txt", RUN},
        [RESULT_NAME_FLOWS] = {"workload-#.csv", RUN},
        [RESULT_NAME_SCHEDULE] = {"schedule-#.goal", RUN},
        [RESULT_NAME_REPLAY] = {"replay-#.csv", RUN},
        [RESULT_NAME_VERDICT] = {"verdict.json", QUALIFY},
        [RESULT_NAME_JUNIT] = {"junit.xml", QUALIFY},
        [RESULT_NAME_EVIDENCE] = {"evidence", QUALIFY},
};

/* By what file, and what it says of itself, a folder is known as one of results. */
static const struct mark {
	enum result_name file;
	const char *format, *what;
} marks[] = {
        [RESULTS_OF_RUN] = {RESULT_NAME_SUMMARY, SUMMARY_FORMAT, "results"},
        [RESULTS_OF_QUALIFY] = {RESULT_NAME_VERDICT, VERDICT_FORMAT, "verdicts"},
        [RESULTS_PAGE] = {RESULT_NAME_REPORT, REPORT_FORMAT, "results"},
};

const char *result_name(enum result_name f)
{
	return files[f].name;
}

const char *result_name_numbered(char buf[RESULT_NAME_BYTES], enum result_name f, unsigned n)
{
	const char *name = files[f].name, *at = strchr(name, '#');

	(void)snprintf(buf, RESULT_NAME_BYTES, "%.*s%u%s", (int)(at - name), name, n, at + 1);
	return buf;
}

static bool fits(const char *pattern, const char *name)
{
	for (; *pattern && *pattern != '#'; pattern++, name++)
		if (*pattern != *name)
			return false;
	if (!*pattern)
		return !*name;
	if (!isdigit((unsigned char)*name))
		return false;
	while (isdigit((unsigned char)*name))
		name++;
	return !strcmp(pattern + 1, name);
}

bool result_name_is(enum result_kind kind, const char *name)
{
	for (int i = 0; i < RESULT_NAMES; i++)
		if (files[i].kinds & 1U << kind && fits(files[i].name, name))
			return true;
	return false;
}

/* "squall.run/1" and "squall.run/2" are both ours. */
static bool same_family(const char *format, const char *ours)
{
	const size_t len = strcspn(ours, "/") + 1;

	return format && !strncmp(format, ours, len);
}

static bool is_marked(int dir, const struct mark *m)
{
	const int fd = openat(
	        dir, files[m->file].name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	json_t *j = NULL;
	bool marked;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_MARK_BYTES)
		j = json_loadfd(fd, 0, NULL);
	close(fd);
	marked = same_family(json_string_value(json_object_get(j, "format")), m->format);
	json_decref(j);
	return marked;
}

static int refuse_foreign(
        const char *dir, const char *name, const struct mark *m, struct err *e)
{
	const char *mark = files[m->file].name;

	if (!strcmp(name, mark))
		return err_set(e, -EINVAL,
		        "%s: its %s is not of this program (\"format\": \"%s\"), so it is no "
		        "folder of %s; the file would be replaced: choose another --out",
		        dir, name, m->format, m->what);
	return err_set(e, -EINVAL,
	        "%s: holds a %s but no %s of this program, so it is no folder of %s; the file "
	        "would be replaced: choose another --out",
	        dir, name, mark, m->what);
}

/* One name that is in the folder and in the table. */
static int check_name(int fd, const char *dir, const char *name, const struct mark *m,
        bool ours, struct err *e)
{
	const bool folder = !strcmp(name, files[RESULT_NAME_EVIDENCE].name);
	struct stat st;

	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0; /* gone meanwhile */
	if (folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
		        "%s/%s: is %s, and results are written under this name: remove it or "
		        "choose another --out",
		        dir, name,
		        S_ISLNK(st.st_mode) ? "a symbolic link"
		        : folder            ? "no folder"
		                            : "no regular file");
	return ours ? 0 : refuse_foreign(dir, name, m, e);
}

int result_folder_check(const char *dir, enum result_kind kind, struct err *e)
{
	const struct mark *m = &marks[kind];
	int r = out_folder_check(dir, e);
	DIR *d = r ? NULL : opendir(dir);
	bool ours;

	if (!d)
		return r; /* still to come */
	r = check_name(dirfd(d), dir, files[m->file].name, m, true, e);
	ours = !r && is_marked(dirfd(d), m);
	for (struct dirent *n; !r && (n = readdir(d)) != NULL;)
		if (result_name_is(kind, n->d_name))
			r = check_name(dirfd(d), dir, n->d_name, m, ours, e);
	closedir(d);
	return r;
}
