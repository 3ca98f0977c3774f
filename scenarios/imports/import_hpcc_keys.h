/* SPDX-License-Identifier: Apache-2.0 */
/* From the three files to keys and links of a scenario; shared by the files of this import. */
#ifndef IMPORT_HPCC_KEYS_H
#define IMPORT_HPCC_KEYS_H

#include "scenarios/imports/import_hpcc_files.h"

struct hpcc_files {
	struct hpcc_config config;
	struct hpcc_topo topo;
	struct hpcc_flows flows;
	uint32_t *index; /* [n_nodes]: our number of a node of the file */
};

/* Sets a key from a config key: messages about it point there. */
NODISCARD int hpcc_set(struct scenario *s, const struct hpcc_config *c, enum hpcc_key from,
        struct err *e, const char *key, const char *fmt, ...) PRINTF_LIKE(6, 7);

/* All keys that config.txt decides, with the priorities in use. */
NODISCARD int hpcc_set_keys(struct scenario *s, const struct hpcc_files *f,
        struct import_notes *notes, struct err *e);

/* fabric.switch: thresholds, alpha and headroom of each rate and cable, buffer of each switch.
 */
NODISCARD int hpcc_set_ports(
        struct scenario *s, const struct hpcc_files *f, uint32_t n_priorities, struct err *e);

/* fabric.nic.window. After hpcc_set_ports, which has seen that every link's rate is in the
 * maps. */
NODISCARD int hpcc_set_window(struct scenario *s, const struct hpcc_files *f, struct err *e);

/* Nodes and links; the arrays go to the scenario. */
NODISCARD int hpcc_add_topology(struct scenario *s, const struct hpcc_files *f, struct err *e);
NODISCARD int hpcc_node_list(
        struct topo_node **node, const struct hpcc_files *f, struct err *e);
NODISCARD int hpcc_link_list(
        struct topo_link **link, const struct hpcc_files *f, struct err *e);

#endif
