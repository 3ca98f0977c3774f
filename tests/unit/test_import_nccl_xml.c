/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's XML: nearest NICs, rings of graphs, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/imports/import_nccl_xml.h"
#include "tests/support/imports.h"

#define DATA SQUALL_SOURCE_DIR "/tests/data/imports/"

static void test_nearest(void **state)
{
	(void)state;
	bool near[NCCL_TOPO_MAX_DEVICES];
	struct nccl_topo t;
	struct err e = {0};

	imports_must(nccl_topo_init(&t, &e), &e);
	imports_must(nccl_topo_read(&t, DATA "nccl-topo.xml", &e), &e);
	assert_int_equal(t.n_gpus, 3);
	assert_int_equal(t.n_nics, 3);
	assert_int_equal(nccl_topo_nearest(&t, 0, near), 1);
	assert_true(near[0]);
	assert_int_equal(nccl_topo_nearest(&t, 1, near), 1);
	assert_true(near[1]);
	/* on the other socket: both as far; the one without PCI does not count */
	assert_int_equal(nccl_topo_nearest(&t, 2, near), 2);
	assert_true(near[0] && near[1]);
	assert_string_equal(t.nic[2].name, "eth0");
	assert_false(t.nic[2].on_pci);
	assert_int_equal(t.nic[0].rate_bps, INT64_C(400000000000));
	assert_int_equal(t.gpu[2].dev, 2);
	nccl_topo_fini(&t);
}

/* Rings 0 2 1 through NIC 0 and 1 2 0 through NIC 1, on two machines: six ranks. */
static void test_rings(void **state)
{
	(void)state;
	const struct import_job job = {.buffer_bytes = 12000, .stem = "x"};
	const int64_t edge = INT64_C(12000) / 2 * 2 * 5 / 6;
	struct import_draft d = {0};
	struct nccl_topo t;
	struct err e = {0};

	imports_must(nccl_topo_init(&t, &e), &e);
	imports_must(nccl_topo_read(&t, DATA "nccl-topo.xml", &e), &e);
	imports_must(nccl_topo_read(&t, DATA "nccl-graph.xml", &e), &e);
	assert_int_equal(t.n_rings, 2);
	assert_int_equal(t.n_other, 1);
	imports_must(nccl_xml_import(&d, &t, "xml", &job, &e), &e);
	assert_int_equal(d.nodes, 2);
	assert_int_equal(d.rails, 2);
	for (uint32_t nic = 0; nic < 2; nic++) {
		assert_int_equal(imports_bytes(&d.sched, nic, 2 + nic), edge);
		assert_int_equal(imports_bytes(&d.sched, 2 + nic, nic), edge);
	}
	imports_compiles(&d.sched);
	import_draft_fini(&d);
	nccl_topo_fini(&t);
}

static void refused(const char *text, const char *where, const char *what)
{
	struct nccl_topo t;
	struct err e = {0};

	imports_must(nccl_topo_init(&t, &e), &e);
	assert_int_equal(nccl_topo_read_text(&t, "t.xml", text, strlen(text), &e), -22);
	if (!strstr(e.msg, where) || !strstr(e.msg, what))
		fail_msg("\"%s\" has not \"%s\" and \"%s\"", e.msg, where, what);
	nccl_topo_fini(&t);
}

static void test_refuses(void **state)
{
	(void)state;
	refused("<a/>", "t.xml:1:1", "<system> or <graphs>");
	refused("<system>\n<cpu>", "t.xml:2:", "no element");
	refused("<system><net dev=\"x\"/></system>", "t.xml:1:9", "dev=\"x\"");
	refused("<graphs><graph pattern=\"4\"><channel><gpu/></channel></graph></graphs>",
	        "t.xml:1:", "dev is missing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_nearest),
	        cmocka_unit_test(test_rings),
	        cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
