/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities with units, rounded to about four digits, for people; files use number.h. */
#ifndef ANALYSIS_HUMAN_H
#define ANALYSIS_HUMAN_H

#include <stdint.h>

#define HUMAN_LEN 32

const char *human_time(char buf[HUMAN_LEN], int64_t t_ps); /* 3.412 ms */
const char *human_rate(char buf[HUMAN_LEN], int64_t bps);  /* 97.31 Gbps */
const char *human_size(
        char buf[HUMAN_LEN], int64_t bytes);            /* 512.4 KB (10^n, as in scenarios) */
const char *human_count(char buf[HUMAN_LEN], double n); /* 24.13 M */
const char *human_micro(char buf[HUMAN_LEN], int64_t micro); /* value in millionths: 668.1 */

#endif
