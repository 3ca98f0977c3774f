/* SPDX-License-Identifier: Apache-2.0 */
/* What keys of fabric.nic mean together. Set-up only. */
#ifndef RNIC_CHECK_H
#define RNIC_CHECK_H

#include "dataplane/base/err.h"
#include "gen/rnic/rnic_cfg.h"

/* -EINVAL naming the key. */
NODISCARD int rnic_cfg_check(const struct rnic_cfg *cfg, struct err *e);

#endif
