/* SPDX-License-Identifier: Apache-2.0 */
/* messages.csv: one line per message in the order of the record. Errors stay in the stream. */
#ifndef ANALYSIS_MESSAGES_CSV_H
#define ANALYSIS_MESSAGES_CSV_H

#include <stdio.h>

#include "dataplane/base/record.h"

void messages_csv_write(FILE *f, const struct run_record *r);

#endif
