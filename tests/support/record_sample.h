/* SPDX-License-Identifier: Apache-2.0 */
/* A run made by hand, so that results can be checked without a simulator. */
#ifndef TESTS_RECORD_SAMPLE_H
#define TESTS_RECORD_SAMPLE_H

#include "analysis/run_result.h"
#include "dataplane/base/record.h"

/*
 * 4 hosts, 1 switch (node 4, "sw0"). 100 completed messages of 1 MB: message i (1..100) from
 * host 1 + i % 3 to host 0, posted at i us, first packet 0.5 us later, done i * 10 us after its
 * post, alone 10 us. Then one failed and one unfinished message. 1000 latency samples
 * of 1..1000 ns.
 */
struct run_record *record_sample(void);

/* A result over it, with names, percentiles and costs; borrows rec. */
struct run_result record_sample_result(const struct run_record *rec);

#endif
