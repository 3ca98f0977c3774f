/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures of scenarios of the library, every port tapped: each frame parses, is as long as the
 * simulator reckoned with and has a good ICRC, and what can be counted and timed from frames
 * alone is what the run recorded.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/pause.h"
#include "dataplane/wire/frame.h"
#include "dataplane/wire/icrc.h"
#include "dataplane/wire/opcode.h"
#include "gen/sim/sim.h"
#include "scenarios/run_sim.h"
#include "scenarios/scenario.h"
#include "scenarios/tap_frames.h"

#define MAX_SETS 8

/* One message that a sender's port has seen begin. */
struct message {
	int64_t first_ps, done_ps;
	uint32_t src, qpn; /* of the sender */
	uint32_t psn_last;
};

/* All data towards one QP number of one host. */
struct flow {
	uint32_t src, requester;
	uint32_t first_psn;
	uint32_t n_seen;
	uint32_t *seen; /* by distance from first_psn */
	struct message *msg;
	uint32_t n_msg, cap_msg, open; /* open: first that is not done */
};

struct host_flows {
	struct flow *flow; /* by responder's QP number */
	uint32_t n;
};

struct pause_state {
	struct pause_rx rx;
};

struct judge {
	const struct scenario *s;
	struct tap_frames frames;
	struct host_flows *host; /* [n_hosts] destination of the data */
	uint32_t *responder;     /* [n_hosts][QPNS]: of a requester's number, its flow */
	struct pause_rx *pause;  /* [n_ports] */
	int64_t last_ps;
	bool window; /* AckReq follows it, and may differ when a packet is sent again */
	int64_t whole_bytes;
	uint64_t data_sent, retransmitted, ce_last, ce_sent, acks, naks, rnr, sacks, cnps,
	        cnps_received, pauses, resumes, damaged, marked_by_host, udata;
};

#define QPNS       4096
#define IPV4_ID_AT 4

static struct flow *flow_at(struct judge *j, uint32_t dst, uint32_t qpn)
{
	struct host_flows *h = &j->host[dst];
	uint32_t n = h->n;

	assert_true(qpn >= TAP_FIRST_QPN && qpn < TAP_FIRST_QPN + QPNS);
	if (qpn >= n) {
		h->n = qpn + 64;
		h->flow = realloc(h->flow, h->n * sizeof(*h->flow));
		assert_non_null(h->flow);
		memset(h->flow + n, 0, (h->n - n) * sizeof(*h->flow));
	}
	return &h->flow[qpn];
}

static uint32_t host_of(const uint8_t ip[16])
{
	assert_int_equal(ip[0] << 8 | ip[1], 198 << 8 | 19);
	return (uint32_t)ip[2] << 8 | ip[3];
}

/* Where what is known of a PSN stands: the ICRC of its packet without identification, 0 before
 * the first. */
static uint32_t *seen(struct flow *f, uint32_t psn)
{
	uint32_t k;

	if (!f->n_seen)
		f->first_psn = psn;
	k = (psn - f->first_psn) & 0xffffff;
	if (k >= f->n_seen) {
		uint32_t n = k + 4096;

		f->seen = realloc(f->seen, n * sizeof(*f->seen));
		assert_non_null(f->seen);
		memset(f->seen + f->n_seen, 0, (n - f->n_seen) * sizeof(*f->seen));
		f->n_seen = n;
	}
	return &f->seen[k];
}

static void message_begins(struct judge *j, struct flow *f, const struct frame *p, int64_t t_ps)
{
	const uint32_t mtu = (uint32_t)j->s->frame.path_mtu_bytes;
	const uint32_t packets =
	        p->has & FRAME_HAS_RETH && p->reth_bytes ? (p->reth_bytes + mtu - 1) / mtu : 1;

	if (f->n_msg == f->cap_msg) {
		f->cap_msg = f->cap_msg ? f->cap_msg * 2 : 8;
		f->msg = realloc(f->msg, f->cap_msg * sizeof(*f->msg));
		assert_non_null(f->msg);
	}
	f->msg[f->n_msg++] = (struct message){.first_ps = t_ps,
	        .done_ps = TIME_NEVER,
	        .src = f->src,
	        .psn_last = (p->psn + packets - 1) & 0xffffff};
}

