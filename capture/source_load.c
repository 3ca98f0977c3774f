/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "capture/dpdk/dpdk_module.h"
#include "capture/source.h"
#include "dataplane/base/module.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

int source_dpdk_load(const struct source_ops **out, const char *version, struct err *e)
{
	const struct dpdk_capture_module *m =
	        module_symbol(DPDK_MODULE_FILE, TEXT(DPDK_MODULE_SYMBOL), false,
	                "build squall where DPDK is installed (libdpdk-dev), or take --source "
	                "af_packet",
	                e);

	if (!m)
		return -ENOENT;
	if (strcmp(m->version, version) != 0)
		return err_set(e, -EINVAL,
		        DPDK_MODULE_FILE " is of version %s, the program of %s: install both "
		                         "from one build",
		        m->version, version);
	*out = m->ops;
	return 0;
}
