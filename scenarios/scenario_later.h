/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that the format defines and that nothing reads yet, for those who explain them.
 * Constant.
 */
#ifndef SCENARIO_LATER_H
#define SCENARIO_LATER_H

/* What the key at this full path will do, and the one value that is possible today ("": none
 * but an empty list); NULL if there is no such key. */
const char *scenario_later_what(const char *path, const char **neutral);

#endif
