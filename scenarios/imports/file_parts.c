/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/file_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_BYTES 65536

static int read_all(const char *path, int fd,
        int (*take)(void *arg, const char *part, size_t n), void *arg, struct err *e)
{
	char part[PART_BYTES];
	ssize_t n;
	int rc;

	do {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR) {
			rc = 0;
			continue;
		}
		if (n < 0)
			return err_set(
			        e, -errno, "%s: cannot be read: %s", path, strerror(errno));
		rc = take(arg, part, (size_t)n);
	} while (!rc && n);
	return rc;
}

int file_parts_read(const char *path, int (*take)(void *arg, const char *part, size_t n),
        void *arg, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;

	if (fd < 0)
		return err_set(e, errno == ENOENT || errno == ENOTDIR ? -EINVAL : -errno,
		        "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = err_set(e, -EINVAL, "%s: is no regular file", path);
	else
		rc = read_all(path, fd, take, arg, e);
	close(fd);
	return rc;
}
