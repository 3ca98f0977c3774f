/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rank's Chakra execution trace: nodes with what each waits for. The file is a row of
 * protobuf messages behind their lengths, a GlobalMetadata first. chakra_trace_fini frees; all
 * zero is empty. One thread.
 */
#ifndef SCENARIO_CHAKRA_TRACE_H
#define SCENARIO_CHAKRA_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define CHAKRA_MAX_NODES (UINT32_C(1) << 22)
#define CHAKRA_MAX_DEPS  (UINT32_C(1) << 25)
#define CHAKRA_NO_GROUP  0
#define CHAKRA_NO_ROOT   UINT32_MAX

enum chakra_type { /* as in the schema */
	CHAKRA_MEM_LOAD = 2,
	CHAKRA_MEM_STORE = 3,
	CHAKRA_COMP = 4,
	CHAKRA_SEND = 5,
	CHAKRA_RECV = 6,
	CHAKRA_COLL = 7,
};

enum chakra_collective { /* as in the schema */
	CHAKRA_ALL_REDUCE,
	CHAKRA_REDUCE,
	CHAKRA_ALL_GATHER,
	CHAKRA_GATHER,
	CHAKRA_SCATTER,
	CHAKRA_BROADCAST,
	CHAKRA_ALL_TO_ALL,
	CHAKRA_REDUCE_SCATTER,
	CHAKRA_REDUCE_SCATTER_BLOCK,
	CHAKRA_BARRIER,
	CHAKRA_COLLECTIVES,
};

struct chakra_node {
	uint64_t id;
	int64_t bytes;
	int64_t duration_ns;
	uint64_t group;  /* hash of the process group's name; CHAKRA_NO_GROUP: none */
	uint32_t offset; /* in the file, for messages; in units of 16 bytes where it is large */
	uint32_t peer, tag;
	uint32_t root;              /* a rank; CHAKRA_NO_ROOT: the first of the group */
	uint32_t first_dep, n_deps; /* ids, in dep[] */
	uint8_t type, collective;
};

struct chakra_trace {
	const char *name;
	struct chakra_node *node; /* sorted by place in the file */
	uint32_t n, room;
	uint64_t *dep;
	uint32_t n_deps, room_deps;
};

/* name must outlive the trace. -EINVAL with "FILE: byte N: ...". */
NODISCARD int chakra_trace_parse(struct chakra_trace *out, const char *name,
        const uint8_t *data, size_t len, struct err *e);
void chakra_trace_fini(struct chakra_trace *t);

#endif
