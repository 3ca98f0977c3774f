/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML as Jenkins and GitLab read it: a test suite per suite, a test case per case. */
#ifndef ANALYSIS_JUNIT_H
#define ANALYSIS_JUNIT_H

#include <stdio.h>

#include "analysis/verdict.h"

/* Errors stay in the stream. */
void junit_write(FILE *f, const struct verdict *v);

#endif
