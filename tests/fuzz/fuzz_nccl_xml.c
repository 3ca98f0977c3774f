/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's XML: any bytes are one error or a topology, which is one error or a schedule. */
#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/check.h"
#include "scenarios/imports/import_nccl_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct import_job job = {.stem = "x"};
	struct import_draft d = {0};
	struct nccl_topo t;
	struct err e = {0};
	int rc = nccl_topo_init(&t, &e);

	CHECK(!rc);
	rc = nccl_topo_read_text(&t, "input", (const char *)data, size, &e);
	if (!rc)
		rc = nccl_xml_import(&d, &t, "input", &job, &e);
	CHECK(!rc || e.msg[0]);
	nccl_topo_fini(&t);
	import_draft_fini(&d);
	return 0;
}
