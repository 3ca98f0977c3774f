/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenarios/imports/import_capture.h"
#include "scenarios/imports/import_chakra.h"
#include "scenarios/imports/import_msccl.h"
#include "scenarios/imports/import_nccl_log.h"
#include "scenarios/imports/import_nccl_xml.h"

/* The first that takes the file wins, so those with a clear mark come first. */
const struct import_source *const import_sources[] = {
        &import_capture,
        &import_msccl,
        &import_nccl_xml,
        &import_goal,
        &import_nccl_log,
        &import_flows,
        &import_chakra,
        NULL,
};

static int find_named(const struct import_source **out, const char *name, struct err *e)
{
	char known[300] = "";

	for (size_t i = 0; import_sources[i]; i++) {
		size_t len = strlen(known);

		if (!strcmp(import_sources[i]->name, name)) {
			*out = import_sources[i];
			return 0;
		}
		(void)snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "",
		        import_sources[i]->name);
	}
	return err_set(e, -EINVAL, "--format %.40s: no such format; known: %s", name, known);
}

static int read_head(char *head, size_t *len, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct stat st;
	ssize_t n;

	*len = 0;
	if (fd < 0)
		return err_set(e, errno == ENOENT || errno == ENOTDIR ? -EINVAL : -errno,
		        "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = err_set(e, -EINVAL, "%s: is no regular file", path);
	while (!rc && *len < IMPORT_HEAD_BYTES) {
		n = read(fd, head + *len, IMPORT_HEAD_BYTES - *len);
		if (n < 0 && errno != EINTR)
			rc = err_set(
			        e, -errno, "%s: cannot be read: %s", path, strerror(errno));
		if (n == 0)
			break;
		*len += n > 0 ? (size_t)n : 0;
	}
	head[*len] = '\0';
	close(fd);
	return rc;
}

int import_source_find(
        const struct import_source **out, const char *name, const char *path, struct err *e)
{
	char *head, known[300] = "";
	size_t len;
	int rc;

	*out = NULL;
	if (name)
		return find_named(out, name, e);
	head = malloc(IMPORT_HEAD_BYTES + 1);
	if (!head)
		return err_set(e, -ENOMEM, "%s: no memory", path);
	rc = read_head(head, &len, path, e);
	for (size_t i = 0; !rc && !*out && import_sources[i]; i++) {
		size_t n = strlen(known);

		if (import_sources[i]->is_it(head, len))
			*out = import_sources[i];
		(void)snprintf(known + n, sizeof(known) - n, "%s%s", n ? ", " : "",
		        import_sources[i]->name);
	}
	free(head);
	if (!rc && !*out)
		rc = err_set(e, -EINVAL,
		        "%s: not a format that is known (%s); --format NAME says which it is",
		        path, known);
	return rc;
}
