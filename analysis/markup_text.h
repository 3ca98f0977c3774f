/* SPDX-License-Identifier: Apache-2.0 */
/* Text in XML and HTML: markup is escaped, what XML 1.0 cannot carry becomes U+FFFD. */
#ifndef ANALYSIS_MARKUP_TEXT_H
#define ANALYSIS_MARKUP_TEXT_H

#include <stdio.h>

/* Fit for element content and for attribute values in either kind of quotes. */
void markup_text(FILE *f, const char *s);

#endif
