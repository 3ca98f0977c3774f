/* SPDX-License-Identifier: Apache-2.0 */
/* What carries a capture: pipes, gzip, zstd, files that grow or shrink while they are read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "tests/support/capture_read.h"
#include "tests/support/file_bytes.h"

#define NS      0xa1b23c4d
#define PACKETS 5000

static const uint8_t data[300] = {1, 2, 3, 4, 5};

static void add_packet(struct file_bytes *b, uint32_t i)
{
	pcap_add_packet(b, i, i, data, i % 200, 300);
}

static void make(struct file_bytes *b, uint32_t packets)
{
	pcap_add_header(b, NS, 0, 1);
	for (uint32_t i = 0; i < packets; i++)
		add_packet(b, i);
}

static void check(const struct capture_read *c, uint32_t packets)
{
	if (c->rc)
		fail_msg("%s", c->err.msg);
	assert_int_equal(c->n, packets);
	for (uint32_t i = 0; i < packets; i++) {
		assert_int_equal(c->packet[i].t_ns, i * INT64_C(1000000001));
		assert_int_equal(c->packet[i].cap_bytes, i % 200);
		assert_memory_equal(c->packet[i].data, data, i % 200);
	}
}

static void read_bytes(struct capture_read *c, const struct file_bytes *b, uint32_t batch)
{
	char path[FILE_BYTES_PATH];

	capture_read(c, bytes_save(path, b), NULL, batch);
	(void)unlink(path);
}

static void add_gzip(struct file_bytes *out, const uint8_t *p, size_t n)
{
	size_t max = n + n / 100 + 1000;
	uint8_t *to = malloc(max);
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)p,
	        .avail_in = (uInt)n,
	        .next_out = to,
	        .avail_out = (uInt)max};

	assert_non_null(to);
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	bytes_add(out, to, z.total_out);
	assert_int_equal(deflateEnd(&z), Z_OK);
	free(to);
}

static void add_zstd(struct file_bytes *out, const uint8_t *p, size_t n)
{
	size_t max = ZSTD_compressBound(n), got;
	uint8_t *to = malloc(max);

	assert_non_null(to);
	got = ZSTD_compress(to, max, p, n, 3);
	assert_false(ZSTD_isError(got));
	bytes_add(out, to, got);
	free(to);
}

typedef void (*add_coded)(struct file_bytes *out, const uint8_t *p, size_t n);

static const struct {
	add_coded add;
	const char *format;
} codings[] = {{add_gzip, "pcap (ns)+gzip"}, {add_zstd, "pcap (ns)+zstd"}};

#define EACH_CODING(k) for (size_t k = 0; k < 2; k++)

static void compressed(void **state)
{
	struct file_bytes plain = {0};

	(void)state;
	make(&plain, PACKETS);
	EACH_CODING(k)
	{
		struct file_bytes b = {0};

		codings[k].add(&b, plain.p, plain.n);
		for (uint32_t batch = 1; batch < 10000; batch = batch * 9 + 4) {
			struct capture_read c;

			read_bytes(&c, &b, batch);
			check(&c, PACKETS);
			assert_string_equal(c.format, codings[k].format);
			assert_false(c.cut);
			capture_read_fini(&c);
		}
		bytes_fini(&b);
	}
	bytes_fini(&plain);
}

/* Members and frames in a row are one file, wherever they part it; gzip may be padded. */
static void members_and_frames_in_a_row(void **state)
{
	struct file_bytes plain = {0};

	(void)state;
	make(&plain, 500);
	EACH_CODING(k)
	{
		for (size_t part = 211; part < plain.n; part = part * 3 + 5) {
			static const uint8_t zero[600],
			        skipped[] = "\x50\x2a\x4d\x18\2\0\0\0xx";
			struct file_bytes b = {0};
			struct capture_read c;

			if (codings[k].add == add_zstd)
				bytes_add(&b, skipped, sizeof(skipped) - 1);
			for (size_t at = 0; at < plain.n; at += part)
				codings[k].add(&b, plain.p + at,
				        part < plain.n - at ? part : plain.n - at);
			if (codings[k].add == add_gzip)
				bytes_add(&b, zero, sizeof(zero));
			else
				bytes_add(&b, skipped, sizeof(skipped) - 1);
			read_bytes(&c, &b, 64);
			check(&c, 500);
			assert_false(c.cut);
			capture_read_fini(&c);
			bytes_fini(&b);
		}
	}
	bytes_fini(&plain);
}

