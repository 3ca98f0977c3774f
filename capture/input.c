/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/input_int.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/base/check.h"

#define FOLLOW_WAIT_MS 50
#define MAGIC_BYTES    4
#define SKIP_BYTES     16384

bool input_stopped(const struct input *in)
{
	return in->stop && atomic_load_explicit(in->stop, memory_order_relaxed);
}

uint64_t input_size(const struct input *in)
{
	struct stat st;

	return in->regular && !fstat(in->fd, &st) && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* 1: look again; 0: the end. */
static int wait_for_growth(struct input *in, struct err *e)
{
	const struct timespec wait = {.tv_nsec = FOLLOW_WAIT_MS * 1000000L};
	uint64_t size = input_size(in);

	if (size < in->raw_seen)
		return err_set(e, -EIO,
		        "%s: byte %" PRIu64 ": the file was cut to %" PRIu64
		        " bytes while it was followed; start again on the new file",
		        in->name, in->raw_seen, size);
	(void)nanosleep(&wait, NULL); /* an interrupted wait looks earlier */
	return 1;
}

/* 1: there are bytes or the end; 0: stopped. A pipe may stay silent for long. */
static int wait_for_bytes(const struct input *in)
{
	struct pollfd p = {.fd = in->fd, .events = POLLIN};

	while (in->stop) {
		int n;

		if (input_stopped(in))
			return 0;
		n = poll(&p, 1, 2 * FOLLOW_WAIT_MS);

		/* A signal may be what sets *stop; any other error shows when reading. */
		if (n > 0 || (n < 0 && errno != EINTR))
			return 1;
	}
	return 1;
}

ssize_t input_raw(struct input *in, uint8_t *buf, size_t n, struct err *e)
{
	for (;;) {
		ssize_t got;

		if (input_stopped(in) || (!in->regular && !wait_for_bytes(in)))
			return 0;
		got = in->regular ? pread(in->fd, buf, n, (off_t)in->raw_at)
		                  : read(in->fd, buf, n);
		if (got > 0) {
			in->raw_at += (uint64_t)got;
			if (in->raw_at > in->raw_seen)
				in->raw_seen = in->raw_at;
			return got;
		}
		if (got < 0 && errno != EINTR)
			return err_set(e, errno == EISDIR ? -EINVAL : -errno,
			        "%s: byte %" PRIu64 ": %s", in->name, in->raw_at,
			        strerror(errno));
		if (got == 0 && !(in->follow && in->regular))
			return 0;
		if (got == 0 && (got = wait_for_growth(in, e)) < 0)
			return got;
	}
}

static bool looks_compressed(struct input *in, const uint8_t *p, size_t n)
{
	if (n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8)
		in->coding = INPUT_GZIP;
	else if (n >= 4 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd && p[0] == 0x28)
		in->coding = INPUT_ZSTD;
	else if (n >= 4 && (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d &&
	         p[3] == 0x18) /* a frame to be skipped, as pzstd puts it first */
		in->coding = INPUT_ZSTD;
	return in->coding != INPUT_PLAIN;
}

static int look_inside(struct input *in, struct err *e)
{
	uint8_t magic[MAGIC_BYTES];
	size_t n = 0;

	while (n < sizeof(magic)) {
		ssize_t got = input_raw(in, magic + n, sizeof(magic) - n, e);

		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	if (!looks_compressed(in, magic, n))
		return n ? input_unread(in, magic, n, e) : 0;
	if (expand_open(in, e))
		return -ENOMEM;
	memcpy(in->raw, magic, n);
	in->raw_n = n;
	return 0;
}

/* A FIFO that nobody writes yet is waited for when it is read, where *stop ends the waiting. */
static int open_path(const char *path, bool can_stop)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | (can_stop ? O_NONBLOCK : 0)), flags;

	if (fd < 0 || !can_stop)
		return fd;
	flags = fcntl(fd, F_GETFL);
	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK); /* of an own fd: cannot fail */
	return fd;
}

int input_open(
        struct input *in, const char *path, bool follow, const atomic_bool *stop, struct err *e)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat st;
	int rc;

	*in = (struct input){.name = standard ? "standard input" : path,
	        .fd = STDIN_FILENO,
	        .close_fd = !standard,
	        .follow = follow,
	        .stop = stop};
	if (!standard)
		in->fd = open_path(path, stop != NULL);
	if (in->fd < 0)
		return err_set(e, -errno, "%s: %s", in->name, strerror(errno));
	if (fstat(in->fd, &st)) {
		rc = err_set(e, -errno, "%s: %s", in->name, strerror(errno));
		goto out_close;
	}
	in->regular = S_ISREG(st.st_mode);
	if (in->regular) {
		off_t at = lseek(in->fd, 0, SEEK_CUR);

		in->raw_at = in->raw_seen = at > 0 ? (uint64_t)at : 0;
		(void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint */
	}
	rc = look_inside(in, e);
	if (!rc)
		return 0;
out_close:
	input_close(in);
	return rc;
}

void input_close(struct input *in)
{
	expand_close(in);
	free(in->carry);
	in->carry = NULL;
	if (in->close_fd && in->fd >= 0)
		(void)close(in->fd); /* was only read from */
	in->fd = -1;
}

ssize_t input_read(struct input *in, uint8_t *buf, size_t n, struct err *e)
{
	if (in->carry_at < in->carry_n) {
		if (n > in->carry_n - in->carry_at)
			n = in->carry_n - in->carry_at;
		memcpy(buf, in->carry + in->carry_at, n);
		in->carry_at += n;
		return (ssize_t)n;
	}
	return in->coding == INPUT_PLAIN ? input_raw(in, buf, n, e)
	                                 : expand_read(in, buf, n, e);
}

int input_unread(struct input *in, const uint8_t *bytes, size_t n, struct err *e)
{
	if (!n)
		return 0;
	if (in->regular && in->coding == INPUT_PLAIN) {
		in->raw_at -= n;
		return 0;
	}
	if (in->carry_at < in->carry_n) { /* they came from here, and still stand here */
		CHECK(n <= in->carry_at);
		in->carry_at -= n;
		return 0;
	}
	if (n > in->carry_max) {
		uint8_t *grown = realloc(in->carry, n);

		if (!grown)
			return err_set(e, -ENOMEM, "%s: out of memory", in->name);
		in->carry = grown;
		in->carry_max = n;
	}
	memcpy(in->carry, bytes, n);
	in->carry_at = 0;
	in->carry_n = n;
	return 0;
}

int input_skip(struct input *in, uint64_t n, struct err *e)
{
	uint8_t unwanted[SKIP_BYTES];

	if (in->regular && in->coding == INPUT_PLAIN && !in->follow) {
		uint64_t size = input_size(in);
		bool short_of = size < in->raw_at || n > size - in->raw_at;

		in->raw_at = short_of ? size : in->raw_at + n;
		return short_of;
	}
	while (n) {
		ssize_t got = input_read(
		        in, unwanted, n < sizeof(unwanted) ? (size_t)n : sizeof(unwanted), e);

		if (got <= 0)
			return got ? (int)got : 1;
		n -= (uint64_t)got;
	}
	return 0;
}