static void take_data(struct judge *j, const struct capture_record *r, const struct frame *p)
{
	const uint32_t src = host_of(p->src), dst = host_of(p->dst);
	struct flow *f = flow_at(j, dst, p->dqp);
	uint32_t *icrc = seen(f, p->psn);

	/* the same packet at every port, and when it is sent again */
	if (*icrc && !j->window)
		assert_int_equal(p->icrc, *icrc);
	if (r->what == CAPTURE_SENT && r->node == src) {
		bool again = *icrc != 0;

		f->src = src;
		j->data_sent++;
		j->retransmitted += again;
		j->ce_sent += p->ecn == 3;
		if (!again && (opcode_table[p->opcode].flags & OPCODE_FIRST))
			message_begins(j, f, p, r->t_ps);
		/* the pair of QP numbers, which frames of one direction do not tell */
		f->requester = tap_qps_get(&j->frames.qps, r->src, r->slot)->requester;
		j->responder[src * QPNS + f->requester - TAP_FIRST_QPN] = p->dqp;
		*icrc = p->icrc;
		j->whole_bytes += p->payload_bytes;
	}
	if (r->what == CAPTURE_RECEIVED && r->node == dst)
		j->ce_last += p->ecn == 3;
}

/* Of 24 bits: does a come before b? */
static bool before(uint32_t a, uint32_t b)
{
	return ((b - a) & 0xffffff) && ((b - a) & 0xffffff) < 0x800000;
}

static void take_ack(struct judge *j, const struct capture_record *r, const struct frame *p)
{
	const uint32_t src = host_of(p->src), dst = host_of(p->dst);
	struct flow *f;
	uint32_t expected = p->psn, whole;

	if (r->what == CAPTURE_SENT && r->node == src)
		j->naks += (p->aeth_syndrome & 0x60) == TAP_AETH_NAK;
	if (r->what != CAPTURE_RECEIVED || r->node != dst)
		return;
	switch (p->aeth_syndrome & 0x60) {
	case 0:
		j->acks++;
		expected++;
		break;
	case TAP_AETH_RNR:
		j->rnr++;
		break;
	case TAP_AETH_SACK:
		j->sacks++;
		break;
	default:
		break;
	}
	f = flow_at(j, src, j->responder[dst * QPNS + p->dqp - TAP_FIRST_QPN]);
	assert_int_equal(f->requester, p->dqp);
	for (; f->open < f->n_msg; f->open++) {
		struct message *m = &f->msg[f->open];

		if (!before(m->psn_last, expected))
			break;
		m->done_ps = r->t_ps;
	}
	if ((p->aeth_syndrome & 0x60) == TAP_AETH_SACK)
		return;
	for (whole = f->open; whole > 0; whole--)
		if (before(f->msg[whole - 1].psn_last, expected))
			break;
	assert_int_equal(p->aeth_msn, whole & 0xffffff);
}

static void take_pause(struct judge *j, const struct capture_record *r, const struct frame *p)
{
	const struct topo_port *port =
	        &j->s->topo->port[j->s->topo->node[r->node].first_port + r->port];
	struct pause_rx *rx = &j->pause[j->s->topo->node[r->node].first_port + r->port];
	bool xoff = false;

	assert_int_equal(p->kind, FRAME_PFC);
	for (int i = 0; i < 8; i++)
		xoff |= (p->pfc_vector >> i & 1) && p->quanta[i];
	if (r->what == CAPTURE_SENT) {
		j->pauses += xoff;
		j->resumes += !xoff;
		return;
	}
	for (int i = 0; i < 8; i++) {
		if (!(p->pfc_vector >> i & 1))
			continue;
		if (p->quanta[i])
			pause_rx_xoff(rx, i, r->t_ps,
			        pause_quanta_ps(p->quanta[i], port->rate_bps), 0);
		else
			pause_rx_xon(rx, i, r->t_ps);
	}
}

static const char *kind_name(unsigned kind)
{
	static const char *const names[] = {
	        "data", "ACK", "NAK", "CNP", "PFC", "RNR NAK", "SACK"};

	return names[kind];
}

