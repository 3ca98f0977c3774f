/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_BYTES 4

static bool is_capture(const char *magic)
{
	static const char known[][MAGIC_BYTES] = {{'\x0a', '\x0d', '\x0d', '\x0a'},
	        {'\xd4', '\xc3', '\xb2', '\xa1'}, {'\xa1', '\xb2', '\xc3', '\xd4'},
	        {'\x4d', '\x3c', '\xb2', '\xa1'}, {'\xa1', '\xb2', '\x3c', '\x4d'}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!memcmp(magic, known[i], MAGIC_BYTES))
			return true;
	}
	return false;
}

static int check_place(const char *path, struct err *e)
{
	char magic[MAGIC_BYTES];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st))
		return 0; /* not there, or writing says why */
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL,
		        "%s: is there and no regular file; - writes to standard output", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, -errno, "%s: %s", path, strerror(errno));
	n = read(fd, magic, sizeof(magic));
	(void)close(fd); /* only read */
	if (n == 0 || (n == MAGIC_BYTES && is_capture(magic)))
		return 0;
	return err_set(e, -EINVAL,
	        "%s: exists and is no capture; it would be replaced: choose another name",
	        path);
}

int growing_file_open(struct growing_file *g, const char *path, struct err *e)
{
	int r = check_place(path, e);

	*g = (struct growing_file){.fd = -1};
	if (r)
		return r;
	/* A link is written through, as a shell's > does. */
	g->path = access(path, F_OK) ? strdup(path) : realpath(path, NULL);
	if (!g->path || asprintf(&g->temporary, "%s.%ld.tmp", g->path, (long)getpid()) < 0) {
		g->temporary = NULL;
		growing_file_abort(g);
		return err_set(e, -ENOMEM, "%s: out of memory", path);
	}
	g->fd = open(g->temporary, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (g->fd < 0) {
		r = err_set(e, -errno, "%s: cannot write: %s", path, strerror(errno));
		free(g->temporary);
		g->temporary = NULL;
		growing_file_abort(g);
	}
	return r;
}

int growing_file_finish(struct growing_file *g, struct err *e)
{
	int r = 0;

	/* Network file systems report a full disk only here. */
	if (close(g->fd))
		r = err_set(e, -errno, "%s: cannot write: %s", g->path, strerror(errno));
	g->fd = -1;
	if (!r && rename(g->temporary, g->path))
		r = err_set(e, -errno, "%s: cannot be given its name: %s", g->path,
		        strerror(errno));
	if (r)
		return r; /* what was captured stays under its temporary name */
	free(g->temporary);
	g->temporary = NULL;
	growing_file_abort(g);
	return 0;
}

void growing_file_abort(struct growing_file *g)
{
	if (g->fd >= 0)
		(void)close(g->fd); /* it is removed */
	g->fd = -1;
	if (g->temporary)
		(void)unlink(g->temporary); /* nothing more can be done */
	free(g->temporary);
	free(g->path);
	g->path = g->temporary = NULL;
}
