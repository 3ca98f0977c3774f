/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CHECK aborts in every build: a wrong figure is worse than a crash. ASSERT aborts in debug
 * builds and is only type-checked in release builds. Neither is ever used on outside input.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include "dataplane/base/compiler.h"

_Noreturn void check_failed(const char *what, const char *file, int line);

#define CHECK(x)                                                                               \
	do {                                                                                   \
		if (UNLIKELY(!(x)))                                                            \
			check_failed(#x, __FILE__, __LINE__);                                  \
	} while (0)

#ifdef NDEBUG
#define ASSERT(x) ((void)sizeof(!(x)))
#else
#define ASSERT(x) CHECK(x)
#endif

#endif
