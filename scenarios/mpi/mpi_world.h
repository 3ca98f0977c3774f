/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squall_mpi.so: joins the processes that mpirun started. The program loads it when it finds
 * itself among several, so that it links no MPI and starts in milliseconds without it. It is
 * built with the program and shares its headers, so the version must be the program's own.
 */
#ifndef SCENARIO_MPI_WORLD_H
#define SCENARIO_MPI_WORLD_H

#include <stddef.h>

#include "gen/sim/world.h"

#define MPI_WORLD_FILE "squall_mpi.so"

/* The one symbol that the program asks for. */
#define MPI_WORLD_SYMBOL squall_mpi_world

struct mpi_world_module {
	const char *version; /* of the program that it was built with */
	/* 0 with *out, or a negative errno with the reason in why. */
	int (*open)(struct world **out, char *why, size_t len);
};

extern const struct mpi_world_module MPI_WORLD_SYMBOL;

#endif
