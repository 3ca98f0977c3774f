/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario after parsing, presets, --set and validation: canonical units, constant from then
 * on. It comes from a YAML file (scenario_load) or is built in memory by an importer (second
 * half of this header). scenario_free frees everything that hangs on it. One thread.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdint.h>
#include <stdio.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "dataplane/fabric/topo.h"
#include "gen/load/load.h"
#include "gen/rnic/rnic_cfg.h"
#include "gen/sim/fault.h"
#include "scenarios/scenario_faults.h"

#define MEASURE_SERIES_OFF 0

struct measure_cfg {
	int64_t series_ps;
	int64_t max_messages;    /* 0: all */
	int64_t sample_messages; /* 0: max_messages */
	double percentile[16];
	uint32_t n_percentile;
	int64_t snap_bytes; /* of a frame, that a capture keeps; 0: all */
	int64_t first_psn;  /* in captures, of every QP; -1: a random one each */
};

/* measure.capture */
struct capture_cfg {
	char **place; /* as written; all of it is the document's */
	uint32_t n_places;
	uint8_t *port; /* [topo.n_ports]: which are captured; NULL: none */
	uint32_t n_ports;
};

struct run_cfg {          /* top-level keys; rows in scenario_knobs.c */
	int64_t format;   /* "squall: 1" */
	const char *name; /* as written; empty: the file's */
	int64_t seed;
	int64_t stop_after_ps; /* TIME_NEVER: when the workload ends */
	int64_t stop_on_deadlock;
};

struct scenario_doc; /* the keys as written, with their positions; scenario_int.h */

#define SCENARIO_NOTES_MAX 8

struct scenario {
	char *path; /* for messages; a directory for imports */
	char *name;
	struct run_cfg run;
	struct topo_cfg topo_cfg;
	struct frame_cfg frame;
	struct switch_cfg sw; /* base values */
	struct rnic_cfg nic;
	struct dcqcn_cfg dcqcn;
	struct np_cfg np;
	struct measure_cfg measure;
	struct capture_cfg capture;
	struct topo *topo;        /* built, overrides applied to its profiles and links */
	struct load_entry *entry; /* prepared */
	uint32_t n_entries;
	struct sim_fault *fault; /* faults[], and as written */
	struct scenario_fault *fault_as_written;
	uint32_t n_faults;
	char **expect; /* texts "KEY OP VALUE", syntax and key already checked */
	uint32_t n_expect;
	struct scenario_notes {
		uint32_t n;
		char text[SCENARIO_NOTES_MAX][240];
	} notes; /* what is odd but not wrong, "FILE:LINE:COLUMN: ...", for a person to see */
	struct scenario_doc *doc;
};

struct scenario_set { /* one --set key=value */
	const char *key, *value;
};

/* Reads, overrides, validates, builds. -EINVAL: the message carries file:line:column, what was
 * expected and the nearest valid key. seed: --seed, or NULL. */
NODISCARD int scenario_load(struct scenario **out, const char *path,
        const struct scenario_set *set, uint32_t n_set, const uint64_t *seed, struct err *e);
void scenario_free(struct scenario *s); /* NULL is fine */

/* Writes every key with its value in effect, so that reading it back gives the same run and the
 * same text. Files that the scenario needs (flow lists, a topology file) are written beside it;
 * each file is complete or absent. */
NODISCARD int scenario_write_resolved(
        const struct scenario *s, const char *path, struct err *e);

/* The same as files of a set: that name, and those that it needs, in the folder dir. */
struct out_set;
NODISCARD int scenario_add_resolved(struct out_set *set, const struct scenario *s,
        const char *dir, const char *name, struct err *e);

/* Its section "fabric", and the topology file that it names where it has one. */
NODISCARD int scenario_emit_fabric(
        FILE *f, const struct scenario *s, const char *topology_file, struct err *e);
NODISCARD int scenario_emit_topology(FILE *f, const struct scenario *s, struct err *e);

/* The same in memory, one behind the other; the caller frees *text. */
NODISCARD int scenario_resolved_text(
        char **text, size_t *len, const struct scenario *s, struct err *e);

/*
 * Building one in memory, for importers:
 *
 *	scenario_new_defaults(&s, "cases/incast8", e);
 *	scenario_apply_preset(s, "hpcc", e);
 *	scenario_set_key(s, "fabric.nic.dcqcn.rpg_ai_rate", "50Mbps", "config.txt:12", e);
 *	scenario_set_key(s, "fabric.overrides",
 *		"[{match: {rate: 100Gbps}, ecn: {kmin: 400KB}}]", "config.txt:30", e);
 *	scenario_take_links(s, node, n_nodes, n_hosts, link, n_links);
 *	scenario_add_flows(s, flow, n_flows, e);
 *	scenario_finish(s, set, n_set, seed, e);
 *
 * What was set by key wins over presets in any order, a later preset over an earlier one, a
 *later set over an earlier one, --set over everything.
 */
NODISCARD int scenario_new_defaults(struct scenario **out, const char *path, struct err *e);
NODISCARD int scenario_apply_preset(struct scenario *s, const char *name, struct err *e);

/* key: a full path, or one without the leading "fabric."; yaml: the value as it would stand in
 * a scenario file, a list or mapping in brackets included ("[3, 4]", "{kmin: 400KB}"). where
 * (or NULL) is what messages about this key begin with. All three are copied. */
NODISCARD int scenario_set_key(struct scenario *s, const char *key, const char *yaml,
        const char *where, struct err *e);

/* The fabric from a list, instead of fabric.topology; arguments as in topo_from_links. Takes
 * over both malloc'd arrays. */
void scenario_take_links(struct scenario *s, struct topo_node *node, uint32_t n_nodes,
        uint32_t n_hosts, struct topo_link *link, uint32_t n_links);

/* Adds a workload entry (pattern: flows) with these flows. Takes over the malloc'd array, also
 * when it fails. */
NODISCARD int scenario_add_flows(
        struct scenario *s, struct load_flow *flow, int64_t n_flows, struct err *e);

/* Everything that scenario_load does after reading the file: --set, validation, building. */
NODISCARD int scenario_finish(struct scenario *s, const struct scenario_set *set,
        uint32_t n_set, const uint64_t *seed, struct err *e);

#endif
