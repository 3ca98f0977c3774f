/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUT_BUFFER_BYTES ((size_t)64 * 1024)
#define OUT_MAX_OPEN     256 /* files of a set without a name */
#define OUT_MAX_NAMES    1000

void out_set_init(struct out_set *s)
{
	memset(s, 0, sizeof(*s));
}

static int cannot_write(const char *path, int code, struct err *e)
{
	const char *remedy = code == ENOSPC || code == EDQUOT
	                             ? "; free space or choose another folder"
	                     : code == EACCES || code == EROFS || code == EPERM
	                             ? "; choose a folder that you may write"
	                             : "";

	return err_set(e, -code, "%s: cannot write: %s%s", path, strerror(code), remedy);
}

static int no_memory(const char *path, struct err *e)
{
	return err_set(e, -ENOMEM, "%s: out of memory", path);
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

static int check_in_folder(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return out_file_check(path, e);
	return err_set(e, -EINVAL,
	        "%s: is a symbolic link, which would be replaced: remove it or choose another "
	        "name",
	        path);
}

static void hold_signals(sigset_t *before)
{
	sigset_t stop;

	(void)sigemptyset(&stop); /* cannot fail, nor can the others */
	(void)sigaddset(&stop, SIGINT);
	(void)sigaddset(&stop, SIGTERM);
	(void)sigaddset(&stop, SIGHUP);
	(void)pthread_sigmask(SIG_BLOCK, &stop, before);
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
static int close_file(struct out_file *o)
{
	if (o->fd >= 0 && close(o->fd) && !o->failed)
		o->failed = errno;
	o->fd = -1;
	return o->failed;
}

/* A name in the same folder, because rename works within one file system only. */
static char *temporary_name(const struct out_set *s, const struct out_file *o, unsigned i)
{
	char *name;

	return asprintf(&name, "%s.%ld-%u.tmp", o->path, (long)getpid(), s->n + i) < 0 ? NULL
	                                                                               : name;
}

static int open_named(struct out_set *s, struct out_file *o)
{
	if (!s->signals_wait)
		hold_signals(&s->signals);
	s->signals_wait = true;
	for (unsigned i = 0; i < OUT_MAX_NAMES; i++) {
		o->temporary = temporary_name(s, o, i);
		if (!o->temporary)
			return ENOMEM;
		o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0)
			return 0;
		free(o->temporary);
		o->temporary = NULL;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* How a file without a name is called until it has one: proc(5). */
static void proc_name(char buf[64], const struct out_file *o)
{
	(void)snprintf(buf, 64, "/proc/self/fd/%d", o->fd);
}

static int open_nameless(struct out_file *o)
{
	char *slash = strrchr(o->path, '/'), proc[64];
	const size_t len = slash ? (size_t)(slash - o->path) : 0;
	char *dir = slash ? strndup(o->path, len ? len : 1) : strdup(".");

	if (!dir)
		return ENOMEM;
	o->fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
	free(dir);
	if (o->fd < 0)
		return errno;
	proc_name(proc, o);
	if (!access(proc, F_OK))
		return 0;
	close(o->fd); /* without /proc it could never get a name */
	o->fd = -1;
	return ENOTSUP;
}

static int open_file(struct out_set *s, struct out_file *o)
{
	int code = s->n < OUT_MAX_OPEN ? open_nameless(o) : ENOTSUP;

	switch (code) {
	case EISDIR: /* what a kernel or file system says that does not know it: open(2) */
	case EINVAL:
	case ENOENT:
	case ENOTSUP:
		return open_named(s, o);
	default:
		return code;
	}
}

/* Everything the stream holds, and whether all of it could be written. */
static int flush(struct out_file *o, struct err *e)
{
	if (o->f && (fflush(o->f) || ferror(o->f)) && !o->failed)
		o->failed = EIO;
	return o->failed ? cannot_write(o->path, o->failed, e) : 0;
}

static int finish(struct out_file *o, struct err *e)
{
	int r = flush(o, e);

	if (o->f)
		(void)fclose(o->f); /* flushed */
	o->f = NULL;
	if (o->temporary && close_file(o) && !r)
		r = cannot_write(o->path, o->failed, e);
	return r;
}

/* Takes path over. */
static int add(struct out_set *s, FILE **f, char *path, struct err *e)
{
	static const cookie_io_functions_t io = {.write = write_all};
	struct out_file *o = calloc(1, sizeof(*o));
	int code;

	if (!o) {
		free(path);
		return err_set(e, -ENOMEM, "out of memory for the name of a file");
	}
	*o = (struct out_file){.path = path, .fd = -1};
	*(s->last ? &s->last->next : &s->first) = o;
	s->last = o;
	code = open_file(s, o);
	s->n++;
	if (code)
		return cannot_write(path, code, e);
	o->f = fopencookie(o, "w", io);
	if (!o->f)
		return no_memory(path, e);
	(void)setvbuf(o->f, NULL, _IOFBF, OUT_BUFFER_BYTES); /* else the default size is used */
	*f = o->f;
	return 0;
}

int out_set_add(struct out_set *s, FILE **f, const char *path, struct err *e)
{
	char *real;

	if (s->last && finish(s->last, e))
		return -s->last->failed;
	if (out_file_check(path, e))
		return -EINVAL;
	real = realpath(path, NULL);
	if (!real)
		real = strdup(path);
	return real ? add(s, f, real, e) : no_memory(path, e);
}

int out_set_add_in(
        struct out_set *s, FILE **f, const char *dir, const char *name, struct err *e)
{
	char *path;

	if (s->last && finish(s->last, e))
		return -s->last->failed;
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return no_memory(dir, e);
	if (!check_in_folder(path, e))
		return add(s, f, path, e);
	free(path);
	return -EINVAL;
}

int out_set_flush(struct out_set *s, struct err *e)
{
	return s->last ? flush(s->last, e) : 0;
}

const char *out_file_readable(char buf[OUT_READ_BYTES], const struct out_file *o)
{
	if (o->temporary)
		(void)snprintf(buf, OUT_READ_BYTES, "%s", o->temporary); /* cut: not found */
	else
		proc_name(buf, o);
	return buf;
}

/* A name beside its own, from which rename brings it into place: link replaces nothing. */
static int name_file(const struct out_set *s, struct out_file *o)
{
	char proc[64];

	proc_name(proc, o);
	for (unsigned i = 0; !o->temporary && i < OUT_MAX_NAMES; i++) {
		o->temporary = temporary_name(s, o, i);
		if (!o->temporary)
			return ENOMEM;
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW))
			break;
		free(o->temporary);
		o->temporary = NULL;
		if (errno != EEXIST)
			return errno;
	}
	return o->temporary ? close_file(o) : EEXIST;
}

int out_set_commit(struct out_set *s, struct err *e)
{
	int r = s->last ? finish(s->last, e) : 0, code;

	if (!s->signals_wait)
		hold_signals(&s->signals);
	s->signals_wait = true;
	for (struct out_file *o = s->first; !r && o; o = o->next) {
		code = o->temporary ? 0 : name_file(s, o);
		if (code)
			r = cannot_write(o->path, code, e);
	}
	for (struct out_file *o = s->first; !r && o; o = o->next) {
		if (rename(o->temporary, o->path)) {
			r = cannot_write(o->path, errno, e);
		} else {
			free(o->temporary);
			o->temporary = NULL;
		}
	}
	out_set_abort(s);
	return r;
}

void out_set_abort(struct out_set *s)
{
	for (struct out_file *o = s->first, *next; o; o = next) {
		next = o->next;
		if (o->f)
			(void)fclose(o->f); /* the file is being thrown away */
		(void)close_file(o);
		if (o->temporary)
			(void)unlink(o->temporary);
		free(o->path);
		free(o->temporary);
		free(o);
	}
	if (s->signals_wait)
		(void)pthread_sigmask(SIG_SETMASK, &s->signals, NULL);
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
