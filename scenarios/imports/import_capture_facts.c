/* SPDX-License-Identifier: Apache-2.0 */
/* What a capture shows of NICs and links beside the messages, and what it cannot show. */
#include <inttypes.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "scenarios/imports/import_capture.h"

#define MANY 8 /* packets of a message, from which on its acknowledgements tell a rhythm */

uint8_t capture_priority(const struct trace_flow *f)
{
	return f->pcp != 255 ? f->pcp & 7 : (uint8_t)(f->dscp / 8);
}

/* The value that most data packets have. */
struct usual {
	uint64_t n[256];
};

static uint8_t most(const struct usual *u)
{
	unsigned at = 255;

	for (unsigned i = 0; i < 255; i++)
		if (u->n[i] && (at == 255 || u->n[i] > u->n[at]))
			at = i;
	return (uint8_t)at;
}

static void find_classes(struct capture_facts *f, const struct trace_result *r)
{
	struct usual dscp = {{0}}, priority = {{0}}, cnp = {{0}}, cnp_pcp = {{0}}, ack = {{0}};
	uint64_t ect = 0, not_ect = 0;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];
		const uint64_t n = w->counts.data_packets;

		if (n) {
			dscp.n[w->dscp] += n;
			priority.n[capture_priority(w)] += n;
			ect += w->counts.ect_packets;
			not_ect += w->counts.not_ect_packets;
		}
		if (w->cnp_dscp != 255)
			cnp.n[w->cnp_dscp] += w->counts.cnps + 1;
		if (w->cnp_dscp != 255 && w->cnp_pcp != 255)
			cnp_pcp.n[w->cnp_pcp] += w->counts.cnps + 1;
		if (w->ack_dscp != 255)
			ack.n[w->ack_dscp] += w->counts.acks + 1;
	}
	f->dscp = most(&dscp);
	f->priority = most(&priority);
	f->cnp_dscp = most(&cnp);
	f->cnp_priority = most(&cnp_pcp);
	if (f->cnp_priority == 255 && f->cnp_dscp != 255)
		f->cnp_priority = f->cnp_dscp / 8;
	f->ack_priority = most(&ack);
	if (f->ack_priority != 255)
		f->ack_priority =
		        f->ack_priority == f->dscp ? f->priority : f->ack_priority / 8;
	f->not_ect = not_ect > ect;
}

/* Data packets per acknowledgement, where messages have many and nothing was lost. */
static void find_acks(struct capture_facts *f, const struct trace_result *r)
{
	uint64_t data = 0, acks = 0, messages = 0;

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_counts *c = &r->flow[i].counts;
		const uint32_t peer = r->flow[i].peer;

		if (peer == TRACE_NONE || c->data_packets < MANY * c->messages ||
		        c->retransmitted_packets || c->missing_psns)
			continue;
		data += c->data_packets;
		messages += c->messages;
		acks += r->flow[peer].counts.acks;
	}
	if (!acks || !messages)
		return;
	/* The last packet of a message is acknowledged in any case. */
	f->ack_every = acks > messages + messages / 8
	                       ? (uint32_t)((data - messages + (acks - messages) / 2) /
	                                    (acks - messages))
	                       : (uint32_t)((data + messages - 1) / messages);
	if (!f->ack_every)
		f->ack_every = 1;
	if (f->ack_every > 65535)
		f->ack_every = 65535;
}

/* The widest scope whose CNPs keep the distance that those of a queue pair keep, if there is
 * more than one queue pair in it to tell. */
static void find_cnps(struct capture_facts *f, const struct trace_result *r)
{
	const int64_t qp = r->cnp_gap_qp_ns;
	uint32_t flows = 0, sources = 0, last = TRACE_NONE;
	bool many = false; /* an address has several */

	for (uint32_t i = 0; i < r->n_flows; i++) {
		const struct trace_flow *w = &r->flow[i];

		if (!w->loop.cnp_gap_ns.n)
			continue;
		flows++;
		sources += w->src_host != last;
		last = w->src_host;
	}
	many = flows >= 2 * sources;
	if (qp == TRACE_UNKNOWN || qp <= 0 || r->roce.cnps < 16)
		return;
	f->cnp_gap_ns = qp;
	f->cnp_scope = "qp";
	f->cnp_scope_known = flows >= 4;
	if (flows < 4)
		return;
	if (r->cnp_gap_port_ns != TRACE_UNKNOWN && r->cnp_gap_port_ns >= qp - qp / 10)
		f->cnp_scope = "port";
	else if (many && r->cnp_gap_ip_ns != TRACE_UNKNOWN && r->cnp_gap_ip_ns >= qp - qp / 10)
		f->cnp_scope = "ip";
	else
		f->cnp_scope_known = many;
}

