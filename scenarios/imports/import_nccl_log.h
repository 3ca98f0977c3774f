/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL debug logs; what the importer and its tests share. */
#ifndef SCENARIO_IMPORT_NCCL_LOG_H
#define SCENARIO_IMPORT_NCCL_LOG_H

#include "scenarios/imports/import_source.h"
#include "scenarios/imports/nccl_log.h"

extern const struct import_source import_nccl_log;

/* From what was read; name is for messages. */
NODISCARD int nccl_log_import(struct import_draft *d, const struct nccl_log *l,
        const char *name, const struct import_job *job, struct err *e);

#endif
