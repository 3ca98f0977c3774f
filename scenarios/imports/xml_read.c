/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/imports/xml_read.h"

#include <errno.h>
#include <expat.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_BYTES 65536

struct xml_file {
	const char *name;
	XML_Parser parser;
	xml_start_fn *start;
	xml_end_fn *end;
	void *arg;
	uint32_t depth;
	int rc; /* of a handler */
	struct err *e;
};

static void stop(struct xml_file *x, int rc)
{
	x->rc = rc;
	if (rc)
		(void)XML_StopParser(x->parser, XML_FALSE); /* it can only be stopped already */
}

static void on_start(void *arg, const char *name, const char **attr)
{
	struct xml_file *x = arg;

	if (x->rc)
		return;
	if (x->depth == XML_MAX_DEPTH)
		stop(x, xml_err(x, x->e, "more than %d levels of elements", XML_MAX_DEPTH));
	else
		stop(x, x->start(x->arg, x, name, attr, x->e));
	x->depth++;
}

static void on_end(void *arg, const char *name)
{
	struct xml_file *x = arg;

	if (x->rc)
		return;
	x->depth--;
	if (x->end)
		stop(x, x->end(x->arg, x, name, x->e));
}

/* A few lines of nested entities would be gigabytes; none of these formats has any. */
static void on_entity(void *arg, const char *name, int is_parameter, const char *value,
        int value_length, const char *base, const char *system_id, const char *public_id,
        const char *notation)
{
	struct xml_file *x = arg;

	(void)is_parameter;
	(void)value;
	(void)value_length;
	(void)base;
	(void)system_id;
	(void)public_id;
	(void)notation;
	if (!x->rc)
		stop(x, xml_err(x, x->e, "declares the entity %.40s: such files are not read",
		                name));
}

static int open_parser(struct xml_file *x)
{
	x->parser = XML_ParserCreate(NULL);
	if (!x->parser)
		return err_set(x->e, -ENOMEM, "%s: no memory to read XML", x->name);
	XML_SetUserData(x->parser, x);
	XML_SetElementHandler(x->parser, on_start, on_end);
	XML_SetEntityDeclHandler(x->parser, on_entity);
	return 0;
}

static int feed(struct xml_file *x, const char *text, size_t len, bool is_last)
{
	if (XML_Parse(x->parser, text, (int)len, is_last) == XML_STATUS_OK)
		return x->rc;
	if (x->rc)
		return x->rc;
	if (XML_GetErrorCode(x->parser) == XML_ERROR_NO_MEMORY)
		return err_set(x->e, -ENOMEM, "%s: no memory to read XML", x->name);
	return xml_err(x, x->e, "is no XML: %s", XML_ErrorString(XML_GetErrorCode(x->parser)));
}

static int feed_file(struct xml_file *x, int fd)
{
	char part[PART_BYTES];
	int64_t total = 0;
	ssize_t n;
	int rc;

	do {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(x->e, -errno, "%s: cannot be read: %s", x->name,
			        strerror(errno));
		total += n;
		if (total > XML_MAX_BYTES)
			return err_set(x->e, -EINVAL, "%s: more than 1 GiB of XML", x->name);
		rc = feed(x, part, (size_t)n, n == 0);
	} while (!rc && n);
	return rc;
}

int xml_read(const char *path, xml_start_fn *start, xml_end_fn *end, void *arg, struct err *e)
{
	struct xml_file x = {.name = path, .start = start, .end = end, .arg = arg, .e = e};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;

	if (fd < 0)
		return err_set(e, errno == ENOENT || errno == ENOTDIR ? -EINVAL : -errno,
		        "%s: cannot be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		rc = err_set(e, -EINVAL, "%s: is no regular file", path);
	else
		rc = open_parser(&x);
	if (!rc)
		rc = feed_file(&x, fd);
	if (x.parser)
		XML_ParserFree(x.parser);
	close(fd);
	return rc;
}

int xml_read_text(const char *name, const char *text, size_t len, xml_start_fn *start,
        xml_end_fn *end, void *arg, struct err *e)
{
	struct xml_file x = {.name = name, .start = start, .end = end, .arg = arg, .e = e};
	int rc = len > XML_MAX_BYTES ? err_set(e, -EINVAL, "%s: more than 1 GiB of XML", name)
	                             : open_parser(&x);

	if (!rc)
		rc = feed(&x, text, len, true);
	if (x.parser)
		XML_ParserFree(x.parser);
	return rc;
}

uint32_t xml_depth(const struct xml_file *x)
{
	return x->depth;
}

uint32_t xml_line(const struct xml_file *x)
{
	return (uint32_t)XML_GetCurrentLineNumber(x->parser);
}

int xml_err(struct xml_file *x, struct err *e, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut message is still a message */
	va_end(ap);
	return err_set(e, -EINVAL, "%s:%lu:%lu: %s", x->name,
	        (unsigned long)XML_GetCurrentLineNumber(x->parser),
	        (unsigned long)XML_GetCurrentColumnNumber(x->parser) + 1, text);
}

const char *xml_attr(const char **attr, const char *name)
{
	for (; attr[0]; attr += 2)
		if (!strcmp(attr[0], name))
			return attr[1];
	return NULL;
}

int xml_count(struct xml_file *x, const char **attr, const char *name, int64_t min, int64_t max,
        const int64_t *absent, int64_t *out, struct err *e)
{
	const char *text = xml_attr(attr, name);
	char *end = NULL;
	long long v;

	if (!text && absent) {
		*out = *absent;
		return 0;
	}
	if (!text)
		return xml_err(x, e, "the attribute %s is missing", name);
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		return xml_err(x, e, "%s=\"%.40s\": expected a whole number from %lld to %lld",
		        name, text, (long long)min, (long long)max);
	*out = v;
	return 0;
}
