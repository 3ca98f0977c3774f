/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HPCC ns-3 simulator family's folder: config.txt and the topology and flow files that it
 * names, run with the preset of the same name. docs/peer.md says what is read and what is not.
 */
#ifndef IMPORT_HPCC_H
#define IMPORT_HPCC_H

#include "scenarios/imports/import.h"

extern const struct import_format import_hpcc;

#endif
