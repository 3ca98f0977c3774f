/* SPDX-License-Identifier: Apache-2.0 */
/* Every key of a scenario with its value, its default and where that comes from, for reports.
 */
#ifndef SCENARIOS_CONFIG_ROWS_H
#define SCENARIOS_CONFIG_ROWS_H

#include "analysis/run_result.h"
#include "scenarios/scenario.h"

/* config_rows_fini frees. */
NODISCARD int config_rows_init(
        struct config_row **out, uint32_t *n, const struct scenario *s, struct err *e);
void config_rows_fini(struct config_row *row, uint32_t n);

#endif
