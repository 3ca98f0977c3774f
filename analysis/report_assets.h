/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves of the page between which its data stands; cmake/report_page.cmake joins them
 * from analysis/web and the chart library. */
#ifndef ANALYSIS_REPORT_ASSETS_H
#define ANALYSIS_REPORT_ASSETS_H

extern const char report_page_head[], report_page_head_end[];
extern const char report_page_tail[], report_page_tail_end[];

#endif
