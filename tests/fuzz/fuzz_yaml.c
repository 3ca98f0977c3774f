/* SPDX-License-Identifier: Apache-2.0 */
/* YAML from outside: a bounded tree with positions, or one error. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dataplane/base/check.h"
#include "scenarios/yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t walk(const struct yaml_node *n, uint32_t depth)
{
	uint32_t nodes = 1, children = 0;

	CHECK(depth <= YAML_MAX_DEPTH);
	CHECK(n->kind != YAML_SCALAR || (n->text && !n->first));
	for (const struct yaml_node *c = n->first; c; c = c->next) {
		CHECK(n->kind != YAML_MAP || c->key);
		nodes += walk(c, depth + 1);
		children++;
	}
	CHECK(children == n->n_children);
	return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct yaml_doc d;
	struct yaml_node *root = NULL;
	struct err e = {0};

	memset(&d, 0, sizeof(d));
	if (yaml_read(&d, &root, (const char *)data, size, "input", &e) != 0)
		CHECK(strncmp(e.msg, "input", 5) == 0);
	else if (root)
		CHECK(walk(root, 0) <= YAML_MAX_NODES);
	yaml_fini(&d);
	return 0;
}
