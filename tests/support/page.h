/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of docs/ whose tables the program prints. */
#ifndef TESTS_PAGE_H
#define TESTS_PAGE_H

#include <stdio.h>

/* Fails the calling cmocka test unless what write prints stands in the page (a path below the
 * source tree) between begin and end. command is what prints it for a person. */
void page_check(const char *page, const char *begin, const char *end, void (*write)(FILE *f),
        const char *command);

#endif
