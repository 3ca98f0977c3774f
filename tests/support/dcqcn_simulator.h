/* SPDX-License-Identifier: Apache-2.0 */
/* The product's simulator put through the cases of dcqcn_packets.h, so that both answer alike.
 */
#ifndef TESTS_DCQCN_SIMULATOR_H
#define TESTS_DCQCN_SIMULATOR_H

#include "dataplane/base/err.h"
#include "dataplane/base/record.h"
#include "tests/support/dcqcn_packets.h"

/* Endless data through one switch, the published algorithm (preset paper) with the values of
 * c->law; wire and buffer count the same packet_bytes. 0, or what scenario or simulator said.
 */
int simulator_run(struct packets_result *r, const struct packets_cfg *c, struct err *e);

/* Queue mean and deviation, alpha and rate of rows after from_ps; rate: payload per flow. */
void simulator_means(struct packets_result *r, const struct run_record *rec, int64_t from_ps);

#endif
