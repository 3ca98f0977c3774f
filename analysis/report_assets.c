/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/report_assets.h"

/* REPORT_PAGE_DIR: where the build put them. Compiled without LTO, which loses such symbols. */
__asm__(".pushsection .rodata\n"
        ".globl report_page_head\n"
        ".globl report_page_head_end\n"
        ".globl report_page_tail\n"
        ".globl report_page_tail_end\n"
        "report_page_head:\n"
        ".incbin \"" REPORT_PAGE_DIR "/report_head.html\"\n"
        "report_page_head_end:\n"
        ".byte 0\n"
        "report_page_tail:\n"
        ".incbin \"" REPORT_PAGE_DIR "/report_tail.html\"\n"
        "report_page_tail_end:\n"
        ".byte 0\n"
        ".popsection\n");
