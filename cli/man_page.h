/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual pages in roff (man(7)): one for the program, one for each command, one for the
 * scenario file. Text, options and keys come from the command table and the knob table.
 */
#ifndef CLI_MAN_PAGE_H
#define CLI_MAN_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "cli/cli.h"

struct man_page {
	const char *name; /* as a person asks for it: "squall", "run", "scenario" */
	char file[48];    /* "squall-run" */
	int section;
	const struct command *command; /* NULL for the two others */
};

uint32_t man_pages(void);
struct man_page man_page(uint32_t i); /* i < man_pages() */
void man_page_write(FILE *f, const struct man_page *p);

#endif
