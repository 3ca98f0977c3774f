/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/analyze_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/capture_options.h"
#include "cli/options.h"
#include "dataplane/base/units.h"

enum {
	OPT_JSON = 0x300,
	OPT_CSV,
	OPT_REPORT,
	OPT_FLOWS,
	OPT_MESSAGES,
	OPT_TIMELINE,
	OPT_QP,
	OPT_THREADS,
	OPT_SPEED,
	OPT_NO_ICRC,
	OPT_REFRESH,
	OPT_UDP_PORT,
	OPT_EXPLAIN,
	OPT_MARKDOWN,
	OPT_FOLLOW,
};

static const struct argp_option options[] = {
        {"interface", 'i', "IF", 0, "Packets of this interface as they come, not of files", 0},
        CAPTURE_OPTIONS,
        {"refresh", OPT_REFRESH, "TIME", 0,
                "With -i: how often the screen is drawn or a line is written (1s)", 0},
        {"json", OPT_JSON, NULL, 0, "One JSON document with everything", 0},
        {"csv", OPT_CSV, "DIR", 0,
                "Write flows.csv, messages.csv, pauses.csv, recoveries.csv and timeline.csv "
                "into the folder",
                0},
        {"report", OPT_REPORT, "FILE", 0,
                "Write a page that shows it all: one HTML file that loads nothing", 0},
        {"output", 'o', "FILE", 0, "Write there instead of to the terminal", 0},
        {"flows", OPT_FLOWS, NULL, 0, "Every flow, not only the largest", 0},
        {"messages", OPT_MESSAGES, NULL, 0, "With --json: every message", 0},
        {"timeline", OPT_TIMELINE, "US", 0,
                "A time line in steps of so many microseconds (a number or a time with its "
                "unit)",
                0},
        {"qp", OPT_QP, "N", 0, "Only the queue pair of this number (0x1a or 26)", 0},
        {"follow", OPT_FOLLOW, NULL, 0,
                "The file still grows: wait for more at its end, until Ctrl-C", 0},
        {"threads", OPT_THREADS, "N", 0, "Threads (default: one per processor)", 0},
        {"speed", OPT_SPEED, "RATE", 0,
                "Speed of the links, such as 100Gbps, where the file does not say it", 0},
        {"explain", OPT_EXPLAIN, "FINDING", 0,
                "What a finding means, how it is detected and what to do; all lists them", 0},
        {"markdown", OPT_MARKDOWN, NULL, 0, "With --explain all: as the documentation", 0},
        {"no-icrc", OPT_NO_ICRC, NULL, 0, "Do not check the ICRC", 0},
        {"udp-port", OPT_UDP_PORT, "N", 0,
                "Packets to this UDP port are RoCEv2 as well; where their ICRC proves it they "
                "are found without",
                0},
        {"quiet", 'q', NULL, 0, "No progress and no notes", 0},
        {NULL, 0, NULL, 0, NULL, 0},
};

static int parse_timeline(struct analyze_args *a, const char *text)
{
	int64_t ps = 0;
	char *end;
	unsigned long us;

	errno = 0;
	us = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && us <= 1000000000)
		ps = (int64_t)us * PS_PER_US;
	else if (unit_parse(&ps, UNIT_TIME, text, a->err))
		return err_prefix(a->err, "--timeline");
	if (ps < PS_PER_NS || ps / PS_PER_NS > INT64_C(1000000000000))
		return err_set(
		        a->err, -EINVAL, "--timeline: a step of 1 ns to 1000 s, not %s", text);
	a->trace.bin_ns = ns_from_ps_floor(ps);
	a->timeline = true;
	return 0;
}

static int parse_refresh(struct analyze_args *a, const char *text)
{
	int64_t ps = 0;

	if (unit_parse(&ps, UNIT_TIME, text, a->err))
		return err_prefix(a->err, "--refresh");
	if (ps < 100 * PS_PER_MS || ps > 3600 * PS_PER_S)
		return err_set(
		        a->err, -EINVAL, "--refresh: from 100ms to 1 hour, not %s", text);
	a->refresh_ns = ns_from_ps_floor(ps);
	return 0;
}

