/* SPDX-License-Identifier: Apache-2.0 */
/* Topology files: any bytes are one error or a graph that can be routed, but for own routes
 * that lead in a circle. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "dataplane/fabric/routes.h"
#include "dataplane/fabric/topo_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct switch_cfg base;
	struct topo *t = NULL;
	struct routes *r = NULL;
	struct err e = {0};

	if (topo_from_text(&t, "input", (const char *)data, size, &base, &e)) {
		CHECK(t == NULL && e.msg[0]);
		return 0;
	}
	if (routes_build(&r, t, 1, &e))
		CHECK(r == NULL && t->n_routes && strstr(e.msg, "circle"));
	routes_free(r);
	topo_free(t);
	return 0;
}
