/* SPDX-License-Identifier: Apache-2.0 */
/* What no single key of fabric.nic.dcqcn can be checked for. */
#ifndef CC_DCQCN_CHECK_H
#define CC_DCQCN_CHECK_H

#include "dataplane/base/err.h"
#include "gen/cc/dcqcn_cfg.h"

/* -EINVAL with a message that begins with the full path of the key at fault. */
NODISCARD int dcqcn_cfg_check(const struct dcqcn_cfg *cfg, struct err *e);

#endif
