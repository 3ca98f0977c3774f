/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator: runs a workload over a fabric in virtual time and returns its record. The
 * result is a function of (cfg without threads, seed) alone. docs/architecture.md explains the
 * event core.
 */
#ifndef SIM_H
#define SIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/desc.h"
#include "dataplane/base/err.h"
#include "dataplane/base/record.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "dataplane/fabric/topo.h"
#include "gen/load/load.h"
#include "gen/rnic/rnic_cfg.h"
#include "gen/sim/capture.h"
#include "gen/sim/fault.h"

struct world; /* world.h */

enum sim_core {
	SIM_CORE_WINDOWS, /* per-node windows: the real one */
	SIM_CORE_HEAP,    /* one plain event heap: the oracle of the tests */
};

struct sim_progress {
	int64_t t_ps;
	uint64_t packet_hops;
	uint64_t events;
	uint64_t messages_done;
};

struct sim_cfg {
	const struct topo *topo;
	const struct frame_cfg *frame;
	const struct rnic_cfg *nic;
	const struct dcqcn_cfg *dcqcn;
	const struct np_cfg *np;
	const struct load_entry *entry;
	uint32_t n_entries;
	const struct sim_fault *fault; /* by index in faults[] */
	uint32_t n_faults;
	uint64_t seed;
	int64_t stop_ps; /* TIME_NEVER: until the workload ends */
	bool stop_on_deadlock;
	int64_t series_ps; /* 0: no time line */
	/* Messages on record; a sample of at most so many where there are more. 0: all. */
	uint64_t max_messages;
	uint64_t sample_messages; /* at most so many in a sample; 0: max_messages */
	uint32_t threads;         /* 1 .. 64 */
	enum sim_core core;
	/* Called on the calling thread a few times per second of work at most; may be NULL. */
	void (*progress)(void *arg, const struct sim_progress *p);
	void *progress_arg;
	/* NULL: this process alone; else one of several, which must all be given the same. */
	struct world *world;
	const atomic_bool *stop; /* set by a signal handler: finish the window and return */
	/* Called for each frame that starts on a link, on the thread that owns the sender: it
	 * goes to port d->in_port of node `to` and arrives at d->t_ps, TIME_NEVER if a fault
	 * loses it. May be NULL. */
	void (*tap)(void *arg, uint32_t to, const struct desc *d, int64_t start_ps);
	void *tap_arg;
	const struct sim_capture *capture; /* NULL: none; one process alone */
};

/* 0 with *out (run_record_free), or a negative errno: -EINVAL for a configuration that cannot
 * be simulated (with the sum or the key at fault), -ENOMEM with the amount that was needed. */
NODISCARD int sim_run(struct run_record **out, const struct sim_cfg *cfg, struct err *e);

/* What sim_run would refuse of keys, without a run: -EINVAL with "KEY: ...". */
NODISCARD int sim_check(const struct sim_cfg *cfg, struct err *e);

#endif