static void compressed_and_cut(void **state)
{
	struct file_bytes plain = {0};

	(void)state;
	make(&plain, 300);
	EACH_CODING(k)
	{
		struct file_bytes b = {0};
		uint32_t most = 0;

		codings[k].add(&b, plain.p, plain.n);
		for (size_t full = b.n; b.n > full / 2; b.n--) {
			struct capture_read c;

			read_bytes(&c, &b, 10);
			if (c.rc) { /* too little for the header of the capture */
				assert_int_equal(c.rc, -EINVAL);
			} else {
				check(&c, c.n);
				assert_int_equal(c.cut, b.n < full);
			}
			most = c.n > most ? c.n : most;
			capture_read_fini(&c);
		}
		assert_int_equal(most, 300);
		bytes_fini(&b);
	}
	bytes_fini(&plain);
}

/* What comes before damage is delivered, and the place is named in both files. */
static void compressed_and_damaged(void **state)
{
	struct file_bytes plain = {0};

	(void)state;
	make(&plain, 300);
	EACH_CODING(k)
	{
		struct file_bytes b = {0};
		struct capture_read c;

		codings[k].add(&b, plain.p, plain.n);
		bytes_add(&b, "trailing rubbish", 16);
		read_bytes(&c, &b, 7);
		assert_int_equal(c.rc, -EINVAL);
		assert_non_null(strstr(c.err.msg, "(compressed): damaged"));
		c.rc = 0;
		check(&c, 300);
		capture_read_fini(&c);
		bytes_fini(&b);
	}
	memset(plain.p + plain.n - 300, 0xff, 300);
	EACH_CODING(k)
	{
		struct file_bytes b = {0};
		struct capture_read c;

		codings[k].add(&b, plain.p, plain.n);
		read_bytes(&c, &b, 7);
		assert_int_equal(c.rc, -EINVAL);
		assert_non_null(strstr(c.err.msg, "(expanded): packet"));
		capture_read_fini(&c);
		bytes_fini(&b);
	}
	bytes_fini(&plain);
}

static int64_t rss_bytes(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_SELF, &u), 0);
	return u.ru_maxrss * INT64_C(1024);
}

/* A kilobyte that expands to 64 MiB of a block that nobody wants. */
static void a_bomb_needs_no_memory(void **state)
{
	const uint32_t block = UINT32_C(64) << 20;
	struct file_bytes plain = {0};
	int64_t before;

	(void)state;
	pcapng_add_section(&plain);
	bytes_add32(&plain, 0xbad);
	bytes_add32(&plain, block);
	before = rss_bytes();
	EACH_CODING(k)
	{
		uint8_t *zero = calloc(1, 1 << 20);
		struct file_bytes mega = {0}, b = {0};
		struct capture_read c;

		assert_non_null(zero);
		codings[k].add(&mega, zero, 1 << 20);
		codings[k].add(&b, plain.p, plain.n);
		for (uint32_t at = 0; at < block >> 20; at++)
			bytes_add(&b, mega.p, mega.n);
		read_bytes(&c, &b, 10);
		assert_int_equal(c.rc, 0);
		assert_int_equal(c.n, 0);
		assert_true(c.cut); /* 8 bytes are left: no block */
		capture_read_fini(&c);
		bytes_fini(&mega);
		bytes_fini(&b);
		free(zero);
	}
	assert_true(rss_bytes() - before < (24 << 20));
	bytes_fini(&plain);
}

/* Writes slowly: a part, a rest, a part ... */
struct writer {
	const struct file_bytes *b;
	int fd;
	size_t part;
	bool close_fd;
};

static void *write_parts(void *arg)
{
	const struct writer *w = arg;
	const struct timespec wait = {.tv_nsec = 1000000};

	for (size_t at = 0; at < w->b->n; at += w->part) {
		size_t n = w->part < w->b->n - at ? w->part : w->b->n - at;

		if (write(w->fd, w->b->p + at, n) != (ssize_t)n)
			abort();
		(void)nanosleep(&wait, NULL);
	}
	if (w->close_fd && close(w->fd))
		abort();
	return NULL;
}

