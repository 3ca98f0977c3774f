/* SPDX-License-Identifier: Apache-2.0 */
/* The table of units that parsing and printing share; for this folder alone. */
#ifndef BASE_UNITS_INT_H
#define BASE_UNITS_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/units.h"

/* A unit with `print` set is what unit_format writes; the others are accepted spellings. */
struct unit {
	enum unit_kind kind;
	bool print;
	const char *name;
	int64_t scale;
};

#define N_UNITS 33

extern const struct unit units[N_UNITS];

#endif
