/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/world_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dataplane/base/module.h"
#include "dataplane/base/rng.h"
#include "scenarios/mpi/mpi_world.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

static long number_from(const char *name, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n;

	if (!text || !*text)
		return otherwise;
	n = strtol(text, &end, 10);
	return *end ? otherwise : n;
}

bool world_speaks(const struct world *w)
{
	if (w)
		return w->rank == 0;
	return number_from("OMPI_COMM_WORLD_LOCAL_RANK", 0) == 0;
}

int world_open(struct world **out, const char *version, struct err *e)
{
	const struct mpi_world_module *module;
	char why[200] = "", missing[200];
	int rc;

	*out = NULL;
	if (number_from("OMPI_COMM_WORLD_SIZE", 1) <= 1)
		return 0;
	(void)snprintf(missing, sizeof(missing),
	        "mpirun started this as one of %ld processes; build squall where Open MPI is "
	        "installed (libopenmpi-dev), or run without mpirun",
	        number_from("OMPI_COMM_WORLD_SIZE", 0));
	/* global: Open MPI loads parts of its own that look for it */
	module = module_symbol(MPI_WORLD_FILE, TEXT(MPI_WORLD_SYMBOL), true, missing, e);
	if (!module)
		return -ENOENT;
	if (strcmp(module->version, version) != 0)
		return err_set(e, -EINVAL,
		        MPI_WORLD_FILE " is of version %s, the program of %s: install both "
		                       "from one build",
		        module->version, version);
	rc = module->open(out, why, sizeof(why));
	return rc ? err_set(e, rc, "cannot join the other processes: %s", why) : 0;
}

void world_close(struct world *w)
{
	if (w)
		w->ops->close(w);
}

static uint64_t hash_bytes(uint64_t h, const char *at, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = hash_combine(h, (unsigned char)at[i]);
	return hash_combine(h, len);
}

/* The resolved text, and the flows and links that stand in files beside it. */
static int fingerprint(uint64_t *out, const struct scenario *s, struct err *e)
{
	char *text = NULL;
	size_t len = 0;
	int rc = scenario_resolved_text(&text, &len, s, e);

	if (rc)
		return rc;
	*out = hash_bytes(0, text, len);
	free(text);
	return 0;
}

int world_same_scenario(struct world *w, const struct scenario *s, struct err *e)
{
	uint64_t mine = 0;
	int rc;

	if (!w)
		return 0;
	rc = world_agree(w, fingerprint(&mine, s, e), e);
	if (rc)
		return rc;
	if (world_of_first(w, mine) != mine)
		rc = err_set(e, -EINVAL,
		        "%s: process %u has read another scenario than process 0: give all "
		        "machines the same files",
		        s->path, w->rank);
	return world_agree(w, rc, e);
}
