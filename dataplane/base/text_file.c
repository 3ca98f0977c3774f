/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(int fd, size_t *size, const char *path, size_t max_bytes, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(e, -errno, "%s: cannot be examined: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, -EINVAL, "%s: is %s, expected a regular file", path,
		        S_ISDIR(st.st_mode) ? "a directory" : "a pipe or device");
	if (st.st_size < 0 || (size_t)st.st_size > max_bytes)
		return err_set(e, -EINVAL,
		        "%s: is larger than %zu bytes, the most that is read", path, max_bytes);
	*size = (size_t)st.st_size;
	return 0;
}

int text_file_read(char **text, size_t *len, const char *path, size_t max_bytes, struct err *e)
{
	/* O_NONBLOCK: opening a pipe without a writer must not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t size = 0, have = 0;
	char *buf = NULL;
	int rc;

	if (fd < 0)
		return err_set(e, -errno, "%s: cannot be opened: %s", path, strerror(errno));
	rc = check_kind(fd, &size, path, max_bytes, e);
	if (rc)
		goto out_close;
	buf = malloc(size + 1);
	if (!buf) {
		rc = err_set(e, -ENOMEM, "%s: no memory for %zu bytes", path, size);
		goto out_close;
	}
	while (have < size) {
		ssize_t n = read(fd, buf + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = err_set(
			        e, -errno, "%s: cannot be read: %s", path, strerror(errno));
			goto out_close;
		}
		if (n == 0)
			break;
		have += (size_t)n;
	}
	buf[have] = '\0';
	*text = buf;
	*len = have;
	buf = NULL;
out_close:
	free(buf);
	close(fd);
	return rc;
}