void capture_facts_find(struct capture_facts *f, const struct trace_result *r)
{
	*f = (struct capture_facts){.cnp_scope = "qp"};
	for (uint32_t i = 0; i < r->n_flows; i++)
		if (r->flow[i].mtu_bytes > f->mtu_bytes)
			f->mtu_bytes = r->flow[i].mtu_bytes;
	for (uint32_t i = 0; i < r->n_interfaces; i++)
		if (r->interface[i].speed_bps > f->rate_bps)
			f->rate_bps = r->interface[i].speed_bps;
	find_classes(f, r);
	find_acks(f, r);
	find_cnps(f, r);
}

static void say_files(struct import_draft *d, const struct trace_result *r)
{
	for (uint32_t i = 0; i < r->n_files; i++) {
		if (r->file[i].error[0])
			import_say(d, IMPORT_UNKNOWN, "what follows in a damaged file: %s",
			        r->file[i].error);
		else if (r->file[i].cut)
			import_say(d, IMPORT_UNKNOWN,
			        "what follows where %s is cut off within a packet",
			        r->file[i].path);
	}
	for (uint32_t i = 0; i < r->n_interfaces; i++) {
		const struct capture_interface *c = &r->interface[i].capture;
		const uint64_t none = UINT64_MAX;
		uint64_t lost =
		        (c->dropped_by_interface != none ? c->dropped_by_interface : 0) +
		        (c->dropped_by_os != none ? c->dropped_by_os : 0);

		if (lost)
			import_say(d, IMPORT_UNKNOWN,
			        "%" PRIu64 " packets that the capture itself lost at %s", lost,
			        c->name[0] ? c->name : "an interface without name");
	}
	if (r->unfollowed_packets)
		import_say(d, IMPORT_UNKNOWN,
		        "%" PRIu64 " packets of flows beyond the first million",
		        r->unfollowed_packets);
}

static void say_hosts(
        struct import_draft *d, const struct trace_result *r, const struct capture_work *w)
{
	char first[TRACE_ADDR_LEN], last[TRACE_ADDR_LEN];
	uint32_t lo = 0, hi = 0;

	if (w->virtual_time) {
		import_say(d, IMPORT_FOUND,
		        "a capture of simulated traffic: hosts and times are those of that "
		        "run");
		return;
	}
	for (uint32_t i = 1; i < r->n_hosts; i++) {
		const struct trace_addr *a = &r->host[i].addr;

		if (memcmp(a, &r->host[lo].addr, sizeof(*a)) < 0)
			lo = i;
		if (memcmp(a, &r->host[hi].addr, sizeof(*a)) > 0)
			hi = i;
	}
	import_say(d, IMPORT_ASSUMED,
	        "hosts are numbered in the order of their addresses: host 0 is %s, host %u is "
	        "%s",
	        trace_addr_text(first, &r->host[lo].addr), w->n_hosts - 1,
	        trace_addr_text(last, &r->host[hi].addr));
}

