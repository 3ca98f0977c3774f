/* SPDX-License-Identifier: Apache-2.0 */
/* Routes around links that are down: sets shrink, own routes hold, who has no way keeps his. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/fabric/routes.h"
#include "dataplane/fabric/topo_file.h"

/* Host i on switch i, each switch linked to each other: s0's ports lead to h0, s1, s2. */
#define TRIANGLE                                                                               \
	"host h0\nhost h1\nhost h2\nswitch s0\nswitch s1\nswitch s2\n"                         \
	"link h0 s0 100Gbps 1us\nlink h1 s1 100Gbps 1us\nlink h2 s2 100Gbps 1us\n"             \
	"link s0 s1 100Gbps 1us\nlink s1 s2 100Gbps 1us\nlink s2 s0 100Gbps 1us\n"

/* Two leaves, three spines. */
#define SPINES                                                                                 \
	"host h0\nhost h1\nswitch l0\nswitch l1\nswitch s0\nswitch s1\nswitch s2\n"            \
	"link h0 l0 100Gbps 1us\nlink h1 l1 100Gbps 1us\n"                                     \
	"link l0 s0 100Gbps 1us\nlink l0 s1 100Gbps 1us\nlink l0 s2 100Gbps 1us\n"             \
	"link l1 s0 100Gbps 1us\nlink l1 s1 100Gbps 1us\nlink l1 s2 100Gbps 1us\n"

static const struct switch_cfg base = {.buffer_bytes = 1 << 20, .pfc_priorities = 1 << 3};

struct pair {
	struct topo *t;
	struct routes *usual, *without;
	uint8_t down[64];
	struct err e;
};

static void setup(struct pair *p, const char *text)
{
	*p = (struct pair){0};
	if (topo_from_text(&p->t, "graph", text, strlen(text), &base, &p->e) ||
	        routes_build(&p->usual, p->t, 1, &p->e))
		fail_msg("%s", p->e.msg);
}

static void take_down(struct pair *p, const char *a, const char *b)
{
	const uint32_t from = topo_find(p->t, a), to = topo_find(p->t, b);
	const struct topo_node *n = &p->t->node[from];

	for (uint32_t i = 0; i < n->n_ports; i++) {
		const struct topo_port *at = &p->t->port[n->first_port + i];

		if (at->peer_node != to)
			continue;
		p->down[n->first_port + i] = 1;
		p->down[p->t->node[to].first_port + at->peer_port] = 1;
		return;
	}
	fail_msg("no link %s-%s", a, b);
}

static int build(struct pair *p)
{
	routes_free(p->without);
	p->without = NULL;
	return routes_build_without(&p->without, p->t, 1, p->down, p->usual, &p->e);
}

static void finish(struct pair *p)
{
	routes_free(p->usual);
	routes_free(p->without);
	topo_free(p->t);
}

/* The next nodes of a switch towards a host, such as "s0 s2". */
static void assert_next(const struct pair *p, const char *sw, uint16_t host, const char *want)
{
	const uint32_t node = topo_find(p->t, sw);
	const uint16_t *port = NULL;
	uint16_t one;
	char got[128] = "";
	uint32_t n = routes_ports(p->without, node, host, &port, &one);

	size_t used = 0;

	for (uint32_t i = 0; i < n && used < sizeof(got); i++) {
		const uint32_t at = p->t->port[p->t->node[node].first_port + port[i]].peer_node;

		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%s", i ? " " : "",
		        p->t->node[at].name);
	}
	assert_string_equal(got, want);
}

static void sets_shrink(void **state)
{
	struct pair p;

	(void)state;
	setup(&p, SPINES);
	assert_int_equal(build(&p), 0);
	assert_next(&p, "l0", 1, "s0 s1 s2");
	take_down(&p, "l1", "s1"); /* beyond the spine: l0 has to know too */
	assert_int_equal(build(&p), 0);
	assert_next(&p, "l0", 1, "s0 s2");
	assert_next(&p, "l1", 0, "s0 s2");
	assert_next(&p, "s1", 1, "l0"); /* what is on its way there turns round */
	assert_next(&p, "s1", 0, "l0");
	take_down(&p, "l0", "s0");
	assert_int_equal(build(&p), 0);
	assert_next(&p, "l0", 1, "s2");
	assert_next(&p, "l1", 1, "h1");
	finish(&p);
}

static void no_way_is_the_old_way(void **state)
{
	struct pair p;

	(void)state;
	setup(&p, SPINES);
	take_down(&p, "l0", "s0");
	take_down(&p, "l0", "s1");
	take_down(&p, "l0", "s2");
	assert_int_equal(build(&p), 0);
	assert_next(&p, "l0", 1, "s0 s1 s2");
	assert_next(&p, "s0", 0, "l0");
	assert_next(&p, "s0", 1, "l1");
	assert_next(&p, "l1", 0, "s0 s1 s2");
	finish(&p);
}

/* A route of the topology holds as long as its own link does, whatever else is down. */
static void own_routes_hold(void **state)
{
	struct pair p;

	(void)state;
	setup(&p, TRIANGLE "route s0 s2 s1\n");
	take_down(&p, "s2", "s0");
	assert_int_equal(build(&p), 0);
	assert_next(&p, "s0", 2, "s1");
	assert_next(&p, "s2", 0, "s1");
	finish(&p);
	setup(&p, TRIANGLE "route s0 s2 s1\n");
	take_down(&p, "s0", "s1");
	assert_int_equal(build(&p), 0);
	assert_next(&p, "s0", 2, "s2");
	assert_next(&p, "s0", 1, "s2");
	finish(&p);
	/* s0 insists on s1, which has no way but s0 */
	setup(&p, TRIANGLE "route s0 s2 s1\n");
	take_down(&p, "s1", "s2");
	assert_int_equal(build(&p), -EINVAL);
	assert_non_null(strstr(p.e.msg, "lead in a circle"));
	finish(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(sets_shrink),
	        cmocka_unit_test(no_way_is_the_old_way),
	        cmocka_unit_test(own_routes_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
