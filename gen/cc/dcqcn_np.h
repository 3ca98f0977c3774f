/* SPDX-License-Identifier: Apache-2.0 */
/* DCQCN notification point: when a CE mark becomes a CNP. Pure; the caller keeps one time for
 * each key of np.scope (QP, source address, port). */
#ifndef CC_DCQCN_NP_H
#define CC_DCQCN_NP_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/compiler.h"
#include "gen/cc/dcqcn_cfg.h"

/* So long ago that the first mark always makes a CNP. */
#define DCQCN_NP_NEVER (INT64_MIN / 2)

/* A CE-marked data packet arrived: true if a CNP is due now, which is then counted as sent. */
static ALWAYS_INLINE bool dcqcn_np_ce(
        int64_t *last_cnp_ps, const struct np_cfg *cfg, int64_t now_ps)
{
	if (now_ps - *last_cnp_ps < cfg->min_time_between_cnps_ps)
		return false;
	*last_cnp_ps = now_ps;
	return true;
}

#endif
