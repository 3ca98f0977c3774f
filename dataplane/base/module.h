/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the program that need a library which most machines lack are shared objects beside
 * it (where it was built) or in ../lib/squall (installed), loaded when they are asked for and
 * never unloaded. Any thread.
 */
#ifndef BASE_MODULE_H
#define BASE_MODULE_H

#include <stdbool.h>

#include "dataplane/base/err.h"

/*
 * The symbol of a module, or NULL with the reason: `missing` says what to do where there is no
 * such file. global: its symbols serve libraries that it loads itself.
 */
void *module_symbol(
        const char *file, const char *symbol, bool global, const char *missing, struct err *e);

#endif
