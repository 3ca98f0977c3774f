/* SPDX-License-Identifier: Apache-2.0 */
/* Files that people try and that are no capture we read: what they are and what to do. */
#ifndef CAPTURE_FOREIGN_INT_H
#define CAPTURE_FOREIGN_INT_H

#include <stddef.h>
#include <stdint.h>

const char *foreign_format(const uint8_t *p, size_t n); /* NULL: nothing known */

#endif
