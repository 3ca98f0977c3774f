/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A live source of packets: one ops table per kind (af_packet, pcap, dpdk; mlx5 is to come).
 * Set-up calls are cold and may block; poll never blocks longer than asked and allocates
 * nothing. A source with several queues has one poll caller per queue.
 */
#ifndef CAPTURE_SOURCE_H
#define CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/packet.h"
#include "dataplane/base/compiler.h"
#include "dataplane/base/err.h"

enum capture_stamps {
	STAMPS_ANY,      /* hardware where there is, else software, and the file says which */
	STAMPS_HARDWARE, /* or fail */
	STAMPS_SOFTWARE,
};

struct source_config {
	const char *device;  /* "eth0"; dpdk: "net_ring0" or a PCI address */
	const char *filter;  /* words of filter.h, NULL: everything */
	uint32_t snap_bytes; /* 0: whole frames */
	uint32_t n_blocks;   /* the ring: blocks of block_bytes, per queue */
	uint32_t block_bytes;
	uint32_t n_queues; /* fanout; 1 unless the source can do more */
	enum capture_stamps stamps;
	bool promiscuous;
	const char *eal;                   /* dpdk: further EAL arguments */
	const struct bpf_program *program; /* dpdk: filter, compiled for Ethernet, or NULL */
};

struct source_stats {                  /* since open, per queue */
	uint64_t received;             /* that the filter accepted, and that were not lost */
	uint64_t dropped;              /* accepted, and lost before they could be polled */
	uint64_t dropped_by_interface; /* CAPTURE_NO_COUNT: the source does not know */
	uint64_t skipped;              /* received, and not given to poll: copies of loopback */
};

struct bpf_program;
struct source;

struct source_ops {
	const char *name; /* "af_packet" */
	/* Packets that are not polled wait in the source, which counts those it then loses. */
	bool counts_losses;
	NODISCARD int (*open)(struct source **s, const struct source_config *c, struct err *e);
	/*
	 * What it turned out to be: name, link, speed, clock. Packets of one queue can be of
	 * two interfaces: those that the NIC stamped, and those that only the kernel did. False
	 * where there is no interface of that index.
	 */
	bool (*describe)(
	        const struct source *s, uint32_t interface, struct capture_interface *out);
	/*
	 * Up to max packets of a queue; waits at most timeout_ms for the first. Their bytes are
	 * valid until release of that queue. Negative errno when the source is gone.
	 */
	int (*poll)(struct source *s, uint32_t queue, struct packet *p, uint32_t max,
	        int timeout_ms, struct err *e);
	void (*release)(struct source *s, uint32_t queue);
	/* Takes in no more packets; what was accepted before is still polled, until poll
	 * returns 0. Any thread. */
	void (*halt)(struct source *s);
	void (*stats)(struct source *s, uint32_t queue, struct source_stats *out);
	void (*close)(struct source *s);
};

extern const struct source_ops source_af_packet, source_pcap;

/* The source of DPDK ports, from its module: -ENOENT where that was not built. */
NODISCARD int source_dpdk_load(
        const struct source_ops **out, const char *version, struct err *e);

#endif
