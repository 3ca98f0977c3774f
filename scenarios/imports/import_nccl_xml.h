/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's topology and graph XML; what the importer and its tests share. */
#ifndef SCENARIO_IMPORT_NCCL_XML_H
#define SCENARIO_IMPORT_NCCL_XML_H

#include "scenarios/imports/import_source.h"
#include "scenarios/imports/nccl_topo.h"

extern const struct import_source import_nccl_xml;

/* Two machines like the one that was read; name is for messages. */
NODISCARD int nccl_xml_import(struct import_draft *d, const struct nccl_topo *t,
        const char *name, const struct import_job *job, struct err *e);

#endif
