/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario file after parsing, --set and validation: canonical units, constant from then on.
 * scenario_free frees everything that hangs on it.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "dataplane/fabric/topo.h"
#include "gen/load/load.h"
#include "gen/rnic/rnic_cfg.h"

#define MEASURE_SERIES_OFF 0

struct measure_cfg {
	int64_t series_ps;
	double percentile[16];
	uint32_t n_percentile;
};

struct run_cfg {           /* top-level keys */
	int64_t seed;
	int64_t stop_after_ps; /* TIME_NEVER: when the workload ends */
};

struct scenario {
	char *path;            /* for messages; "-" or a directory for imports */
	char *name;
	struct run_cfg run;
	struct topo_cfg topo_cfg;
	struct frame_cfg frame;
	struct switch_cfg sw;  /* base values */
	struct rnic_cfg nic;
	struct dcqcn_cfg dcqcn;
	struct np_cfg np;
	struct measure_cfg measure;
	struct topo *topo;     /* built, overrides applied to its profiles and links */
	struct load_entry *entry; /* prepared */
	uint32_t n_entries;
	char **expect;         /* texts, syntax already checked */
	uint32_t n_expect;
	void *yaml;            /* the document, for the resolved file */
};

struct scenario_set {      /* one --set key=value */
	const char *key, *value;
};

/* Reads, overrides, validates, builds. -EINVAL: the message carries file:line:column, what was
 * expected and the nearest valid key. base_seed: --seed, or NULL. */
NODISCARD int scenario_load(struct scenario **out, const char *path, const struct scenario_set *set,
	uint32_t n_set, const uint64_t *seed, struct err *e);
void scenario_free(struct scenario *s);

/* Writes every key with its value in effect, so that reading it back gives the same run. */
NODISCARD int scenario_write_resolved(const struct scenario *s, const char *path, struct err *e);

#endif
