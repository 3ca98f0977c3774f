/* SPDX-License-Identifier: Apache-2.0 */
/* Live captures over a veth pair: every packet is in the file or counted, in order, whole. */
#include "capture/live.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/reader.h"
#include "dataplane/wire/build.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/opcode.h"
#include "tests/support/veth.h"

#define N_SENT    6000
#define MAX_BYTES 1200

static atomic_bool counting;
static atomic_uint allocations;

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t each);
void *__wrap_calloc(size_t n, size_t each);
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	allocations += counting;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t each)
{
	allocations += counting;
	return __real_calloc(n, each);
}

void *__wrap_realloc(void *p, size_t n)
{
	allocations += counting;
	return __real_realloc(p, n);
}

/* A capture in a thread of its own, into a file of memory. */
struct taken {
	struct live_config c;
	struct live_result result;
	struct err e;
	int rc;
	atomic_bool stop, begun, failed;
	pthread_t thread;
};

static void begun(void *arg, const struct capture_interface *i, uint32_t n_queues)
{
	struct taken *t = arg;

	(void)i;
	(void)n_queues;
	counting = true;
	t->begun = true;
}

static void *run(void *arg)
{
	struct taken *t = arg;

	t->rc = live_capture(&t->c, &t->result, &t->e);
	t->failed = t->rc != 0;
	return NULL;
}

static void begin(struct taken *t, const struct source_ops *ops, const char *filter)
{
	memset(t, 0, sizeof(*t));
	t->c = (struct live_config){.ops = ops,
	        .source = {.device = VETH_TARGET,
	                .filter = filter,
	                .n_blocks = 16,
	                .block_bytes = 1 << 20},
	        .fd = memfd_create("capture", MFD_CLOEXEC),
	        .application = "squall test",
	        .stop = &t->stop,
	        .begun = begun,
	        .arg = t};
	allocations = 0;
}

static void go(struct taken *t)
{
	assert_int_equal(pthread_create(&t->thread, NULL, run, t), 0);
	while (!t->begun && !t->failed)
		(void)usleep(1000);
	if (t->failed)
		fail_msg("%s", t->e.msg);
}

static void end(struct taken *t)
{
	counting = false;
	t->stop = true;
	assert_int_equal(pthread_join(t->thread, NULL), 0);
	if (t->rc)
		fail_msg("%s", t->e.msg);
}

static void frame_number(struct frame_spec *s, uint32_t psn)
{
	memset(s, 0, sizeof(*s));
	*s = (struct frame_spec){.ip_version = psn % 3 ? 4 : 6,
	        .n_vlan = (uint8_t)(psn % 4 == 1   ? 1
	                            : psn % 4 == 2 ? 2
	                                           : 0),
	        .vlan = {{0x8100, 0x6064}, {0x8100, 0x0065}},
	        .ecn = psn % 10 ? 2 : 3,
	        .ttl = 64,
	        .sport = 0xc000,
	        .opcode = psn % 7 ? BTH_RC | BTH_WRITE_ONLY : BTH_CNP,
	        .dqp = 0x11 + psn % 2,
	        .psn = psn,
	        .payload_bytes = psn % 7 ? psn % 1024 : 0};
	s->src.mac[0] = 2;
	memset(s->dst.mac, 0xff, 6);
	memcpy(s->src.ip, (uint8_t[]){198, 18, 0, 1}, 4);
	memcpy(s->dst.ip, (uint8_t[]){198, 18, (uint8_t)(psn >> 4 & 15), (uint8_t)(psn & 15)},
	        4);
	s->dst.ip[15] = (uint8_t)(psn & 15);
}

static struct veth_frame frames[N_SENT];

static int build_frames(void **state)
{
	uint8_t *all = malloc((size_t)N_SENT * MAX_BYTES);
	struct frame_spec s;

	(void)state;
	for (uint32_t i = 0; i < N_SENT; i++) {
		frame_number(&s, i);
		frames[i].bytes = all + (size_t)i * MAX_BYTES;
		frames[i].n = frame_build(all + (size_t)i * MAX_BYTES, MAX_BYTES, &s, true);
		assert_true(frames[i].n > 0);
	}
	return 0;
}

static int free_frames(void **state)
{
	(void)state;
	free((void *)(uintptr_t)frames[0].bytes);
	return 0;
}

static void send_all(void)
{
	int fd = veth_sender_open(VETH_SENDER);

	assert_true(fd >= 0);
	assert_int_equal(veth_send(fd, frames, N_SENT), N_SENT);
	(void)close(fd);
}

struct seen {
	uint64_t packets, by_interface[LIVE_MAX_QUEUES];
	uint64_t cut, vlan, v6, out;
	uint64_t dropped, delivered;
	struct capture_interface first;
};

