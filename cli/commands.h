/* SPDX-License-Identifier: Apache-2.0 */
/* Every command; the table in commands.c puts them in the order of --help. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct command cmd_run, cmd_list, cmd_qualify, cmd_report, cmd_topo, cmd_check,
        cmd_plan, cmd_import, cmd_explain, cmd_schema, cmd_man, cmd_completion, cmd_version,
        cmd_capture, cmd_analyze, cmd_rewrite;

#endif
