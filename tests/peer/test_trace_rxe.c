/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of Linux Soft-RoCE with planned losses, errors and marks: what each was made to
 * show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analysis/trace/trace.h"
#include "tests/support/reference.h"

static const struct trace_result *analyze(struct trace **t, const char *name)
{
	const struct trace_options o = {.threads = 1};
	const char *path[1];
	char folder[512], file[600];
	struct err e = {0};

	(void)snprintf(file, sizeof(file), "%s/%s",
	        reference_path(folder, sizeof(folder), "rxe"), name);
	path[0] = file;
	assert_int_equal(trace_open(t, &o, &e), 0);
	assert_int_equal(trace_files(*t, path, 1, &e), 0);
	return trace_finish(*t);
}

/* PSN 0x1002 of five is dropped once: one NAK, go-back from there; taken at the receiver. */
static void dropped_in_the_middle(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_write_drop_psn1002_nak.pcap");

	(void)state;
	assert_int_equal(r->roce.nak[TRACE_NAK_SEQUENCE], 1);
	assert_int_equal(r->roce.missing_psns, 1);
	assert_int_equal(r->roce.unfilled_psns, 0);
	assert_int_equal(r->n_losses, 1);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_NAK);
	assert_int_equal(r->loss[0].first_psn, 0x1002);
	assert_int_equal(r->loss[0].missing, 1);
	assert_int_equal(r->roce.messages, 1);
	assert_int_equal(r->message[0].bytes, 5001);
	assert_true(r->message[0].complete);
	trace_close(t);
}

/* The last of five is dropped: nobody can NAK it, the timer of 67 ms runs out. */
static void dropped_at_the_end(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_write_drop_last_timeout.pcap");

	(void)state;
	assert_int_equal(r->roce.naks, 0);
	assert_int_equal(r->n_losses, 1);
	assert_int_equal(r->loss[0].cause, TRACE_CAUSE_TIMEOUT);
	assert_int_equal(r->loss[0].first_psn, 0x1000);
	assert_int_equal(r->loss[0].packets, 4);
	assert_in_range(r->loss[0].resend_ns - r->loss[0].before_ns, 60000000, 75000000);
	trace_close(t);
}

static void receiver_not_ready(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_rnr_nak.pcap");

	(void)state;
	assert_int_equal(r->roce.rnr_naks, 38);
	assert_int_equal(r->flow[0].loss_events[TRACE_CAUSE_RNR], 38);
	assert_int_equal(r->flow[0].loss_events[TRACE_CAUSE_TIMEOUT], 0);
	trace_close(t);
}

static void wrong_key(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_bad_rkey_nak.pcap");

	(void)state;
	assert_int_equal(r->roce.nak[TRACE_NAK_REMOTE_ACCESS], 1);
	assert_int_equal(r->roce.naks, 1);
	trace_close(t);
}

static void marked_and_no_cnp(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_send_ce_marked.pcap");

	(void)state;
	assert_int_equal(r->roce.ce_packets, 5);
	assert_int_equal(r->roce.cnps, 0);
	assert_int_equal(r->ce_to_cnp_ns->count, 0);
	assert_int_equal(r->n_event[TRACE_EV_CE], 5);
	trace_close(t);
}

/* 5003 bytes: one request, five responses, one message of the responder's flow. */
static void read_of_several(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "rc_read_multi.pcap");

	(void)state;
	assert_int_equal(r->roce.data_packets, 6);
	assert_int_equal(r->roce.messages, 1);
	assert_int_equal(r->n_messages, 1);
	assert_int_equal(r->message[0].verb, TRACE_READ);
	assert_int_equal(r->message[0].bytes, 5003);
	assert_int_equal(r->message[0].first_ns, r->first_ns); /* the request */
	assert_int_equal(r->roce.missing_psns, 0);
	trace_close(t);
}

static void one_bad_icrc(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "host_peer_tap.pcap");

	(void)state;
	assert_int_equal(r->roce.icrc_bad, 1);
	assert_int_equal(r->roce.cnps, 1);
	assert_int_equal(r->roce.ce_packets, 1);
	trace_close(t);
}

static void datagrams(void **state)
{
	struct trace *t;
	const struct trace_result *r = analyze(&t, "ud_send.pcap");

	(void)state;
	assert_int_equal(r->flow[0].transport, TRACE_UD);
	assert_int_equal(r->flow[0].src_qp, 0x24);
	assert_int_equal(r->roce.messages, 2);
	assert_int_equal(r->message[1].bytes, 200);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dropped_in_the_middle),
	        cmocka_unit_test(dropped_at_the_end),
	        cmocka_unit_test(receiver_not_ready),
	        cmocka_unit_test(wrong_key),
	        cmocka_unit_test(marked_and_no_cnp),
	        cmocka_unit_test(read_of_several),
	        cmocka_unit_test(one_bad_icrc),
	        cmocka_unit_test(datagrams),
	};
	char folder[512];

	(void)reference_path(folder, sizeof(folder), "rxe");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