/* Reads the file back: each frame as it was sent, each interface in order of its stamps. */
static void read_back(const struct taken *t, struct seen *seen, uint32_t snap)
{
	int64_t before_ns[LIVE_MAX_QUEUES] = {0};
	uint32_t psn_before[LIVE_MAX_QUEUES] = {0};
	struct packet_batch b;
	struct reader *r;
	struct err e = {0};
	char path[64];

	memset(seen, 0, sizeof(*seen));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", t->c.fd);
	if (reader_open(&r, path, NULL, &e) || packet_batch_init(&b, 512, &e))
		fail_msg("%s", e.msg);
	for (;;) {
		int n = reader_fill(r, &b, &e);

		if (n < 0)
			fail_msg("%s", e.msg);
		if (!n)
			break;
		for (int i = 0; i < n; i++) {
			const struct packet *p = &b.packet[i];
			struct frame f;

			frame_parse(
			        &f, FRAME_LINK_ETHERNET, p->data, p->cap_bytes, p->wire_bytes);
			assert_true(frame_is_roce(&f));
			assert_true(f.psn < N_SENT);
			assert_int_equal(p->wire_bytes, frames[f.psn].n);
			assert_int_equal(p->cap_bytes,
			        snap && snap < frames[f.psn].n ? snap : frames[f.psn].n);
			assert_memory_equal(p->data, frames[f.psn].bytes, p->cap_bytes);
			assert_true(p->t_ns >= before_ns[p->interface]);
			assert_true(
			        !before_ns[p->interface] || f.psn > psn_before[p->interface]);
			before_ns[p->interface] = p->t_ns;
			psn_before[p->interface] = f.psn;
			seen->packets++;
			seen->by_interface[p->interface]++;
			seen->cut += p->cap_bytes < p->wire_bytes;
			seen->vlan += f.n_vlan > 0;
			seen->v6 += f.ip_version == 6;
			seen->out += p->direction == DIRECTION_OUT;
		}
	}
	assert_int_equal(reader_n_interfaces(r), t->result.n_queues);
	for (uint32_t i = 0; i < t->result.n_queues; i++) {
		const struct capture_interface *c = reader_interface(r, i);

		assert_string_equal(c->name, t->c.source.device);
		assert_int_equal(c->clock.kind, CLOCK_SOFTWARE);
		assert_string_equal(c->clock.name, "system");
		assert_int_equal(c->delivered, seen->by_interface[i]);
		assert_int_equal(c->delivered, t->result.queue[i].packets);
		seen->dropped += c->dropped_by_os;
		seen->delivered += c->delivered;
	}
	seen->first = *reader_interface(r, 0);
	packet_batch_fini(&b);
	reader_close(r);
	(void)close(t->c.fd);
}

static uint64_t total_lost(const struct live_result *r)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < r->n_queues; i++) {
		const struct live_queue_counts *q = &r->queue[i];

		lost += live_lost(q);
		/* What the source gave is somewhere. */
		assert_int_equal(
		        q->received, q->packets + q->lost_buffers + q->lost_write + q->beyond);
		assert_int_equal(q->stamps_back, 0);
	}
	return lost;
}

static void every_packet_once(const struct source_ops *ops, uint32_t queues, uint32_t snap)
{
	struct taken t;
	struct seen seen;

	begin(&t, ops, NULL);
	t.c.source.n_queues = queues;
	t.c.source.snap_bytes = snap;
	go(&t);
	send_all();
	end(&t);
	read_back(&t, &seen, snap);
	assert_int_equal(seen.packets + total_lost(&t.result), N_SENT);
	assert_int_equal(seen.packets, N_SENT); /* the ring holds all of them */
	assert_int_equal(seen.dropped, 0);
	assert_true(seen.vlan > N_SENT / 3 && seen.v6 > N_SENT / 4);
	assert_int_equal(seen.out, 0);
	assert_true(snap ? seen.cut > N_SENT / 2 : !seen.cut);
	assert_int_equal(allocations, 0);
	if (queues > 1)
		assert_true(seen.by_interface[0] > 100 && seen.by_interface[1] > 100);
}

static void af_packet_takes_all(void **state)
{
	(void)state;
	every_packet_once(&source_af_packet, 1, 0);
}

static void af_packet_cuts(void **state)
{
	(void)state;
	every_packet_once(&source_af_packet, 1, 96);
}

static void af_packet_shares_out(void **state)
{
	(void)state;
	every_packet_once(&source_af_packet, 3, 96);
}

static void libpcap_takes_all(void **state)
{
	(void)state;
	every_packet_once(&source_pcap, 1, 96);
}

static void filtered(void **state)
{
	/* The last by the tag that the kernel has taken out, which libpcap's program looks up.
	 */
	static const char *const filter[] = {
	        "cnp or ce", "qp 0x12 and not ip6", "vlan 100 and qp 0x12"};
	struct taken t;
	struct seen seen;

	(void)state;
	for (int k = 0; k < 3; k++) {
		uint64_t want = 0;

		for (uint32_t i = 0; i < N_SENT; i++)
			want += k == 0   ? i % 7 == 0 || i % 10 == 0
			        : k == 1 ? i % 2 && i % 3
			                 : i % 4 == 1;
		begin(&t, &source_af_packet, filter[k]);
		go(&t);
		send_all();
		end(&t);
		read_back(&t, &seen, 0);
		assert_int_equal(seen.packets, want);
		assert_string_equal(seen.first.filter, filter[k]);
	}
}

