/* SPDX-License-Identifier: Apache-2.0 */
/* ports.csv: what each egress queue did. pfc.csv: what ports told their peers, and why. Errors
 * stay in the stream. */
#ifndef ANALYSIS_PORTS_CSV_H
#define ANALYSIS_PORTS_CSV_H

#include <stdio.h>

#include "analysis/net_view.h"
#include "dataplane/base/record.h"

void ports_csv_write(FILE *f, const struct run_record *r, const struct net_view *v);
void pfc_csv_write(FILE *f, const struct run_record *r, const struct net_view *v);

#endif
