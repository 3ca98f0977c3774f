/* SPDX-License-Identifier: Apache-2.0 */
/* What must add up in any record; a failure ends the calling cmocka test. */
#ifndef TESTS_ACCOUNTS_H
#define TESTS_ACCOUNTS_H

#include "dataplane/base/record.h"

void accounts_check(const struct run_record *r);

#endif
