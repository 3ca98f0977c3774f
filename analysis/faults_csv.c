/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/faults_csv.h"

#include <string.h>

#include "analysis/csv_line.h"
#include "analysis/put.h"
#include "analysis/stats.h"

/* Names come from a topology file, too: a comma or a quote in one must not split the row. */
static void write_name(FILE *f, const char *name)
{
	put_char('"', f);
	for (; *name; name++)
		put(f, *name == '"' ? "\"\"" : "%c", *name);
	put_char('"', f);
}

void faults_csv_write(FILE *f, const struct run_result *r)
{
	put_text("fault,name,packets,first_us,last_us\n", f);
	for (uint64_t i = 0; i < r->rec->n_fault; i++) {
		const struct fault_record *t = &r->rec->fault[i];
		struct csv_line l = {0};

		put(f, "%u,", t->fault);
		write_name(f, r->fault_name ? r->fault_name[t->fault] : "");
		put_char(',', f);
		csv_whole(&l, t->packets);
		csv_fixed(&l, t->first_ps == TIME_NEVER ? STATS_NULL : t->first_ps, 6);
		csv_fixed(&l, t->last_ps == TIME_NEVER ? STATS_NULL : t->last_ps, 6);
		csv_end(&l, f);
	}
}
