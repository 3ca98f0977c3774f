/* SPDX-License-Identifier: Apache-2.0 */
/* The AF_PACKET source in its parts: set-up, ring, fanout. A queue belongs to one thread. */
#ifndef CAPTURE_AF_PACKET_INT_H
#define CAPTURE_AF_PACKET_INT_H

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/packet.h"
#include "capture/phc.h"
#include "capture/source.h"
#include "capture/stamps.h"

#define AF_PACKET_MAX_QUEUES 64
/* Headroom before each frame, for the tag that the kernel took out of it. */
#define VLAN_TAG_BYTES 4

struct af_queue {
	int fd;
	uint8_t *map;
	const struct tpacket3_hdr *next;
	uint32_t block, left; /* the block that is read; its packets that are not handed out */
	bool in_block;
	struct phc_fit fit; /* hardware stamps to UTC */
	uint64_t received, dropped;
	_Atomic uint64_t skipped; /* counted by the queue, read by who shows it */
} __attribute__((aligned(CACHE_LINE)));

struct af_packet {
	char device[64];
	int index;     /* of the interface, to the kernel */
	uint32_t link; /* enum frame_link */
	uint32_t snap_bytes, block_bytes, n_blocks, n_queues;
	uint32_t max_packet_bytes; /* what of a frame fits in a block */
	uint64_t speed_bps;
	bool is_loopback;
	char hardware[128], filter[256];
	struct stamps_choice stamps;
	struct af_queue queue[AF_PACKET_MAX_QUEUES];
};

/* The ring of a queue whose socket is open. */
NODISCARD int af_ring_open(struct af_packet *a, struct af_queue *q, struct err *e);
void af_ring_close(struct af_packet *a, struct af_queue *q);

int af_poll(struct source *s, uint32_t queue, struct packet *p, uint32_t max, int timeout_ms,
        struct err *e);
void af_release(struct source *s, uint32_t queue);

/* Joins the sockets of all queues so that the packets of two hosts are always of one queue. */
NODISCARD int af_fanout_join(
        struct af_packet *a, uint32_t queue, uint16_t *group, struct err *e);

/* What the interface is: index, link type, speed, driver. */
NODISCARD int af_interface_read(struct af_packet *a, int fd, struct err *e);

#endif