static void take(void *arg, const struct capture_record *r)
{
	struct judge *j = arg;
	uint8_t bytes[TAP_FRAME_MAX_BYTES];
	const uint32_t n = tap_frame(&j->frames, bytes, r);
	const bool damaged = r->d.flags & DESC_CORRUPT && r->what == CAPTURE_RECEIVED;
	struct frame p;

	assert_true(r->t_ps >= j->last_ps);
	j->last_ps = r->t_ps;
	if (!n)
		return;
	frame_parse(&p, FRAME_LINK_ETHERNET, bytes, n, 0);
	if (p.faults)
		fail_msg("%s %s: faults %#x, %u bytes", kind_name(r->d.kind),
		        r->what == CAPTURE_SENT ? "sent" : "received", p.faults, n);
	assert_int_equal(n, r->d.frame_bytes);
	if (r->d.kind == DESC_PFC) {
		take_pause(j, r, &p);
		return;
	}
	assert_int_equal(p.kind, FRAME_ROCE_V2);
	assert_int_equal(frame_icrc(&p), damaged ? ICRC_BAD : ICRC_GOOD);
	j->damaged += damaged;
	if (damaged)
		return;
	/* From here on what the packet would have for an ICRC without its identification, which
	 * differs from copy to copy. */
	memset(bytes + p.l3_at + IPV4_ID_AT, 0, 2);
	p.icrc = frame_icrc_value_by(crc_method_best(), &p);
	if (p.opcode == BTH_CNP) {
		j->cnps += r->what == CAPTURE_SENT && r->node == host_of(p.src);
		j->cnps_received += r->what == CAPTURE_RECEIVED && r->node == host_of(p.dst);
	} else if (p.has & FRAME_HAS_AETH) {
		take_ack(j, r, &p);
	} else {
		take_data(j, r, &p);
	}
}

static void judge_init(struct judge *j, const struct scenario *s)
{
	struct err e;

	*j = (struct judge){.s = s};
	assert_int_equal(tap_frames_init(&j->frames, s, &e), 0);
	j->host = calloc(s->topo->n_hosts, sizeof(*j->host));
	j->responder = calloc((size_t)s->topo->n_hosts * QPNS, sizeof(*j->responder));
	j->pause = calloc(s->topo->n_ports, sizeof(*j->pause));
	assert_true(j->host && j->responder && j->pause);
}

static void judge_fini(struct judge *j)
{
	for (uint32_t h = 0; h < j->s->topo->n_hosts; h++) {
		for (uint32_t i = 0; i < j->host[h].n; i++) {
			free(j->host[h].flow[i].seen);
			free(j->host[h].flow[i].msg);
		}
		free(j->host[h].flow);
	}
	free(j->host);
	free(j->responder);
	free(j->pause);
	tap_frames_fini(&j->frames);
}

static int by_first(const void *a, const void *b)
{
	const struct message *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	if (x->first_ps != y->first_ps)
		return x->first_ps < y->first_ps ? -1 : 1;
	return 0;
}

/* A port starts one frame at a time: (src, first_ps) names a message. */
static void check_messages(const struct judge *j, const struct run_record *rec)
{
	struct message *m = NULL, *found;
	uint64_t n = 0, done = 0;

	for (uint32_t h = 0; h < j->s->topo->n_hosts; h++)
		for (uint32_t i = 0; i < j->host[h].n; i++) {
			const struct flow *f = &j->host[h].flow[i];

			if (!f->n_msg)
				continue;
			m = realloc(m, (n + f->n_msg) * sizeof(*m));
			assert_non_null(m);
			memcpy(m + n, f->msg, f->n_msg * sizeof(*m));
			n += f->n_msg;
		}
	if (n)
		qsort(m, n, sizeof(*m), by_first);
	for (uint64_t i = 0; i < rec->n_msg; i++) {
		struct message key = {.src = rec->msg[i].src, .first_ps = rec->msg[i].first_ps};

		if (rec->msg[i].first_ps == TIME_NEVER)
			continue;
		found = bsearch(&key, m, n, sizeof(*m), by_first);
		assert_non_null(found);
		if (rec->msg[i].unacknowledged || rec->msg[i].status != MSG_COMPLETED)
			continue;
		assert_int_equal(found->done_ps, rec->msg[i].done_ps);
		done++;
	}
	print_message("%" PRIu64 " messages ", done);
	free(m);
}