static void through_pipes(void **state)
{
	struct file_bytes plain = {0};

	(void)state;
	make(&plain, 1000);
	for (int k = -1; k < 2; k++) {
		for (uint32_t batch = 1; batch < 10000; batch *= 100) {
			struct file_bytes b = {0};
			struct capture_read c;
			struct writer w;
			pthread_t thread;
			char path[40];
			int ends[2];

			if (k < 0)
				bytes_add(&b, plain.p, plain.n);
			else
				codings[k].add(&b, plain.p, plain.n);
			assert_int_equal(pipe(ends), 0);
			w = (struct writer){&b, ends[1], b.n / 9 + 1, true};
			assert_int_equal(pthread_create(&thread, NULL, write_parts, &w), 0);
			(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
			capture_read(&c, path, NULL, batch);
			assert_int_equal(pthread_join(thread, NULL), 0);
			check(&c, 1000);
			assert_false(c.cut);
			capture_read_fini(&c);
			assert_int_equal(close(ends[0]), 0);
			bytes_fini(&b);
		}
	}
	bytes_fini(&plain);
}

/* "-" is standard input: a pipe, or a file from where it stands. */
static void standard_input(void **state)
{
	char path[FILE_BYTES_PATH];
	struct file_bytes b = {0};
	struct capture_read c;
	int saved = dup(STDIN_FILENO), fd;

	(void)state;
	bytes_add(&b, "before", 6);
	make(&b, 100);
	fd = open(bytes_save(path, &b), O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 6, SEEK_SET), 6);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	capture_read(&c, "-", NULL, 64);
	check(&c, 100);
	capture_read_fini(&c);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	assert_int_equal(close(fd) | close(saved) | unlink(path), 0);
	bytes_fini(&b);
}

/* A packet is there as soon as it is whole: nothing waits for the batch to be full. */
static void a_pipe_gives_what_is_there(void **state)
{
	struct file_bytes b = {0};
	struct packet_batch batch;
	struct reader *r;
	char path[40];
	int ends[2];
	size_t at;

	(void)state;
	make(&b, 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.p, b.n), (ssize_t)b.n);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(reader_open(&r, path, NULL, NULL), 0);
	assert_int_equal(packet_batch_init(&batch, 1000, NULL), 0);
	for (uint32_t i = 0; i < 10; i++) {
		at = b.n;
		add_packet(&b, i);
		assert_int_equal(write(ends[1], b.p + at, b.n - at), (ssize_t)(b.n - at));
		assert_int_equal(reader_fill(r, &batch, NULL), 1);
		assert_int_equal(batch.first_number, i + 1);
	}
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(reader_fill(r, &batch, NULL), 0);
	assert_false(reader_cut(r));
	packet_batch_fini(&batch);
	reader_close(r);
	assert_int_equal(close(ends[0]), 0);
	bytes_fini(&b);
}

