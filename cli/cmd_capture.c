/* SPDX-License-Identifier: Apache-2.0 */
/* squall capture: packets of an interface, or of another capture, into a pcapng file. */
#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/copy.h"
#include "capture/growing_file.h"
#include "capture/live.h"
#include "cli/capture_options.h"
#include "cli/capture_show.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/replace.h"
#include "cli/stop.h"

static int check(const struct capture_args *a, struct err *e)
{
	if (!a->source.device && !a->in)
		return err_set(e, -EINVAL,
		        "capture: which interface? -i IF (ip link lists them), or -r FILE");
	if (a->source.device && a->in)
		return err_set(e, -EINVAL, "capture: -i and -r are given; choose one");
	if (a->in && !a->out)
		return err_set(e, -EINVAL, "capture: -r %s needs -w FILE", a->in);
	if (a->follow && !a->in)
		return err_set(e, -EINVAL, "capture: --follow goes with -r FILE");
	if (a->in)
		return replace_check_inputs(
		        a->out, (const char *const[]){a->in}, 1, "copied", e);
	return 0;
}

/* eth0-20261201-180301.pcapng, where no name is given. */
static const char *name_output(struct capture_args *a)
{
	time_t now = time(NULL);
	struct tm t;
	char when[32];

	if (a->out)
		return a->out;
	(void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&now, &t));
	(void)snprintf(a->named, sizeof(a->named), "%s-%s.pcapng", a->source.device, when);
	for (char *c = a->named; *c; c++)
		*c = (char)(*c == '/' || *c == ':' ? '_' : *c);
	return a->named;
}

static int capture_into(struct capture_args *a, int fd, struct live_result *out, struct err *e)
{
	struct bpf_program program;
	struct capture_show show = {.out = a->out, .quiet = a->quiet};
	struct live_config c = {.source = a->source,
	        .fd = fd,
	        .application = "squall " SQUALL_VERSION,
	        .comment = a->comment,
	        .n_buffers = a->n_buffers,
	        .buffer_bytes = a->buffer_bytes,
	        .duration_ns = a->duration_ns,
	        .max_packets = a->max_packets,
	        .stop = stop_on_signals(),
	        .show = a->quiet ? NULL : capture_show_progress,
	        .begun = a->quiet ? NULL : capture_show_begun,
	        .arg = &show};

	int r = capture_source_choose(&c.ops, &c.source, a->source_kind, &program, e);

	if (r)
		return r;
	r = live_capture(&c, out, e);
	if (c.source.program)
		pcap_freecode(&program);
	return r;
}

static int capture_file(struct capture_args *a, struct live_result *out, struct err *e)
{
	struct growing_file file;
	int r;

	a->out = name_output(a);
	if (!strcmp(a->out, "-")) {
		if (isatty(STDOUT_FILENO))
			return err_set(e, -EINVAL,
			        "capture: -w -: standard output is a terminal; give a file, or "
			        "a "
			        "program behind a pipe");
		return capture_into(a, STDOUT_FILENO, out, e);
	}
	r = growing_file_open(&file, a->out, e);
	if (r)
		return r;
	r = capture_into(a, file.fd, out, e);
	if (!r)
		return growing_file_finish(&file, e);
	growing_file_abort(&file);
	return r;
}

static enum cli_exit capture_live(struct capture_args *a)
{
	struct live_result *result = calloc(1, sizeof(*result));
	struct err *e = a->err;
	int r = result ? capture_file(a, result, e) : err_set(e, -ENOMEM, "out of memory");

	if (!r && !a->quiet)
		capture_show_end(result, a->out);
	if (!r && result->why.code) {
		*e = result->why;
		if (result->end == LIVE_WRITE_FAILED)
			(void)err_prefix(e, "%s", a->out);
		r = e->code;
	}
	free(result);
	return r ? cli_error(e) : CLI_OK;
}

/* Its own stream on the file, so that both can be closed. */
static int copy_into(struct capture_args *a, int fd, struct copy_result *result, struct err *e)
{
	struct copy_config c = {.in = a->in,
	        .follow = a->follow,
	        .filter = a->source.filter,
	        .snap_bytes = a->source.snap_bytes,
	        .max_packets = a->max_packets,
	        .duration_ns = a->duration_ns,
	        .application = "squall " SQUALL_VERSION,
	        .comment = a->comment,
	        .stop = stop_on_signals()};
	int other = dup(fd), r;
	FILE *f = other < 0 ? NULL : fdopen(other, "w");

	if (!f)
		return err_set(e, -errno, "%s: %s", a->out, strerror(errno));
	r = copy_capture(&c, f, result, e);
	if ((ferror(f) | fclose(f)) && !r)
		r = err_set(e, -EIO, "%s: cannot write: %s", a->out, strerror(errno));
	return r;
}

static int copy_file(struct capture_args *a, struct copy_result *result, struct err *e)
{
	struct growing_file file;
	int r;

	if (!strcmp(a->out, "-"))
		return copy_into(a, STDOUT_FILENO, result, e);
	r = growing_file_open(&file, a->out, e);
	if (r)
		return r;
	r = copy_into(a, file.fd, result, e);
	if (!r)
		return growing_file_finish(&file, e);
	growing_file_abort(&file);
	return r;
}

/* What was read is kept; whoever asked for all of it hears that it is not. */
static enum cli_exit say_stopped(const struct capture_args *a, const struct copy_result *r)
{
	char of[40] = "";

	if (r->of_bytes)
		(void)snprintf(of, sizeof(of), " of %" PRIu64, r->of_bytes);
	cli_note("interrupted: %s is partial, stopped after %" PRIu64 "%s bytes of %s", a->out,
	        r->at_bytes, of, a->in);
	return CLI_ENVIRONMENT;
}

static enum cli_exit capture_copy(struct capture_args *a)
{
	struct copy_result result;
	int r = copy_file(a, &result, a->err);

	if (r)
		return cli_error(a->err);
	if (result.cut)
		cli_note("%s: ends in the middle of a packet; what is whole was taken", a->in);
	if (!a->quiet)
		cli_note("%s: %" PRIu64 " of %" PRIu64 " packets of %s", a->out, result.written,
		        result.read, a->in);
	return result.stopped && !a->follow ? say_stopped(a, &result) : CLI_OK;
}

static enum cli_exit main_capture(int argc, char **argv)
{
	struct err e = {0};
	struct capture_args a = {.err = &e};
	int r = options_parse(&capture_argp, argc, argv, &a, &e);

	if (r > 0)
		return CLI_OK;
	if (!r)
		r = check(&a, &e);
	if (r)
		return cli_error(&e);
	return a.in ? capture_copy(&a) : capture_live(&a);
}

const struct command cmd_capture = {
        .name = "capture",
        .doc = "write packets of an interface, with their clock and every loss, into a file",
        .run = main_capture,
        .argp = &capture_argp,
};
