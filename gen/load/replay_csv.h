/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded messages as text: CSV lines `src,dst,bytes,start[,qp[,port[,priority[,after]]]]`,
 * the header line optional; start in microseconds and bytes in bytes unless they carry a unit.
 * `after` names up to REPLAY_MAX_AFTER messages, SRC.QP.N joined by `+`: the N-th, from 0, of a
 * queue pair. Total: any bytes give rows or one error with its position. Pure.
 */
#ifndef LOAD_REPLAY_CSV_H
#define LOAD_REPLAY_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "dataplane/base/err.h"

#define REPLAY_MAX_FILE_BYTES (UINT32_C(2) << 30)
#define REPLAY_MAX_AFTER      3
#define REPLAY_MAX_QP         UINT32_C(0xffffff) /* as queue pair numbers go */

struct replay_after {
	uint32_t src, qp, n;
};

struct replay_row {
	int64_t start_ps; /* with after: so much later */
	int64_t bytes;
	uint32_t src, dst, qp;
	uint32_t line;
	uint32_t first_after;
	uint16_t port; /* 0: not given */
	int8_t priority;
	uint8_t n_after;
};

/* Rows in the order of the file. replay_rows_fini frees; all zero is empty. */
struct replay_rows {
	struct replay_row *at;
	struct replay_after *after;
	uint32_t n, room, n_after, room_after;
};

NODISCARD int replay_csv_parse(struct replay_rows *out, const char *name, const char *text,
        size_t len, uint32_t n_hosts, int64_t max_bytes, struct err *e);
void replay_rows_fini(struct replay_rows *r);

#endif
