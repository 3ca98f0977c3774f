/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow lists as text: CSV lines `src,dst,bytes,start[,priority]`, the header line optional;
 * start in microseconds and bytes in bytes unless they carry a unit. Total: any bytes give rows
 * or one error with its position. Pure.
 */
#ifndef LOAD_FLOW_CSV_H
#define LOAD_FLOW_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"
#include "gen/load/load.h"

#define FLOW_CSV_MAX_FILE_BYTES (UINT32_C(1) << 30)

enum flow_field {
	FLOW_SRC,
	FLOW_DST,
	FLOW_BYTES,
	FLOW_START,
	FLOW_PRIORITY, /* may be absent or empty: the entry's */
	FLOW_FIELDS,
};

/* One row from its fields' texts; n is 4 or 5. -EINVAL: *bad tells which field the message,
 * which begins with the field's name, is about. */
NODISCARD int flow_parse(struct load_flow *out, const char *const text[FLOW_FIELDS], uint32_t n,
        enum flow_field *bad, struct err *e);

/* Is the row possible on a fabric of n_hosts? *bad as above. */
NODISCARD int flow_check(const struct load_flow *f, uint32_t n_hosts, int64_t max_bytes,
        enum flow_field *bad, struct err *e);

/* A whole list, checked; *out is malloc'd. name is for messages: "flows.csv:12:7: dst: ...". */
NODISCARD int flow_csv_parse(struct load_flow **out, int64_t *n, const char *name,
        const char *text, size_t len, uint32_t n_hosts, int64_t max_bytes, struct err *e);

#endif
