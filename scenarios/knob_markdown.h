/* SPDX-License-Identifier: Apache-2.0 */
/* The knob table and the presets as the tables of docs/scenario.md. Errors stay in the stream.
 */
#ifndef KNOB_MARKDOWN_H
#define KNOB_MARKDOWN_H

#include <stdio.h>

/* Between these lines of the page stands what knob_markdown_write writes; a test compares. */
#define KNOB_MARKDOWN_BEGIN "<!-- keys: begin, written by `squall explain --markdown` -->\n"
#define KNOB_MARKDOWN_END   "<!-- keys: end -->\n"

void knob_markdown_write(FILE *f);

#endif