static int parse_qp(struct analyze_args *a, const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || n > 0xffffff)
		return err_set(a->err, -EINVAL,
		        "--qp: a queue pair number from 0 to 0xffffff, not '%s'", text);
	a->trace.only_qp = true;
	a->trace.qp = (uint32_t)n;
	return 0;
}

static int parse_speed(struct analyze_args *a, const char *text)
{
	int r = unit_parse(&a->trace.speed_bps, UNIT_RATE, text, a->err);

	if (r)
		return err_prefix(a->err, "--speed");
	if (a->trace.speed_bps < 1000000)
		return err_set(a->err, -EINVAL, "--speed: at least 1Mbps, not %s", text);
	return 0;
}

static int add_path(struct analyze_args *a, const char *path)
{
	const char **more = realloc(a->path, (a->n_path + 1) * sizeof(*more));

	if (!more)
		return err_set(a->err, -ENOMEM, "out of memory");
	a->path = more;
	a->path[a->n_path++] = path;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct analyze_args *a = state->input;
	uint64_t n;
	int r;

	switch (key) {
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_CSV:
		a->csv = arg;
		return 0;
	case OPT_REPORT:
		a->report = arg;
		return 0;
	case 'o':
		a->out = arg;
		return 0;
	case OPT_FLOWS:
		a->flows = true;
		return 0;
	case OPT_MESSAGES:
		a->messages = true;
		return 0;
	case OPT_TIMELINE:
		return -parse_timeline(a, arg);
	case OPT_QP:
		return -parse_qp(a, arg);
	case OPT_THREADS:
		if (options_whole(&n, "threads", arg, 1, 16, a->err))
			return EINVAL;
		a->trace.threads = (uint32_t)n;
		return 0;
	case OPT_SPEED:
		return -parse_speed(a, arg);
	case OPT_EXPLAIN:
		a->explain = arg;
		return 0;
	case OPT_MARKDOWN:
		a->markdown = true;
		return 0;
	case OPT_UDP_PORT:
		if (options_whole(&n, "udp-port", arg, 1, 65535, a->err))
			return EINVAL;
		a->trace.udp_port = (uint16_t)n;
		return 0;
	case OPT_FOLLOW:
		a->trace.follow = true;
		return 0;
	case OPT_NO_ICRC:
		a->trace.no_icrc = true;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		return -add_path(a, arg);
	case 'i':
		a->live.source.device = arg;
		return 0;
	case OPT_REFRESH:
		return -parse_refresh(a, arg);
	default:
		a->live.err = a->err;
		if (!capture_option_parse(key, arg, &a->live, &r))
			return ARGP_ERR_UNKNOWN;
		a->live_asked = true;
		return -r;
	}
}

static char *help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_POST_DOC
	               ? capture_options_help(text,
	                         "Exit status: 0 ok, 2 bad input, 3 environment (no "
	                         "permission, the interface went) or interrupted while a "
	                         "file or a pipe was read.")
	               : (char *)(uintptr_t)text;
}

const struct argp analyze_argp = {
        .options = options,
        .parser = parse,
        .args_doc = "FILE...\n-i IF",
        .help_filter = help,
        .doc = "Reads captures (pcap, pcapng, ERF; plain, gzip or zstd; - is standard input) "
               "and says "
               "what the traffic and its congestion control did: flows, messages, losses and "
               "why packets were sent again, CE marks and CNPs with their delays, pauses. "
               "Several files are taken as several places of one network: packets that more "
               "than one shows give one-way latency and where losses happened. With -i it "
               "listens to an interface and shows on a screen what happens, until q or "
               "Ctrl-C; then it says what it says of a file.\v"
               "Examples:\n"
               "  squall analyze capture.pcapng\n"
               "  squall analyze sender.pcap receiver.pcap --json -o both.json\n"
               "  squall analyze capture.pcapng --qp 0x1a --timeline 10us --csv loop\n"
               "  squall analyze capture.pcapng --report capture.html\n"
               "  squall analyze -i eth0 --filter roce --duration 1min --report eth0.html\n"
               "  squall analyze --explain pause-storm",
};

void analyze_args_fini(struct analyze_args *a)
{
	free(a->path);
}
