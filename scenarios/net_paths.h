/* SPDX-License-Identifier: Apache-2.0 */
/* How far hosts are from one host, and by how many ways, by the routes in effect. One thread.
 */
#ifndef SCENARIOS_NET_PATHS_H
#define SCENARIOS_NET_PATHS_H

#include "analysis/net_view.h"
#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

/* way[n_hosts], malloc'd: from host `from` to each other; way[from] has no paths. */
NODISCARD int net_paths_from(
        struct net_way **way, const struct topo *t, uint32_t from, struct err *e);

#endif