static void say_work(
        struct import_draft *d, const struct trace_result *r, const struct capture_work *w)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < w->n_messages; i++)
		bytes += w->message[i].bytes;
	import_say(d, IMPORT_FOUND,
	        "%u messages of %" PRIu64
	        " bytes in all on %u queue pairs between %u hosts, %.6f s long",
	        w->n_messages, bytes, w->n_pairs, r->n_hosts,
	        (double)((__int128)r->last_ns - r->first_ns) * 1e-9);
	if (w->posts[POST_AFTER])
		import_say(d, IMPORT_FOUND,
		        "%" PRIu64
		        " messages that came right after others, again and again: they wait "
		        "for these",
		        w->posts[POST_AFTER]);
	if (w->posts[POST_AT])
		import_say(d, IMPORT_ASSUMED,
		        "%" PRIu64
		        " messages are posted at the time of their first packet, whatever the "
		        "network does",
		        w->posts[POST_AT]);
	if (w->posts[POST_TOGETHER] + w->posts[POST_BEHIND])
		import_say(d, IMPORT_ASSUMED,
		        "%" PRIu64
		        " messages that stand right behind others of their queue pair are "
		        "posted while one more than was under way is not acknowledged: how "
		        "long they "
		        "had waited cannot be seen",
		        w->posts[POST_TOGETHER] + w->posts[POST_BEHIND]);
	if (w->reconnected)
		import_say(d, IMPORT_ASSUMED,
		        "%" PRIu64
		        " times a queue pair went on with another UDP source port: a new "
		        "connection that begins at full rate",
		        w->reconnected);
	if (w->reads)
		import_say(d, IMPORT_ASSUMED,
		        "%" PRIu64 " READs are messages of the host that answered", w->reads);
	if (w->empty)
		import_say(d, IMPORT_ASSUMED, "%" PRIu64 " empty messages carry one byte",
		        w->empty);
	if (w->unended)
		import_say(d, IMPORT_UNKNOWN,
		        "the ends of %" PRIu64
		        " messages whose acknowledgement is not in the capture: their bytes "
		        "are "
		        "those of the RETH, or those that were seen",
		        w->unended);
	if (w->dropped_after)
		import_say(d, IMPORT_ASSUMED,
		        "%" PRIu64
		        " messages go by the clock, because their host has too many queue "
		        "pairs that wait",
		        w->dropped_after);
}

static void say_speed(
        struct import_draft *d, const struct capture_facts *f, const struct trace_result *r)
{
	static const char *const how[] = {[TRACE_SPEED_FILE] = "as the file says",
	        [TRACE_SPEED_GIVEN] = "as given",
	        [TRACE_SPEED_INFERRED] = "from packets right behind each other"};
	char rate[48];
	uint8_t source = TRACE_SPEED_UNKNOWN;

	for (uint32_t i = 0; i < r->n_interfaces; i++)
		if (r->interface[i].speed_bps == f->rate_bps && r->interface[i].speed_source)
			source = r->interface[i].speed_source;
	if (f->rate_bps && source)
		import_say(d, IMPORT_FOUND, "links of up to %s, %s",
		        unit_format(rate, sizeof(rate), UNIT_RATE, f->rate_bps), how[source]);
	else
		import_say(d, IMPORT_UNKNOWN, "the rate of the links");
}

static void say_nics(struct import_draft *d, const struct capture_facts *f)
{
	if (f->mtu_bytes)
		import_say(d, IMPORT_FOUND, "a path MTU of %" PRId64 " bytes", f->mtu_bytes);
	else
		import_say(d, IMPORT_UNKNOWN,
		        "the path MTU, as no message has more than one packet");
	if (f->ack_every)
		import_say(d, IMPORT_FOUND, "one ACK for %u data packets", f->ack_every);
	else
		import_say(d, IMPORT_UNKNOWN, "how many data packets an ACK stands for");
	if (f->dscp != 255)
		import_say(d, IMPORT_FOUND, "most data has DSCP %u and priority %u%s", f->dscp,
		        f->priority, f->not_ect ? " and is not ECN-capable" : "");
	if (f->cnp_dscp != 255)
		import_say(d, IMPORT_FOUND, "CNPs have DSCP %u and priority %u", f->cnp_dscp,
		        f->cnp_priority);
	if (f->cnp_gap_ns)
		import_say(d, IMPORT_FOUND,
		        "CNPs at least %.3f us apart by %s%s: np.min_time_between_cnps is no "
		        "longer",
		        (double)f->cnp_gap_ns * 1e-3, f->cnp_scope,
		        f->cnp_scope_known
		                ? ""
		                : " (or by address, which has one queue pair each here)");
	else
		import_say(d, IMPORT_UNKNOWN,
		        "np.min_time_between_cnps and its scope, as there are hardly any CNPs");
}

void capture_facts_say(struct import_draft *d, const struct capture_facts *f,
        const struct trace_result *r, const struct capture_work *w)
{
	say_work(d, r, w);
	say_hosts(d, r, w);
	say_speed(d, f, r);
	say_nics(d, f);
	import_say(d, IMPORT_UNKNOWN,
	        "windows and other limits of the senders, their rate at a first packet, the "
	        "settings of their DCQCN (nic.dcqcn)");
	import_say(d, IMPORT_UNKNOWN, "what other traffic was on the same links");
	say_files(d, r);
}