static void a_growing_file(void **state)
{
	struct file_bytes plain = {0}, b = {0};
	char path[FILE_BYTES_PATH];
	atomic_bool stop = false;
	struct reader_options o = {.follow = true, .stop = &stop};
	struct packet_batch batch;
	struct reader *r;
	struct writer w;
	pthread_t thread;
	uint32_t n = 0;

	(void)state;
	make(&plain, 200);
	(void)bytes_save(path, &b); /* still empty */
	w = (struct writer){&plain, open(path, O_WRONLY), plain.n / 5, true};
	assert_int_equal(pthread_create(&thread, NULL, write_parts, &w), 0);
	assert_int_equal(reader_open(&r, path, &o, NULL), 0);
	assert_int_equal(packet_batch_init(&batch, 64, NULL), 0);
	while (n < 200) {
		int got = reader_fill(r, &batch, NULL);

		assert_true(got > 0);
		for (int i = 0; i < got; i++, n++)
			assert_int_equal(batch.packet[i].t_ns, n * INT64_C(1000000001));
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	atomic_store(&stop, true);
	assert_int_equal(reader_fill(r, &batch, NULL), 0);
	assert_false(reader_cut(r));
	packet_batch_fini(&batch);
	reader_close(r);
	(void)unlink(path);
	bytes_fini(&plain);
}

/* A file that somebody cuts while it is read or followed: no signal, and it is said. */
static void a_shrinking_file(void **state)
{
	(void)state;
	for (int follow = 0; follow < 2; follow++) {
		struct reader_options o = {.follow = follow};
		struct file_bytes b = {0};
		char path[FILE_BYTES_PATH];
		struct packet_batch batch;
		struct err e = {0};
		struct reader *r;
		int rc;

		make(&b, 100000);
		assert_int_equal(reader_open(&r, bytes_save(path, &b), &o, NULL), 0);
		assert_int_equal(packet_batch_init(&batch, 100, NULL), 0);
		assert_int_equal(reader_fill(r, &batch, NULL) > 0, 1);
		assert_int_equal(truncate(path, 1000), 0);
		do {
			rc = reader_fill(r, &batch, &e);
		} while (rc > 0);
		if (follow) {
			assert_int_equal(rc, -EIO);
			assert_non_null(strstr(e.msg, "was cut to 1000 bytes"));
		} else {
			assert_int_equal(rc, 0);
		}
		packet_batch_fini(&batch);
		reader_close(r);
		(void)unlink(path);
		bytes_fini(&b);
	}
}

/* A reader that waits on a silent pipe stops when it is told to. */
static void *stop_soon(void *arg)
{
	const struct timespec wait = {.tv_nsec = 20000000};
	atomic_bool *stop = arg;

	(void)nanosleep(&wait, NULL);
	atomic_store(stop, true);
	return NULL;
}

static void stops_waiting(void **state)
{
	struct file_bytes b = {0};
	atomic_bool stop = false;
	struct reader_options o = {.stop = &stop};
	struct packet_batch batch;
	struct reader *r;
	struct err e = {0};
	pthread_t thread;
	char path[40];
	int ends[2];

	(void)state;
	make(&b, 1);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], b.p, b.n), (ssize_t)b.n);
	assert_int_equal(write(ends[1], b.p, 10), 10); /* and a part of another */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(reader_open(&r, path, &o, NULL), 0);
	assert_int_equal(packet_batch_init(&batch, 4, NULL), 0);
	assert_int_equal(reader_fill(r, &batch, NULL), 1);
	assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
	assert_int_equal(reader_fill(r, &batch, NULL), 0);
	assert_false(reader_cut(r)); /* nobody knows */
	assert_int_equal(pthread_join(thread, NULL), 0);
	reader_close(r);
	assert_int_equal(reader_open(&r, path, &o, &e), -EINTR);
	assert_non_null(strstr(e.msg, "stopped"));
	packet_batch_fini(&batch);
	assert_int_equal(close(ends[0]) | close(ends[1]), 0);
	bytes_fini(&b);
}

static void says_how_far_it_is(void **state)
{
	struct file_bytes b = {0};
	char path[FILE_BYTES_PATH];
	struct packet_batch batch;
	struct reader *r;
	uint64_t at, size;

	(void)state;
	make(&b, 1000);
	assert_int_equal(reader_open(&r, bytes_save(path, &b), NULL, NULL), 0);
	assert_int_equal(packet_batch_init(&batch, 10, NULL), 0);
	reader_position(r, &at, &size);
	assert_int_equal(at, 24);
	assert_int_equal(size, b.n);
	assert_int_equal(reader_fill(r, &batch, NULL), 10);
	reader_position(r, &at, &size);
	assert_int_equal(at, 24 + 10 * 16 + 45);
	while (reader_fill(r, &batch, NULL) > 0)
		;
	reader_position(r, &at, &size);
	assert_int_equal(at, b.n);
	packet_batch_fini(&batch);
	reader_close(r);
	(void)unlink(path);
	bytes_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_bomb_needs_no_memory), /* first: it looks at the peak */
	        cmocka_unit_test(compressed),
	        cmocka_unit_test(members_and_frames_in_a_row),
	        cmocka_unit_test(compressed_and_cut),
	        cmocka_unit_test(compressed_and_damaged),
	        cmocka_unit_test(through_pipes),
	        cmocka_unit_test(standard_input),
	        cmocka_unit_test(a_pipe_gives_what_is_there),
	        cmocka_unit_test(a_growing_file),
	        cmocka_unit_test(a_shrinking_file),
	        cmocka_unit_test(stops_waiting),
	        cmocka_unit_test(says_how_far_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
