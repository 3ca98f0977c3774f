/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of a kernel interface through AF_PACKET rings (TPACKET_V3), one per queue.
 *
 * Source: Linux Documentation/networking/packet_mmap.rst
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/af_packet_int.h"
#include "capture/filter.h"
#include "dataplane/wire/frame.h"

#define DEFAULT_BLOCK_BYTES (1u << 20)
#define DEFAULT_BLOCKS      32

static struct af_packet *self_of(struct source *s)
{
	return (struct af_packet *)s;
}

static int attach(int fd, struct bpf_program *program)
{
	struct sock_fprog_copy {
		unsigned short len;
		void *filter;
	} f = {(unsigned short)program->bf_len, program->bf_insns};

	/* struct sock_fprog, whose header clashes with libpcap's */
	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &f, sizeof(f)) ? -errno : 0;
}

/* Nothing is accepted: while the queues are set up, and at the end. */
static int attach_nothing(int fd)
{
	struct bpf_insn none = {.code = BPF_RET | BPF_K};
	struct bpf_program program = {1, &none};

	return attach(fd, &program);
}

static int cannot(const struct af_packet *a, const char *what, int code, struct err *e)
{
	return err_set(e, code, "%s: %s: %s%s", a->device, what, strerror(-code),
	        code == -EPERM || code == -EACCES
	                ? "; capturing needs CAP_NET_RAW: run as root, or give the program "
	                  "that capability (setcap cap_net_raw+ep)"
	        : code == -ENOMEM ? "; ask for a smaller --ring"
	                          : "");
}

static int open_socket(struct af_packet *a, struct af_queue *q, struct err *e)
{
	q->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (q->fd < 0)
		return cannot(a, "packet socket", -errno, e);
	return 0;
}

static int bind_queue(struct af_packet *a, struct af_queue *q, struct err *e)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET,
	        .sll_protocol = htons(ETH_P_ALL),
	        .sll_ifindex = a->index};

	if (bind(q->fd, (const struct sockaddr *)&to, sizeof(to)))
		return errno == ENETDOWN
		               ? err_set(e, -ENETDOWN, "%s: is down: ip link set %s up",
		                         a->device, a->device)
		               : cannot(a, "bind", -errno, e);
	return 0;
}

static int promiscuous(const struct af_packet *a, const struct af_queue *q, struct err *e)
{
	/* Ends with the socket. */
	struct packet_mreq m = {.mr_ifindex = a->index, .mr_type = PACKET_MR_PROMISC};

	if (setsockopt(q->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &m, sizeof(m)))
		return cannot(a, "promiscuous mode", -errno, e);
	return 0;
}

/* The clock can be read, or hardware stamps are not to be had after all. */
static int open_clock(struct af_packet *a, enum capture_stamps asked, struct err *e)
{
	struct err why = {0};
	uint32_t i;
	int r = 0;

	for (i = 0; a->stamps.hardware && i < a->n_queues; i++) {
		r = phc_open(&a->queue[i].fit, a->stamps.phc_index, &why);
		if (!r)
			continue;
		if (asked == STAMPS_HARDWARE)
			return err_set(e, r,
			        "%s: no hardware timestamps: %s; take the kernel's with "
			        "--timestamps software",
			        a->device, why.msg);
		a->stamps = (struct stamps_choice){.phc_index = -1};
	}
	return 0;
}

static int open_stamps(struct af_packet *a, enum capture_stamps asked, struct err *e)
{
	struct stamps_abilities can;
	int r;

	stamps_read(&can, a->queue[0].fd, a->device);
	r = stamps_choose(&a->stamps, &can, asked, a->device, e);
	if (!r)
		r = open_clock(a, asked, e);
	for (uint32_t i = 0; !r && i < a->n_queues; i++) {
		bool hardware = a->stamps.hardware;

		r = stamps_enable(&a->stamps, a->queue[i].fd, a->device, asked, e);
		if (hardware && !a->stamps.hardware && i)
			return err_set(e, -EIO, "%s: hardware timestamps went away", a->device);
	}
	return r;
}

/* Every queue stands before the first packet is let in, so that fanout duplicates none. */
static int open_queues(struct af_packet *a, const struct source_config *c, struct err *e)
{
	struct bpf_program program;
	uint16_t group = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < a->n_queues; i++)
		r = open_socket(a, &a->queue[i], e);
	if (!r)
		r = af_interface_read(a, a->queue[0].fd, e);
	if (!r)
		r = filter_compile(&program, c->filter, a->link, a->snap_bytes, c->device, e);
	if (r)
		return r;
	r = open_stamps(a, c->stamps, e);
	for (uint32_t i = 0; !r && i < a->n_queues; i++) {
		r = attach_nothing(a->queue[i].fd);
		r = r ? cannot(a, "filter", r, e) : af_ring_open(a, &a->queue[i], e);
		if (!r)
			r = bind_queue(a, &a->queue[i], e);
		if (!r && a->n_queues > 1)
			r = af_fanout_join(a, i, &group, e);
	}
	if (!r && c->promiscuous)
		r = promiscuous(a, &a->queue[0], e);
	for (uint32_t i = 0; !r && i < a->n_queues; i++) {
		r = attach(a->queue[i].fd, &program);
		if (r)
			r = cannot(a, "filter", r, e);
	}
	pcap_freecode(&program);
	return r;
}

