/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/qualify/qualify_keys.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const char *const testers[] = {"squall", "name", "seed", "preset", "stop", "workload",
        "faults", "measure", "expect", NULL};
static const char *const testers_fabric[] = {
        "topology", "host_link.rate", "fabric_link", "frame", NULL};

static bool begins(const char *key, const char *const *names)
{
	for (; *names; names++) {
		size_t len = strlen(*names);

		if (!strncmp(key, *names, len) && (!key[len] || strchr(".[", key[len])))
			return true;
	}
	return false;
}

int qualify_key_check(const char *key, const char *where, struct err *e)
{
	const bool is_full = !strncmp(key, "fabric.", strlen("fabric."));

	if (!begins(is_full ? key + strlen("fabric.") : key, testers_fabric) &&
	        (is_full || !begins(key, testers)))
		return 0;
	return err_set(e, -EINVAL,
	        "%s%s: belongs to the tester, whose ports, frames, traffic and times come from "
	        "the suite; expected a key of the switch, such as fabric.switch.buffer",
	        where, key);
}
