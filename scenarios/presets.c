/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/presets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dataplane/base/nearest.h"
#include "scenarios/yaml_tree.h"

const struct preset *const presets[] = {&preset_connectx, &preset_paper, &preset_hpcc, NULL};

const struct preset *preset_find(const char *name)
{
	for (const struct preset *const *p = presets; *p; p++) {
		if (!strcmp((*p)->name, name))
			return *p;
	}
	return NULL;
}

int preset_unknown(const char *name, struct err *e)
{
	char shown[YAML_SHOWN_BYTES], names[128] = "";
	struct nearest n;
	size_t used = 0;

	nearest_init(&n, name);
	for (const struct preset *const *p = presets; *p; p++) {
		int k = snprintf(names + used, sizeof(names) - used, "%s%s",
		        !used  ? ""
		        : p[1] ? ", "
		               : " or ",
		        (*p)->name);

		used += k < 0 ? 0 : (size_t)k;
		nearest_offer(&n, (*p)->name);
	}
	if (nearest_get(&n))
		return err_set(e, -EINVAL, "\"%s\": no such preset; did you mean %s?",
		        yaml_shown(shown, name), nearest_get(&n));
	return err_set(e, -EINVAL, "\"%s\": no such preset: expected %s",
	        yaml_shown(shown, name), names);
}
