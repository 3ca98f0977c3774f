/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane/base/record.h"

#include <stdlib.h>

void run_record_free(struct run_record *r)
{
	if (!r)
		return;
	free(r->msg);
	free(r->all);
	free(r->pair);
	free(r->row);
	free(r->queue);
	free(r->pause);
	free(r->violation);
	free(r->iteration);
	free(r->port);
	free(r->pfc);
	free(r->edge);
	free(r->watchdog);
	free(r->fault);
	free(r->deadlock);
	free(r);
}