static void check_pauses(const struct judge *j, const struct run_record *rec)
{
	const struct topo *t = j->s->topo;
	uint64_t n = 0;

	for (uint32_t node = 0; node < t->n_nodes; node++)
		for (uint16_t i = 0; i < t->node[node].n_ports; i++)
			for (int pr = 0; pr < PRIORITIES; pr++) {
				const struct pause_rx *rx =
				        &j->pause[t->node[node].first_port + i];
				int64_t ps = pause_rx_total_ps(rx, pr, rec->t_end_ps);

				if (!ps)
					continue;
				for (n = 0; n < rec->n_pause; n++)
					if (rec->pause[n].node == node &&
					        rec->pause[n].port == i &&
					        rec->pause[n].priority == pr)
						break;
				assert_true(n < rec->n_pause);
				assert_int_equal(rec->pause[n].paused_ps, ps);
			}
}

struct expected {
	bool lossless; /* nothing that was marked or asked for is lost on the way */
	bool obeys;    /* every port obeys the pauses that it gets */
};

static void run(const char *file, const struct scenario_set *set, uint32_t n_set,
        struct expected x, struct judge *j, struct run_record **rec, struct scenario **s)
{
	char path[512];
	struct sim_capture capture = {.take = take, .arg = j};
	struct sim_cfg cfg;
	uint8_t *all;
	struct err e;

	(void)x;
	(void)snprintf(path, sizeof(path), "%s/scenarios/%s.yaml", SQUALL_SOURCE_DIR, file);
	if (scenario_load(s, path, set, n_set, NULL, &e))
		fail_msg("%s", e.msg);
	all = malloc((*s)->topo->n_ports);
	assert_non_null(all);
	memset(all, 1, (*s)->topo->n_ports);
	judge_init(j, *s);
	cfg = run_sim_cfg(*s);
	capture.port = all;
	cfg.capture = &capture;
	if (sim_run(rec, &cfg, &e))
		fail_msg("%s", e.msg);
	free(all);
}

/* Of the scenario that was checked last. */
static struct {
	uint64_t sacks, rnr, again, damaged, pauses;
} last;

static void check(
        const char *file, const struct scenario_set *set, uint32_t n_set, struct expected x)
{
	struct run_record *rec = NULL;
	struct scenario *s = NULL;
	struct judge j;

	print_message("%s: ", file);
	run(file, set, n_set, x, &j, &rec, &s);
	assert_int_equal(j.data_sent, rec->n.data_packets_sent);
	assert_int_equal(j.retransmitted, rec->n.retransmitted_packets);
	assert_int_equal(j.cnps_received, rec->n.cnp_received);
	assert_int_equal(j.pauses, rec->n.pause_frames);
	assert_int_equal(j.resumes, rec->n.resume_frames);
	assert_int_equal(j.rnr, rec->n.rnr_naks);
	assert_int_equal(j.sacks, rec->n.sacks);
	assert_int_equal(j.naks, rec->n.naks);
	if (x.lossless) {
		assert_int_equal(j.cnps, rec->n.cnp_sent);
		assert_int_equal(j.ce_last, rec->n.ecn_marked_packets);
	}
	if (x.obeys)
		check_pauses(&j, rec);
	check_messages(&j, rec);
	print_message("%" PRIu64 " data, %" PRIu64 " again, %" PRIu64 " CE, %" PRIu64
	              " CNP, %" PRIu64 "/%" PRIu64 " NAK, %" PRIu64 " pauses, %" PRIu64
	              " damaged\n",
	        j.data_sent, j.retransmitted, j.ce_last, j.cnps, j.naks, (uint64_t)rec->n.naks,
	        j.pauses, j.damaged);
	last.sacks = j.sacks;
	last.rnr = j.rnr;
	last.again = j.retransmitted;
	last.damaged = j.damaged;
	last.pauses = j.pauses;
	run_record_free(rec);
	judge_fini(&j);
	scenario_free(s);
}

#define SETS(...)                                                                              \
	(const struct scenario_set[]){__VA_ARGS__},                                            \
	        sizeof((const struct scenario_set[]){__VA_ARGS__}) /                           \
	                sizeof(struct scenario_set)

