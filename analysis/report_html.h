/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.html: one file that needs no other and no network, with the data of one run or of
 * several side by side. Whatever the data holds stays data: it cannot end its script element.
 * Errors stay in the stream.
 */
#ifndef ANALYSIS_REPORT_HTML_H
#define ANALYSIS_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

struct report_run {
	const char *name; /* what tells it from the others */
	const char *json; /* a report.json, valid */
	size_t len;
};

void report_html_write(FILE *f, const struct report_run *run, size_t n);

/* The same page with what a capture shows: a squall.capture-report/1, valid. */
void report_html_capture(FILE *f, const char *json, size_t len);

#endif
