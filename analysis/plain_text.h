/* SPDX-License-Identifier: Apache-2.0 */
/* Text out of files of others, for a terminal: nothing in it moves the cursor. */
#ifndef ANALYSIS_PLAIN_TEXT_H
#define ANALYSIS_PLAIN_TEXT_H

/* Puts ? in place of each control character: C0, DEL, and C1 in UTF-8 (U+0080 to U+009F). */
void plain_text(char *text);

#endif
