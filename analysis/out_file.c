/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataplane/base/check.h"

#define OUT_BUFFER_BYTES ((size_t)64 * 1024)

void out_set_init(struct out_set *s)
{
	memset(s, 0, sizeof(*s));
}

static int cannot_write(const char *path, int code, struct err *e)
{
	const char *remedy = code == ENOSPC || code == EDQUOT
	                             ? "; free space or choose another --out"
	                     : code == EACCES || code == EROFS || code == EPERM
	                             ? "; choose a folder that you may write with --out"
	                             : "";

	return err_set(e, -code, "%s: cannot write: %s%s", path, strerror(code), remedy);
}

int out_file_check(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	return err_set(e, -EINVAL,
	        "%s: is there and no regular file; it would be replaced: choose another name",
	        path);
}

/* A link is written through: what it leads to is replaced, not the link. */
static char *target(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : strdup(path);
}

/* The temporary name lies in the same folder, because rename works within one file system only.
 */
static struct out_file *reserve(struct out_set *s, const char *path)
{
	struct out_file *o;

	CHECK(s->n < OUT_SET_MAX);
	o = &s->file[s->n];
	memset(o, 0, sizeof(*o));
	o->path = target(path);
	if (!o->path || asprintf(&o->temporary, "%s.%ld.tmp", o->path, (long)getpid()) < 0) {
		free(o->path);
		return NULL;
	}
	s->n++;
	return o;
}

static ssize_t write_all(void *cookie, const char *buf, size_t len)
{
	struct out_file *o = cookie;
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(o->fd, buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			o->failed = o->failed ? o->failed : errno;
			return 0; /* an error, to fopencookie */
		}
		done += (size_t)n;
	}
	return (ssize_t)len;
}

/* Network file systems report a full disk only here. */
static int close_fd(void *cookie)
{
	struct out_file *o = cookie;

	if (close(o->fd) && !o->failed)
		o->failed = errno;
	return 0;
}

int out_set_add(struct out_set *s, FILE **f, const char *path, struct err *e)
{
	static const cookie_io_functions_t io = {.write = write_all, .close = close_fd};
	struct out_file *o;

	if (out_file_check(path, e))
		return -EINVAL;
	o = reserve(s, path);
	if (!o)
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		return cannot_write(path, errno, e);
	o->f = fopencookie(o, "w", io);
	if (!o->f) {
		close(o->fd);
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	}
	(void)setvbuf(o->f, NULL, _IOFBF, OUT_BUFFER_BYTES); /* else the default size is used */
	*f = o->f;
	return 0;
}

/* Everything the stream holds, and whether all of it could be written. */
static int flush(struct out_file *o, struct err *e)
{
	if ((fflush(o->f) || ferror(o->f)) && !o->failed)
		o->failed = EIO;
	return o->failed ? cannot_write(o->path, o->failed, e) : 0;
}

static int finish(struct out_file *o, struct err *e)
{
	int r = flush(o, e);

	(void)fclose(o->f); /* close_fd keeps its error */
	o->f = NULL;
	return r ? r : o->failed ? cannot_write(o->path, o->failed, e) : 0;
}

int out_set_flush(struct out_set *s, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < s->n; i++)
		r = flush(&s->file[i], e);
	return r;
}

int out_set_commit(struct out_set *s, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < s->n; i++)
		r = finish(&s->file[i], e);
	for (uint32_t i = 0; !r && i < s->n; i++) {
		if (rename(s->file[i].temporary, s->file[i].path))
			r = cannot_write(s->file[i].path, errno, e);
	}
	out_set_abort(s);
	return r;
}

void out_set_abort(struct out_set *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct out_file *o = &s->file[i];

		if (o->f)
			(void)fclose(o->f); /* the file is being thrown away */
		(void)unlink(o->temporary); /* already renamed after a commit */
		free(o->path);
		free(o->temporary);
	}
	out_set_init(s);
}

static int check_folder(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, -ENOTDIR,
		        "%s: is no folder; name the folder for the results with --out", path);
	return access(path, W_OK | X_OK) ? cannot_write(path, errno, e) : 0;
}

int out_folder_check(const char *path, struct err *e)
{
	char *copy = strdup(path), *slash;
	struct stat st;
	int r;

	if (!copy)
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	while (stat(copy, &st) && errno == ENOENT && (slash = strrchr(copy, '/')) &&
	        slash != copy)
		*slash = '\0';
	/* A name without folder, not there yet, is made here. */
	r = check_folder(stat(copy, &st) && errno == ENOENT ? "." : copy, e);
	free(copy);
	return r;
}

int out_folder(const char *path, struct err *e)
{
	char *copy = strdup(path);
	int r = 0;

	if (!copy)
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	for (char *p = copy + 1; *copy && !r; p++) {
		char c = *p;

		if (c != '/' && c)
			continue;
		*p = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			r = cannot_write(path, errno, e);
		*p = c;
		if (!c)
			break;
	}
	free(copy);
	return r ? r : check_folder(path, e);
}
