/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/nccl_lines.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_BYTES 128

struct reader {
	const char *name;
	nccl_message_fn *each;
	void *arg;
	uint32_t line;
	char *buf; /* the line */
	size_t len;
	bool escape; /* in a terminal's escape sequence */
	struct err *e;
};

static bool is_host_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* "host:123:456 " backwards from `end`, which stands behind it. */
static bool take_ids(const char *begin, const char *end, struct nccl_message *m, char *host)
{
	const char *p = end, *tid, *pid, *name;

	while (p > begin && isdigit((unsigned char)p[-1]))
		p--;
	tid = p;
	if (tid == end || p == begin || *--p != ':')
		return false;
	while (p > begin && isdigit((unsigned char)p[-1]))
		p--;
	pid = p;
	if (*pid == ':' || p == begin || *--p != ':')
		return false;
	name = p;
	while (name > begin && is_host_char(name[-1]))
		name--;
	if (name == p)
		return false;
	m->pid = strtoll(pid, NULL, 10);
	m->tid = strtoll(tid, NULL, 10);
	(void)snprintf(host, HOST_BYTES, "%.*s", (int)(p - name < 100 ? p - name : 100), name);
	return true;
}

/* What stands before "NCCL INFO": the last host:pid:tid in it, else a word and a colon. */
static void take_prefix(const char *begin, const char *end, struct nccl_message *m, char *host)
{
	const char *p;

	m->pid = m->tid = m->gpu = -1;
	host[0] = '\0';
	for (p = end; p > begin; p--) {
		if (p < end && *p == '[' && m->gpu < 0 && isdigit((unsigned char)p[1]))
			m->gpu = (int32_t)strtol(p + 1, NULL, 10);
		if (isdigit((unsigned char)p[-1]) &&
		        (p == end || !isdigit((unsigned char)*p)) &&
		        take_ids(begin, p, m, host))
			return;
	}
	for (p = begin; p < end && is_host_char(*p);)
		p++;
	if (p > begin && p < end && *p == ':' && !isdigit((unsigned char)*begin))
		(void)snprintf(host, HOST_BYTES, "%.*s",
		        (int)(p - begin < 100 ? p - begin : 100), begin);
}

static char *find_mark(char *text, size_t *len)
{
	static const char *const mark[] = {"NCCL INFO ", "NCCL WARN ", "NCCL TRACE "};
	char *first = NULL;

	for (size_t i = 0; i < sizeof(mark) / sizeof(mark[0]); i++) {
		char *at = strstr(text, mark[i]);

		if (!at || (first && at > first))
			continue;
		first = at;
		*len = strlen(mark[i]);
	}
	return first;
}

/* A line of one process, or of several that ran into each other. */
static int take_line(struct reader *r)
{
	struct nccl_message m = {
	        .file = r->name, .line = r->line, .gpu = -1, .pid = -1, .tid = -1};
	char host[HOST_BYTES] = "";
	char *begin = r->buf, *at, *next;
	size_t len = 0, next_len;
	int rc = 0;

	r->buf[r->len] = '\0';
	m.host = host;
	at = find_mark(begin, &len);
	if (!at) {
		m.text = begin;
		return *begin ? r->each(r->arg, &m, r->e) : 0;
	}
	m.from_nccl = 1;
	while (at && !rc) {
		take_prefix(begin, at, &m, host);
		m.text = at + len;
		next = find_mark(at + len, &next_len);
		if (next) {
			char keep = *next;

			*next = '\0';
			rc = r->each(r->arg, &m, r->e);
			*next = keep;
			begin = at + len;
			len = next_len;
		} else {
			rc = r->each(r->arg, &m, r->e);
		}
		at = next;
	}
	return rc;
}

/* Colours go, other control characters are blanks; what is longer than a line can be is cut. */
static int take_byte(struct reader *r, char c)
{
	int rc;

	if (c == '\n') {
		r->line++;
		rc = take_line(r);
		r->len = 0;
		r->escape = false;
		return rc;
	}
	if (c == '\033') {
		r->escape = true;
		return 0;
	}
	if (r->escape) {
		r->escape = !isalpha((unsigned char)c);
		return 0;
	}
	if (c == '\r')
		return 0;
	if (r->len < NCCL_LINE_BYTES)
		r->buf[r->len++] = (unsigned char)c < ' ' ? ' ' : c;
	return 0;
}

static int begin(struct reader *r)
{
	r->buf = malloc(NCCL_LINE_BYTES + 1);
	return r->buf ? 0 : err_set(r->e, -ENOMEM, "%s: no memory", r->name);
}

static int end(struct reader *r, int rc)
{
	if (!rc && r->len)
		rc = take_byte(r, '\n');
	free(r->buf);
	return rc;
}

static int read_all(struct reader *r, int fd)
{
	char part[65536];
	ssize_t n;
	int rc = 0;

	while (!rc && (n = read(fd, part, sizeof(part))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(r->e, -errno, "%s: cannot be read: %s", r->name,
			        strerror(errno));
		for (ssize_t i = 0; i < n && !rc; i++)
			rc = take_byte(r, part[i]);
	}
	return rc;
}

int nccl_lines_read(const char *path, nccl_message_fn *each, void *arg, struct err *e)
{
	struct reader r = {.name = path, .each = each, .arg = arg, .e = e};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;

	if (fd < 0)
		return err_set(e, errno == ENOENT || errno == ENOTDIR ? -EINVAL : -errno,
		        "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = err_set(e, -EINVAL, "%s: is no regular file", path);
	else
		rc = begin(&r);
	if (!rc)
		rc = end(&r, read_all(&r, fd));
	close(fd);
	return rc;
}

int nccl_lines_text(const char *name, const char *text, size_t len, nccl_message_fn *each,
        void *arg, struct err *e)
{
	struct reader r = {.name = name, .each = each, .arg = arg, .e = e};
	int rc = begin(&r);

	for (size_t i = 0; i < len && !rc; i++)
		rc = take_byte(&r, text[i]);
	return r.buf ? end(&r, rc) : rc;
}