static void af_close(struct source *s)
{
	struct af_packet *a = self_of(s);

	for (uint32_t i = 0; a && i < a->n_queues; i++) {
		af_ring_close(a, &a->queue[i]);
		phc_close(&a->queue[i].fit);
		if (a->queue[i].fd >= 0)
			(void)close(a->queue[i].fd); /* nothing was written */
	}
	free(a);
}

static int check(const struct source_config *c, struct err *e)
{
	if (strlen(c->device) >= IFNAMSIZ || !*c->device)
		return err_set(e, -EINVAL, "%s: no name of an interface (ip link lists them)",
		        c->device);
	if (c->n_queues > AF_PACKET_MAX_QUEUES)
		return err_set(e, -EINVAL, "%u queues: expected at most %d", c->n_queues,
		        AF_PACKET_MAX_QUEUES);
	return 0;
}

static int af_open(struct source **out, const struct source_config *c, struct err *e)
{
	struct af_packet *a;
	int r = check(c, e);

	*out = NULL;
	if (r)
		return r;
	a = aligned_alloc(CACHE_LINE, (sizeof(*a) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
	if (!a)
		return err_set(e, -ENOMEM, "%s: out of memory", c->device);
	memset(a, 0, sizeof(*a));
	(void)snprintf(a->device, sizeof(a->device), "%s", c->device);
	(void)snprintf(a->filter, sizeof(a->filter), "%s", c->filter ? c->filter : "");
	a->snap_bytes = c->snap_bytes;
	a->block_bytes = c->block_bytes ? c->block_bytes : DEFAULT_BLOCK_BYTES;
	a->n_blocks = c->n_blocks ? c->n_blocks : DEFAULT_BLOCKS;
	a->n_queues = c->n_queues ? c->n_queues : 1;
	for (uint32_t i = 0; i < a->n_queues; i++)
		a->queue[i].fd = a->queue[i].fit.fd = -1;
	r = open_queues(a, c, e);
	if (r) {
		af_close((struct source *)a);
		return r;
	}
	*out = (struct source *)a;
	return 0;
}

static bool af_describe(
        const struct source *s, uint32_t interface, struct capture_interface *out)
{
	const struct af_packet *a = (const struct af_packet *)s;

	if (interface > (a->stamps.hardware ? 1u : 0u))
		return false;
	*out = (struct capture_interface){.link = a->link,
	        .snap_bytes = a->snap_bytes,
	        .speed_bps = a->speed_bps,
	        .resolution_ps = 1000,
	        .clock = {.name = "system",
	                .kind = CLOCK_SOFTWARE,
	                .timescale = TIMESCALE_UTC,
	                .residual_ns = -1}};
	(void)snprintf(out->name, sizeof(out->name), "%s", a->device);
	(void)snprintf(out->hardware, sizeof(out->hardware), "%s", a->hardware);
	(void)snprintf(out->filter, sizeof(out->filter), "%s", a->filter);
	if (a->stamps.hardware && interface == 0)
		phc_clock(&a->queue[0].fit, a->device, a->stamps.phc_index, &out->clock);
	if (interface == 1)
		(void)snprintf(out->description, sizeof(out->description),
		        "packets that the NIC did not stamp");
	return true;
}

static void af_halt(struct source *s)
{
	struct af_packet *a = self_of(s);

	for (uint32_t i = 0; i < a->n_queues; i++)
		(void)attach_nothing(a->queue[i].fd); /* worked when the queue was opened */
}

/* The kernel forgets its counts when they are read. */
static void af_stats(struct source *s, uint32_t queue, struct source_stats *out)
{
	struct af_queue *q = &self_of(s)->queue[queue];
	struct tpacket_stats_v3 now = {0};
	socklen_t len = sizeof(now);

	if (!getsockopt(q->fd, SOL_PACKET, PACKET_STATISTICS, &now, &len)) {
		q->received += now.tp_packets - now.tp_drops;
		q->dropped += now.tp_drops;
	}
	*out = (struct source_stats){.received = q->received,
	        .dropped = q->dropped,
	        .dropped_by_interface = CAPTURE_NO_COUNT,
	        .skipped = atomic_load_explicit(&q->skipped, memory_order_relaxed)};
}

const struct source_ops source_af_packet = {
        .name = "af_packet",
        .counts_losses = true,
        .open = af_open,
        .describe = af_describe,
        .poll = af_poll,
        .release = af_release,
        .halt = af_halt,
        .stats = af_stats,
        .close = af_close,
};
