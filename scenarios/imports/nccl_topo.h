/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NCCL's XML: the topology of one machine (NCCL_TOPO_DUMP_FILE) and the graphs that NCCL
 * searched in it (NCCL_GRAPH_DUMP_FILE). nccl_topo_fini frees; all zero is empty. One thread.
 */
#ifndef SCENARIO_NCCL_TOPO_H
#define SCENARIO_NCCL_TOPO_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "scenarios/imports/xml_read.h"

#define NCCL_TOPO_MAX_PLACES    65536
#define NCCL_TOPO_MAX_DEVICES   256
#define NCCL_GRAPH_MAX_CHANNELS 64
#define NCCL_PATTERN_RING       4

struct nccl_place {      /* an element of the tree: cpu, PCI bridge or device */
	uint32_t parent; /* UINT32_MAX: the machine */
	uint32_t depth;
};

struct nccl_device {
	char name[32]; /* bus id; the name of a network without one */
	uint32_t place;
	int32_t dev;      /* as NCCL numbers it; -1: not said */
	int64_t rate_bps; /* NICs; 0: not said */
	bool on_pci;
};

struct nccl_channel {
	uint16_t gpu[NCCL_TOPO_MAX_DEVICES]; /* dev, in order */
	uint32_t n_gpus;
	int32_t net_in, net_out; /* -1: none */
};

struct nccl_topo {
	struct nccl_place *place;
	uint32_t n_places, room_places;
	struct nccl_device gpu[NCCL_TOPO_MAX_DEVICES], nic[NCCL_TOPO_MAX_DEVICES];
	uint32_t n_gpus, n_nics;
	struct nccl_channel *ring; /* [NCCL_GRAPH_MAX_CHANNELS]: of the ring graph */
	uint32_t n_rings, n_other; /* other: channels of trees and the like */
	bool has_system, has_graphs;
	/* while reading */
	uint32_t at, pattern;
	bool in_system; /* else in graphs */
};

NODISCARD int nccl_topo_init(struct nccl_topo *t, struct err *e);
void nccl_topo_fini(struct nccl_topo *t);
NODISCARD int nccl_topo_read(struct nccl_topo *t, const char *path, struct err *e);
NODISCARD int nccl_topo_read_text(
        struct nccl_topo *t, const char *name, const char *text, size_t len, struct err *e);

/* NICs on the PCI tree whose common ancestor with the GPU lies deepest, as a bit per NIC in
 * out[]; how many. */
uint32_t nccl_topo_nearest(
        const struct nccl_topo *t, uint32_t gpu, bool out[NCCL_TOPO_MAX_DEVICES]);

#endif