/* The sending side: packets go out, and the tags are in them. */
static void outgoing(void **state)
{
	struct taken t;
	struct seen seen;

	(void)state;
	begin(&t, &source_af_packet, NULL);
	t.c.source.device = VETH_SENDER;
	go(&t);
	send_all();
	end(&t);
	read_back(&t, &seen, 0);
	assert_int_equal(seen.packets, N_SENT);
	assert_int_equal(seen.out, N_SENT);
}

static void counted_to_the_packet(void **state)
{
	struct taken t;
	struct seen seen;

	(void)state;
	begin(&t, &source_af_packet, NULL);
	t.c.max_packets = 777;
	go(&t);
	send_all();
	end(&t);
	read_back(&t, &seen, 0);
	assert_int_equal(t.result.end, LIVE_COUNT);
	assert_int_equal(seen.packets, 777);
	(void)total_lost(&t.result);
}

/* Two small blocks that nobody empties while all is sent: the kernel loses, and counts. */
static void losses_are_counted(void **state)
{
	struct taken t;
	struct source *s;
	struct source_stats stats;
	struct err e = {0};
	struct packet p[64];
	uint64_t polled = 0;
	int n;

	(void)state;
	begin(&t, &source_af_packet, NULL);
	t.c.source.n_blocks = 2;
	t.c.source.block_bytes = 1 << 18;
	assert_int_equal(source_af_packet.open(&s, &t.c.source, &e), 0);
	send_all();
	source_af_packet.halt(s);
	while ((n = source_af_packet.poll(s, 0, p, 64, 150, &e)) > 0) {
		polled += (uint64_t)n;
		source_af_packet.release(s, 0);
	}
	source_af_packet.stats(s, 0, &stats);
	assert_true(stats.dropped > 0);
	assert_int_equal(stats.received, polled);
	assert_int_equal(stats.received + stats.dropped, N_SENT);
	source_af_packet.close(s);
	(void)close(t.c.fd);
}

/* A disk of so many bytes, in a mount namespace of the test's own; false where not permitted.
 */
static bool small_disk(char *path, size_t n)
{
	(void)snprintf(path, n, "/tmp/squall-disk-XXXXXX");
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return false;
	return mkdtemp(path) && !mount("none", path, "tmpfs", 0, "size=256k");
}

/* Whole records, statistics, and the rest counted. */
static void full_disk(void **state)
{
	struct taken t;
	struct seen seen;
	char folder[64], path[80];

	(void)state;
	if (!small_disk(folder, sizeof(folder))) {
		print_message("no file system can be mounted here\n");
		skip();
	}
	begin(&t, &source_af_packet, NULL);
	(void)close(t.c.fd);
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	t.c.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(t.c.fd >= 0);
	go(&t);
	send_all();
	end(&t);
	assert_int_equal(t.result.end, LIVE_WRITE_FAILED);
	assert_int_equal(t.result.why.code, -ENOSPC);
	assert_true(t.result.queue[0].lost_write > 0);
	assert_true(t.result.queue[0].packets > 100);
	read_back(&t, &seen, 0);
	assert_int_equal(seen.packets, t.result.queue[0].packets);
	assert_int_equal(seen.dropped, total_lost(&t.result));
	assert_int_equal(umount(folder), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void hardware_stamps_fail_with_advice(void **state)
{
	struct source_config c = {.device = VETH_TARGET, .stamps = STAMPS_HARDWARE};
	struct err e = {0};
	struct source *s;

	(void)state;
	assert_int_equal(source_af_packet.open(&s, &c, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "--timestamps software"));
	assert_int_equal(source_pcap.open(&s, &c, &e), -EOPNOTSUPP);
	c.device = "nosuch0";
	c.stamps = STAMPS_ANY;
	assert_int_equal(source_af_packet.open(&s, &c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "no such interface"));
	assert_int_equal(source_pcap.open(&s, &c, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(af_packet_takes_all),
	        cmocka_unit_test(af_packet_cuts),
	        cmocka_unit_test(af_packet_shares_out),
	        cmocka_unit_test(libpcap_takes_all),
	        cmocka_unit_test(filtered),
	        cmocka_unit_test(outgoing),
	        cmocka_unit_test(counted_to_the_packet),
	        cmocka_unit_test(losses_are_counted),
	        cmocka_unit_test(full_disk),
	        cmocka_unit_test(hardware_stamps_fail_with_advice),
	};

	if (!veth_open())
		return 77;
	return cmocka_run_group_tests(tests, build_frames, free_frames);
}
