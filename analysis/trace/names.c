/* SPDX-License-Identifier: Apache-2.0 */
/* The names of what trace_result.h numbers. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "analysis/trace/trace_result.h"

const char *trace_addr_text(char buf[TRACE_ADDR_LEN], const struct trace_addr *a)
{
	buf[0] = 0;
	if (a->kind == TRACE_ADDR_LID)
		(void)snprintf(buf, TRACE_ADDR_LEN, "lid %u", a->ip[0] << 8 | a->ip[1]);
	else if (a->kind)
		(void)inet_ntop(a->kind == TRACE_ADDR_IPV4 ? AF_INET : AF_INET6, a->ip, buf,
		        TRACE_ADDR_LEN);
	return buf;
}

const char *trace_nak_name(enum trace_nak n)
{
	static const char *const name[TRACE_NAKS] = {"PSN sequence error", "invalid request",
	        "remote access error", "remote operational error", "invalid RD request",
	        "reserved"};

	return (unsigned)n < TRACE_NAKS ? name[n] : "reserved";
}

const char *trace_pairing_name(enum trace_pairing p)
{
	static const char *const name[] = {"none", "connection-setup", "datagram", "psn",
	        "psn-and-port", "only-candidate"};

	return (unsigned)p < sizeof(name) / sizeof(*name) ? name[p] : "none";
}

const char *trace_transport_name(enum trace_transport t)
{
	static const char *const name[] = {"RC", "UC", "RD", "UD", "XRC", "other"};

	return (unsigned)t < sizeof(name) / sizeof(*name) ? name[t] : "other";
}

const char *trace_cause_name(enum trace_cause c)
{
	static const char *const name[] = {"nak", "rnr", "timeout", "unknown"};

	return (unsigned)c < sizeof(name) / sizeof(*name) ? name[c] : "unknown";
}

const char *trace_verb_name(enum trace_verb v)
{
	static const char *const name[] = {"send", "write", "read", "atomic", "flush"};

	return (unsigned)v < sizeof(name) / sizeof(*name) ? name[v] : "send";
}

const char *const trace_size_class[TRACE_SIZE_CLASSES] = {
        "le_4KiB", "le_64KiB", "le_1MiB", "le_16MiB", "gt_16MiB"};

const char *trace_event_name(enum trace_event e)
{
	static const char *const name[TRACE_EVENTS] = {"ce", "cnp", "cnp-without-ce",
	        "nak-sequence", "nak-other", "rnr-nak", "retransmission", "timeout", "gap",
	        "reordered", "icrc-bad", "not-ect", "xoff", "pause", "malformed"};

	return (unsigned)e < TRACE_EVENTS ? name[e] : "other";
}
