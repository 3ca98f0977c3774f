/* SPDX-License-Identifier: Apache-2.0 */
/* What squall analyze is asked for. */
#ifndef CLI_ANALYZE_OPTIONS_H
#define CLI_ANALYZE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis/trace/trace.h"
#include "cli/capture_args.h"

struct analyze_args {
	const char **path; /* n_path of them; belongs to the arguments */
	uint32_t n_path;
	bool json, messages, flows, quiet;
	const char *csv, *out, *report;
	const char *explain; /* a finding; NULL: analyse */
	bool markdown;
	struct trace_options trace; /* threads, speed, bins, QP */
	bool timeline;
	struct capture_args live; /* source.device: not files, but this interface */
	bool live_asked;          /* options that belong to it */
	int64_t refresh_ns;
	struct err *err;
};

extern const struct argp analyze_argp; /* its input is the struct analyze_args */

void analyze_args_fini(struct analyze_args *a);

#endif
