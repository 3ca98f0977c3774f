/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/sim/host_port.h"

#include <errno.h>

#include "dataplane/base/pause.h"
#include "dataplane/fabric/fswitch.h"
#include "dataplane/fabric/headroom.h"

#define AUTO_BEYOND_HEADROOM_BYTES (INT64_C(128) * 1024)

/* What still comes once the NIC decides XOFF: the same budget as a switch's, with the roles of
 * the two ends exchanged. */
static int64_t headroom_bytes(const struct topo *t, uint32_t host, const struct frame_cfg *f)
{
	const struct topo_port *p = &t->port[t->node[host].first_port];

	return headroom_bound_bytes(&(struct headroom_in){
	        .rate_bps = p->rate_bps,
	        .delay_ps = p->delay_ps,
	        .response_ps = fsw_response_ps(t, p->peer_node, p->peer_port),
	        .frame = f,
	});
}

static int check(const struct rnic_port *p, int64_t headroom, const struct rnic_cfg *nic,
        const char *name, struct err *e)
{
	char a[48], b[48];

	if (!p->lossless || (p->xoff_bytes >= 0 && p->xoff_bytes <= p->buffer_bytes))
		return 0;
	if (nic->pfc_xoff_bytes == NIC_RECEIVE_AUTO)
		return err_set(e, -EINVAL,
		        "fabric.nic.receive_buffer: %s of %s is less than the headroom of "
		        "%s that PFC needs on its link: raise it, or set fabric.nic.pfc.xoff",
		        unit_format(a, sizeof(a), UNIT_SIZE, p->buffer_bytes), name,
		        unit_format(b, sizeof(b), UNIT_SIZE, headroom));
	return err_set(e, -EINVAL,
	        "fabric.nic.pfc.xoff: %s is more than the receive buffer of %s: lower it, or "
	        "raise fabric.nic.receive_buffer",
	        unit_format(a, sizeof(a), UNIT_SIZE, p->xoff_bytes),
	        unit_format(b, sizeof(b), UNIT_SIZE, p->buffer_bytes));
}

int host_port_init(struct rnic_port *p, const struct topo *t, uint32_t host,
        const struct frame_cfg *f, const struct rnic_cfg *nic, struct err *e)
{
	const struct topo_port *tp = &t->port[t->node[host].first_port];
	const struct topo_port *peer =
	        &t->port[t->node[tp->peer_node].first_port + tp->peer_port];
	const struct switch_cfg *sw = &t->profile[peer->profile];
	const int64_t headroom = headroom_bytes(t, host, f);
	int64_t offset = nic->pfc_xon_offset_bytes;

	*p = (struct rnic_port){
	        .buffer_bytes = nic->receive_buffer_bytes,
	        .xoff_bytes = nic->pfc_xoff_bytes,
	        .quanta = sw->pfc_quanta == PFC_NEVER_EXPIRES ? 0 : sw->pfc_quanta,
	        .pfc_bytes = (uint32_t)f->pfc_bytes,
	        .lossless = (uint8_t)(nic->pfc_priorities == NIC_PFC_AS_SWITCH
	                                      ? sw->pfc_priorities
	                                      : nic->pfc_priorities),
	};
	p->refresh_ps =
	        pause_quanta_ps(p->quanta, tp->rate_bps) / 100 * sw->pfc_refresh_percent;
	if (p->buffer_bytes == NIC_RECEIVE_AUTO)
		p->buffer_bytes = AUTO_BEYOND_HEADROOM_BYTES + headroom;
	if (p->xoff_bytes == NIC_RECEIVE_AUTO)
		p->xoff_bytes = p->buffer_bytes - headroom;
	if (offset == NIC_RECEIVE_AUTO)
		offset = f->header_bytes + f->reth_bytes + f->path_mtu_bytes + f->fcs_bytes;
	p->xon_bytes = p->xoff_bytes > offset ? p->xoff_bytes - offset : 0;
	return check(p, headroom, nic, t->node[host].name, e);
}
