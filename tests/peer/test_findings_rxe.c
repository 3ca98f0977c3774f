/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of Linux Soft-RoCE with planned losses and refusals: each has its finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/trace/diagnose.h"
#include "analysis/trace/trace.h"
#include "tests/support/reference.h"

static char folder[500];

static void check(const char *name, const char *roots)
{
	char path[600], found[400] = "";
	const char *paths[1] = {path};
	struct trace_options o = {.threads = 1};
	struct diagnosis *d;
	struct err e = {0};
	struct trace *t;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(trace_open(&t, &o, &e), 0);
	if (trace_files(t, paths, 1, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(diagnose(&d, trace_finish(t), &e), 0);
	for (uint32_t i = 0; i < d->n; i++)
		if (d->finding[i].caused_by == FINDING_NONE)
			(void)snprintf(found + strlen(found), sizeof(found) - strlen(found),
			        "%s%s", *found ? " " : "",
			        finding_table[d->finding[i].id]->name);
	if (strcmp(found, roots) != 0)
		fail_msg("%s: roots '%s', expected '%s'", name, found, roots);
	diagnosis_free(d);
	trace_close(t);
}

static void planned_faults(void **state)
{
	(void)state;
	check("rc_write_drop_psn1002_nak.pcap", "loss-hidden");
	check("rc_write_drop_last_timeout.pcap", "loss-hidden");
	check("rc_rnr_nak.pcap", "rnr");
	check("rc_bad_rkey_nak.pcap", "remote-access-error");
	check("rc_send_ce_marked.pcap", "ce-without-cnp");
	/* The capture lost packets as well. */
	check("rc_write_netem_loss5.pcap", "capture-loss loss-hidden");
}

static void nothing_wrong(void **state)
{
	(void)state;
	check("rc_send_multi.pcap", "");
	check("rc_send_dscp26_ect0.pcap", "");
	check("rc_read_multi.pcap", "");
	check("rc_atomic_cswap.pcap", "");
	check("rc_write_imm_multi.pcap", "");
	check("rc_write_mtu4096.pcap", "");
	check("ud_send.pcap", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(planned_faults),
	        cmocka_unit_test(nothing_wrong),
	};

	(void)reference_path(folder, sizeof(folder), "rxe");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
