/* SPDX-License-Identifier: Apache-2.0 */
/* MSCCL algorithm XML; what the importer and its tests share. */
#ifndef SCENARIO_IMPORT_MSCCL_H
#define SCENARIO_IMPORT_MSCCL_H

#include "scenarios/imports/import_source.h"

struct msccl_algorithm {
	char name[64], coll[32], proto[24];
	uint32_t n_gpus;
	int64_t chunks; /* of the buffer */
	int64_t min_bytes, max_bytes;
	uint64_t sends, chunks_sent;
};

extern const struct import_source import_msccl;

/* Fills d->sched, finished, also after a failure to be freed with d. */
NODISCARD int msccl_read_text(struct import_draft *d, struct msccl_algorithm *out,
        const char *name, const char *text, size_t len, int64_t buffer_bytes, struct err *e);

#endif
