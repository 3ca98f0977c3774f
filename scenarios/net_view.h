/* SPDX-License-Identifier: Apache-2.0 */
/* A topology as struct net_view, which analysis reads. */
#ifndef SCENARIOS_NET_VIEW_H
#define SCENARIOS_NET_VIEW_H

#include "analysis/net_view.h"
#include "dataplane/base/err.h"
#include "dataplane/fabric/topo.h"

/* Borrows the names; net_view_fini frees the rest. */
NODISCARD int net_view_init(struct net_view *v, const struct topo *t, struct err *e);
void net_view_fini(struct net_view *v);

#endif
