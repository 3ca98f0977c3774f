/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three files of the HPCC ns-3 family as plain structs, numbers and node ids as written.
 * Reading is total: any bytes give a struct or a message with file:line:column. What cannot be
 * simulated (other congestion control, link errors, links that go down ...) is refused here.
 */
#ifndef IMPORT_HPCC_FILES_H
#define IMPORT_HPCC_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/load/load.h"
#include "scenarios/imports/import.h"

#define HPCC_MAX_NODES     65536 /* an address has 16 bits for the node's number */
#define HPCC_MAX_LINKS     (1 << 20)
#define HPCC_MAX_FLOWS     (1 << 24)
#define HPCC_MAP_MAX       64
#define HPCC_FILE_NAME_MAX 62

/* Keys that have an effect; the order is that of the table in import_hpcc_config.c. */
enum hpcc_key {
	HPCC_CC_MODE,
	HPCC_ENABLE_QCN,
	HPCC_PACKET_PAYLOAD_SIZE,
	HPCC_TOPOLOGY_FILE,
	HPCC_FLOW_FILE,
	HPCC_SIMULATOR_STOP_TIME,
	HPCC_ALPHA_RESUME_INTERVAL,
	HPCC_RATE_DECREASE_INTERVAL,
	HPCC_CLAMP_TARGET_RATE,
	HPCC_RP_TIMER,
	HPCC_EWMA_GAIN,
	HPCC_FAST_RECOVERY_TIMES,
	HPCC_RATE_AI,
	HPCC_RATE_HAI,
	HPCC_MIN_RATE,
	HPCC_ERROR_RATE_PER_LINK,
	HPCC_L2_ACK_INTERVAL,
	HPCC_L2_BACK_TO_ZERO,
	HPCC_HAS_WIN,
	HPCC_GLOBAL_T,
	HPCC_VAR_WIN,
	HPCC_RATE_BOUND,
	HPCC_ACK_HIGH_PRIO,
	HPCC_LINK_DOWN,
	HPCC_PAUSE_TIME,
	HPCC_KMAX_MAP,
	HPCC_KMIN_MAP,
	HPCC_PMAX_MAP,
	HPCC_BUFFER_SIZE,
	HPCC_N_KEYS
};

/* A value per link rate. */
struct hpcc_map {
	uint32_t n;
	int64_t rate_bps[HPCC_MAP_MAX];
	double value[HPCC_MAP_MAX];
};

struct hpcc_config {
	char path[512];
	uint32_t line[HPCC_N_KEYS]; /* where the key stands; 0: absent, its default holds */
	int64_t count[HPCC_N_KEYS]; /* whole numbers, rates in bits per second */
	double real[HPCC_N_KEYS];
	struct hpcc_map kmax_kb, kmin_kb, pmax;
	char topology_file[HPCC_FILE_NAME_MAX + 1], flow_file[HPCC_FILE_NAME_MAX + 1];
};

struct hpcc_link {
	uint32_t a, b;
	int64_t rate_bps, delay_ns;
};

struct hpcc_topo {
	char path[512];
	uint32_t n_nodes, n_hosts, n_links;
	bool *is_switch;        /* [n_nodes] */
	struct hpcc_link *link; /* in the order of the file */
};

struct hpcc_flows {
	char path[512];
	uint32_t n;
	struct load_flow *flow; /* src and dst as in the file, priority is pg */
};

NODISCARD int hpcc_config_read(
        struct hpcc_config *c, const char *dir, struct import_notes *notes, struct err *e);
NODISCARD int hpcc_topo_read(
        struct hpcc_topo *t, const char *dir, const char *name, struct err *e);
void hpcc_topo_free(struct hpcc_topo *t);
NODISCARD int hpcc_flows_read(struct hpcc_flows *f, const char *dir, const char *name,
        const struct hpcc_topo *t, struct err *e);
void hpcc_flows_free(struct hpcc_flows *f);

/* The value for a rate, or NULL. */
const double *hpcc_map_find(const struct hpcc_map *m, int64_t rate_bps);

#endif
