/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <stddef.h>

const struct command *const commands[] = {
        &cmd_run,
        &cmd_list,
        &cmd_analyze,
        &cmd_qualify,
        &cmd_report,
        &cmd_topo,
        &cmd_check,
        &cmd_plan,
        &cmd_import,
        &cmd_capture,
        &cmd_rewrite,
        &cmd_explain,
        &cmd_schema,
        &cmd_man,
        &cmd_completion,
        &cmd_version,
        NULL,
};
