/* SPDX-License-Identifier: Apache-2.0 */
/* GNU attributes and branch hints under readable names. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#define NODISCARD         __attribute__((warn_unused_result))
#define ALWAYS_INLINE     inline __attribute__((always_inline))
#define NOINLINE          __attribute__((noinline))
#define COLD              __attribute__((noinline, cold))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define LIKELY(x)         __builtin_expect(!!(x), 1)
#define UNLIKELY(x)       __builtin_expect(!!(x), 0)
#define CACHE_LINE        64

#endif
