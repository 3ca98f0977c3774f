/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that the kernel fills block by block; the hot part of the AF_PACKET source. */
#include <errno.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "capture/af_packet_int.h"

#define RETIRE_MS   50 /* a block that is not full is handed over after this */
#define NS_PER_S    INT64_C(1000000000)
#define CLOCK_EVERY NS_PER_S /* a free-running NIC clock is read again */
#define FRAME_BYTES 2048     /* means nothing to TPACKET_V3 but that it divides a block */

int af_ring_open(struct af_packet *a, struct af_queue *q, struct err *e)
{
	int version = TPACKET_V3, reserve = VLAN_TAG_BYTES;
	struct tpacket_req3 ring = {.tp_block_size = a->block_bytes,
	        .tp_block_nr = a->n_blocks,
	        .tp_frame_size = FRAME_BYTES,
	        .tp_frame_nr = a->n_blocks * (a->block_bytes / FRAME_BYTES),
	        .tp_retire_blk_tov = RETIRE_MS};
	void *map;

	if (setsockopt(q->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	        setsockopt(q->fd, SOL_PACKET, PACKET_RESERVE, &reserve, sizeof(reserve)))
		return err_set(e, -errno, "%s: packet ring: %s", a->device, strerror(errno));
	if (setsockopt(q->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return err_set(e, -errno,
		        "%s: a ring of %u x %u bytes: %s; ask for a smaller --ring", a->device,
		        a->n_blocks, a->block_bytes, strerror(errno));
	map = mmap(NULL, (size_t)a->block_bytes * a->n_blocks, PROT_READ | PROT_WRITE,
	        MAP_SHARED, q->fd, 0);
	if (map == MAP_FAILED)
		return err_set(
		        e, -errno, "%s: mapping the ring: %s", a->device, strerror(errno));
	q->map = map;
	return 0;
}

void af_ring_close(struct af_packet *a, struct af_queue *q)
{
	if (q->map)
		(void)munmap(q->map, (size_t)a->block_bytes * a->n_blocks); /* it was mapped */
	q->map = NULL;
}

static inline struct tpacket_block_desc *block_of(
        const struct af_packet *a, const struct af_queue *q)
{
	return (struct tpacket_block_desc *)(q->map + (size_t)q->block * a->block_bytes);
}

static inline bool block_ready(const struct tpacket_block_desc *b)
{
	return __atomic_load_n(&b->hdr.bh1.block_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER;
}

/* The tag of 802.1Q that the kernel keeps beside the frame goes back to its place. */
static uint8_t *put_tag_back(const struct tpacket3_hdr *h, uint8_t *frame)
{
	uint16_t tpid = h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->hv1.tp_vlan_tpid : 0x8100;
	uint16_t tci = (uint16_t)h->hv1.tp_vlan_tci;

	frame -= VLAN_TAG_BYTES;
	memmove(frame, frame + VLAN_TAG_BYTES, 12);
	frame[12] = (uint8_t)(tpid >> 8);
	frame[13] = (uint8_t)tpid;
	frame[14] = (uint8_t)(tci >> 8);
	frame[15] = (uint8_t)tci;
	return frame;
}

static inline void stamp(const struct af_packet *a, const struct af_queue *q,
        const struct tpacket3_hdr *h, struct packet *p)
{
	p->t_ns = (int64_t)h->tp_sec * NS_PER_S + h->tp_nsec;
	p->interface = 0;
	if (LIKELY(!a->stamps.hardware))
		return;
	if (h->tp_status & TP_STATUS_TS_RAW_HARDWARE)
		p->t_ns = phc_to_utc(&q->fit, p->t_ns);
	else
		p->interface = 1;
}

/* False: the second copy of a packet that loopback shows twice. */
static inline bool take(const struct af_packet *a, const struct af_queue *q,
        const struct tpacket3_hdr *h, struct packet *p)
{
	const struct sockaddr_ll *from =
	        (const void *)((const uint8_t *)h + TPACKET_ALIGN(sizeof(*h)));
	uint8_t *frame = (uint8_t *)(uintptr_t)h + h->tp_mac;
	uint32_t cap = h->tp_snaplen, wire = h->tp_len;

	p->direction = from->sll_pkttype == PACKET_OUTGOING ? DIRECTION_OUT : DIRECTION_IN;
	if (UNLIKELY(a->is_loopback && p->direction == DIRECTION_OUT))
		return false;
	if (UNLIKELY(h->tp_status & TP_STATUS_VLAN_VALID) && cap >= 12) {
		frame = put_tag_back(h, frame);
		cap += VLAN_TAG_BYTES;
		wire += VLAN_TAG_BYTES;
		if (a->snap_bytes && cap > a->snap_bytes)
			cap = a->snap_bytes;
	}
	p->data = frame;
	p->cap_bytes = cap;
	p->wire_bytes = wire;
	stamp(a, q, h, p);
	return true;
}

static bool wait_for_block(
        const struct af_queue *q, const struct tpacket_block_desc *b, int timeout_ms, int *code)
{
	struct pollfd fd = {.fd = q->fd, .events = POLLIN};
	int failed = 0;
	socklen_t len = sizeof(failed);

	*code = 0;
	if (block_ready(b))
		return true;
	if (!timeout_ms || poll(&fd, 1, timeout_ms) <= 0)
		return false;
	if (fd.revents & (POLLERR | POLLHUP | POLLNVAL) &&
	        !getsockopt(q->fd, SOL_SOCKET, SO_ERROR, &failed, &len) && failed)
		*code = -failed;
	return block_ready(b);
}

static void read_clock(const struct af_packet *a, struct af_queue *q)
{
	struct phc_sample s;
	struct timespec now;

	if (LIKELY(!a->stamps.hardware) || q->fit.kind != CLOCK_HARDWARE_FREE)
		return;
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now); /* cannot fail */
	if (now.tv_sec * NS_PER_S - q->fit.phc_ns - q->fit.offset_ns < CLOCK_EVERY)
		return;
	if (!phc_read(&q->fit, &s))
		phc_fit_add(&q->fit, &s);
}

static int gone(const struct af_packet *a, int code, struct err *e)
{
	return err_set(e, code,
	        "%s: the interface went: %s; the file holds what was captured until then",
	        a->device, strerror(-code));
}

int af_poll(struct source *s, uint32_t queue, struct packet *p, uint32_t max, int timeout_ms,
        struct err *e)
{
	struct af_packet *a = (struct af_packet *)s;
	struct af_queue *q = &a->queue[queue];
	struct tpacket_block_desc *b = block_of(a, q);
	uint32_t n = 0;
	int code;

	if (!q->in_block) {
		read_clock(a, q);
		if (!wait_for_block(q, b, timeout_ms, &code))
			return code ? gone(a, code, e) : 0;
		q->in_block = true;
		q->left = b->hdr.bh1.num_pkts;
		q->next = (const void *)((const uint8_t *)b + b->hdr.bh1.offset_to_first_pkt);
	}
	while (q->left && n < max) {
		const struct tpacket3_hdr *h = q->next;

		/* The last of a block has 0. */
		q->next = (const void *)((const uint8_t *)h + h->tp_next_offset);
		__builtin_prefetch(q->next);
		__builtin_prefetch((const uint8_t *)q->next + CACHE_LINE);
		q->left--;
		if (LIKELY(take(a, q, h, &p[n])))
			n++;
		else
			(void)atomic_fetch_add_explicit(&q->skipped, 1, memory_order_relaxed);
	}
	/* A block of copies alone: the next may hold something. */
	if (UNLIKELY(!n && !q->left)) {
		af_release(s, queue);
		return af_poll(s, queue, p, max, 0, e);
	}
	return (int)n;
}

void af_release(struct source *s, uint32_t queue)
{
	struct af_packet *a = (struct af_packet *)s;
	struct af_queue *q = &a->queue[queue];

	if (!q->in_block || q->left)
		return;
	__atomic_store_n(
	        &block_of(a, q)->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	q->in_block = false;
	if (++q->block == a->n_blocks)
		q->block = 0;
}
