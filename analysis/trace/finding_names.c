/* SPDX-License-Identifier: Apache-2.0 */
/* Interfaces, hosts and flows in words. */
#include <stdio.h>

#include "analysis/trace/diagnose_int.h"

const char *name_interface(char buf[NAME_LEN], const struct trace_result *r, uint32_t i)
{
	if (i >= r->n_interfaces)
		(void)snprintf(buf, NAME_LEN, "an interface that is not captured");
	else if (r->interface[i].capture.name[0])
		(void)snprintf(buf, NAME_LEN, "%s", r->interface[i].capture.name);
	else
		(void)snprintf(buf, NAME_LEN, "interface %u", i);
	return buf;
}

const char *name_host(char buf[NAME_LEN], const struct trace_result *r, uint32_t i)
{
	char addr[TRACE_ADDR_LEN];

	if (i >= r->n_hosts)
		(void)snprintf(buf, NAME_LEN, "an unknown host");
	else
		(void)snprintf(
		        buf, NAME_LEN, "host %s", trace_addr_text(addr, &r->host[i].addr));
	return buf;
}

const char *name_flow(char buf[NAME_LEN], const struct trace_result *r, uint32_t i)
{
	char src[TRACE_ADDR_LEN], dst[TRACE_ADDR_LEN];

	(void)snprintf(buf, NAME_LEN, "%s to %s QP 0x%x", trace_addr_text(src, &r->flow[i].src),
	        trace_addr_text(dst, &r->flow[i].dst), r->flow[i].dqp);
	return buf;
}

const char *name_pauser(char buf[NAME_LEN], const struct diagnose *d, uint32_t pauser)
{
	const struct trace_pauser *p = &d->r->pauser[pauser];
	const struct seen_pauser *q = &d->s.pauser[pauser];
	char name[NAME_LEN / 2];

	if (q->host != TRACE_NONE)
		return name_host(buf, d->r, q->host);
	(void)snprintf(name, sizeof(name), "%02x:%02x:%02x:%02x:%02x:%02x", p->mac[0],
	        p->mac[1], p->mac[2], p->mac[3], p->mac[4], p->mac[5]);
	if (p->direction == DIRECTION_IN && d->s.interface[p->interface].link != TRACE_NONE)
		return name_interface(buf, d->r, d->s.interface[p->interface].link);
	(void)snprintf(buf, NAME_LEN, "the port with MAC %s", name);
	return buf;
}
