/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/base/text_file.h"

void page_check(const char *page, const char *begin, const char *end, void (*write)(FILE *f),
        const char *command)
{
	char path[500], *shown, *from, *to, *text = NULL;
	size_t len, text_len = 0;
	struct err e = {0};
	FILE *f = open_memstream(&text, &text_len);

	assert_non_null(f);
	write(f);
	assert_int_equal(fclose(f), 0);
	(void)snprintf(path, sizeof(path), "%s/%s", SQUALL_SOURCE_DIR, page);
	if (text_file_read(&shown, &len, path, 1 << 20, &e))
		fail_msg("%s", e.msg);
	from = strstr(shown, begin);
	assert_non_null(from);
	from += strlen(begin);
	to = strstr(from, end);
	assert_non_null(to);
	*to = '\0';
	if (strcmp(from, text) != 0)
		fail_msg("%s: write the output of `%s` between its markers", page, command);
	free(text);
	free(shown);
}
