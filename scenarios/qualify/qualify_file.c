/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_file.h"

#include <errno.h>
#include <string.h>

int qualify_file_version(
        const struct yaml_node *root, const char *key, const char *path, struct err *e)
{
	const struct yaml_node *n;

	if (!root)
		return err_set(e, -EINVAL, "%s: empty: expected \"%s: 1\" and more", path, key);
	n = root->kind == YAML_MAP ? yaml_get(root, key) : NULL;
	if (!n)
		return yaml_err(e, &root->at, "%s is missing: expected \"%s: 1\"", key, key);
	if (n->kind != YAML_SCALAR || strcmp(n->text, "1") != 0)
		return yaml_err(e, &n->at, "%s: expected 1, the version of the format", key);
	return 0;
}

const char *qualify_file_name(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".yaml"))
		len -= 5;
	return arena_text(a, name, len);
}
