/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of rings and trees NCCL_ALGO and the tuner's lines leave for a collective. NCCL_ALGO is
 * "Ring", a list "Tree,Ring", an exclusion "^Ring", and from 2.24 on also per collective:
 * "allreduce:tree;allgather:ring". Pure functions.
 */
#ifndef SCENARIO_NCCL_ALGORITHM_H
#define SCENARIO_NCCL_ALGORITHM_H

#include "scenarios/imports/nccl_log.h"

enum nccl_carrier {
	NCCL_BY_ANY,   /* nothing says it, or both are left */
	NCCL_BY_RING,  /* rings and nothing else */
	NCCL_BY_TREE,  /* trees and nothing else */
	NCCL_BY_OTHER, /* something else: CollNet, NVLS, PAT */
	NCCL_NOT_RING, /* rings are out, what is in is open */
	NCCL_NOT_TREE,
};

/* NCCL_ALGO for a collective. */
enum nccl_carrier nccl_algorithm_of(const char *setting, enum nccl_op op);

/* What the tuner chose: "RING proto SIMPLE ...", "1 proto 2 ..."; ANY: no name that is known.
 */
enum nccl_carrier nccl_algorithm_picked(const char *text);

#endif
