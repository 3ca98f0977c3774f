/* SPDX-License-Identifier: Apache-2.0 */
/* What the link and the switch behind it decide for a NIC's receive side. Set-up only. */
#ifndef SIM_HOST_PORT_H
#define SIM_HOST_PORT_H

#include <stdint.h>

#include "dataplane/base/err.h"
#include "dataplane/fabric/fabric_cfg.h"
#include "dataplane/fabric/topo.h"
#include "gen/rnic/rnic_cfg.h"
#include "gen/rnic/rnic_receive.h"

/* -EINVAL naming the key if the receive buffer is too small for what it must hold. */
NODISCARD int host_port_init(struct rnic_port *p, const struct topo *t, uint32_t host,
        const struct frame_cfg *frame, const struct rnic_cfg *nic, struct err *e);

#endif
