/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/rnic/rnic_check.h"

#include <errno.h>

int rnic_cfg_check(const struct rnic_cfg *cfg, struct err *e)
{
	/* packets ahead of a gap would have to find their receives before their turn (IRN,
	 * SIGCOMM 2018, section 4.1) */
	if (cfg->receive_queue != NIC_RECEIVE_NO_LIMIT &&
	        cfg->retransmit == NIC_SELECTIVE_REPEAT)
		return err_set(e, -EINVAL,
		        "fabric.nic.receive_queue: a limit needs retransmit: go-back-n: "
		        "receives "
		        "are taken in order, selective repeat accepts packets out of order");
	return 0;
}