static void test_incast(void **state)
{
	(void)state;
	check("incast-32", SETS({"workload[0].repeat", "1"}, {"workload[0].message", "300KB"}),
	        (struct expected){true, true});
}

static void test_storm(void **state)
{
	(void)state;
	check("pause-storm", SETS({"stop.after", "2ms"}), (struct expected){true, true});
}

static void test_selective_repeat(void **state)
{
	(void)state;
	check("spray-selective-repeat", SETS({"stop.after", "1ms"}),
	        (struct expected){false, true});
}

static void test_loss(void **state)
{
	(void)state;
	check("random-loss", SETS({"stop.after", "1ms"}), (struct expected){false, true});
}

static void test_loss_selective(void **state)
{
	(void)state;
	check("random-loss",
	        SETS({"stop.after", "2ms"}, {"fabric.nic.retransmit", "selective-repeat"}),
	        (struct expected){false, true});
	assert_true(last.sacks && last.again && last.damaged);
}

static void test_cnp_lossy(void **state)
{
	(void)state;
	check("cnp-lossy", SETS({"stop.after", "1ms"}), (struct expected){false, true});
}

static void test_file_topology(void **state)
{
	(void)state;
	check("file-topology", SETS({"stop.after", "1ms"}), (struct expected){false, true});
}

static void test_websearch(void **state)
{
	(void)state;
	check("websearch-64", SETS({"stop.after", "300us"}), (struct expected){false, true});
}

/* PSNs wrap within messages and between them. */
static void test_wrap(void **state)
{
	(void)state;
	check("random-loss", SETS({"stop.after", "1ms"}, {"measure.first_psn", "16777200"}),
	        (struct expected){false, true});
	check("incast-8",
	        SETS({"measure.first_psn", "16777215"}, {"workload[0].message", "3001B"},
	                {"workload[0].repeat", "40"}, {"workload[0].period", "10us"}),
	        (struct expected){true, true});
}

static void test_transports(void **state)
{
	(void)state;
	check("incast-8",
	        SETS({"workload[0].transport", "uc"}, {"workload[0].message", "99999B"}),
	        (struct expected){true, true});
	check("incast-8",
	        SETS({"workload[0].transport", "ud"}, {"workload[0].message", "333B"},
	                {"workload[0].repeat", "100"}, {"workload[0].period", "1us"}),
	        (struct expected){true, true});
}

static void test_not_ready(void **state)
{
	(void)state;
	check("incast-8",
	        SETS({"fabric.nic.receive_queue", "1"}, {"fabric.nic.receive_time", "50us"},
	                {"workload[0].message", "9KB"}, {"workload[0].repeat", "20"},
	                {"workload[0].period", "5us"}, {"fabric.nic.rnr_timer", "20us"}),
	        (struct expected){true, true});
	assert_true(last.rnr);
}

/* Headers of other sizes stand for a VLAN tag and for IPv6. */
static void test_headers(void **state)
{
	(void)state;
	check("incast-8",
	        SETS({"fabric.frame.header", "62B"}, {"fabric.frame.ack", "66B"},
	                {"fabric.frame.cnp", "78B"}, {"workload[0].repeat", "1"}),
	        (struct expected){true, true});
}

static void test_slow_receiver(void **state)
{
	(void)state;
	check("slow-receiver", SETS({"stop.after", "2ms"}), (struct expected){false, true});
	assert_true(last.pauses);
}

static void test_cut_through(void **state)
{
	(void)state;
	check("incast-8",
	        SETS({"fabric.switch.forwarding", "cut-through"},
	                {"fabric.switch.latency", "300ns"}, {"workload[0].repeat", "1"}),
	        (struct expected){true, true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_incast),
	        cmocka_unit_test(test_storm),
	        cmocka_unit_test(test_selective_repeat),
	        cmocka_unit_test(test_loss),
	        cmocka_unit_test(test_loss_selective),
	        cmocka_unit_test(test_cnp_lossy),
	        cmocka_unit_test(test_file_topology),
	        cmocka_unit_test(test_websearch),
	        cmocka_unit_test(test_cut_through),
	        cmocka_unit_test(test_wrap),
	        cmocka_unit_test(test_transports),
	        cmocka_unit_test(test_not_ready),
	        cmocka_unit_test(test_headers),
	        cmocka_unit_test(test_slow_receiver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
