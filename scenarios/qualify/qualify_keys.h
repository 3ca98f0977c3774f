/* SPDX-License-Identifier: Apache-2.0 */
/* Which keys of a scenario describe the switch under test, and which the tester around it. */
#ifndef QUALIFY_KEYS_H
#define QUALIFY_KEYS_H

#include "dataplane/base/err.h"

/* -EINVAL for a key, as --set or the file of a switch has it, that belongs to the tester: its
 * ports, frames, traffic and times come from the suite. where: begins the message. */
NODISCARD int qualify_key_check(const char *key, const char *where, struct err *e);

#endif
