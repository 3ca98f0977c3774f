/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that ship with the program, inside it: it needs no data folder. The same text is
 * in scenarios/cdf for people to read and copy; a test holds the two together. */
#include "gen/load/cdf.h"

static const char websearch[] =
        "# Flow sizes of a web search cluster, after the shape published in Alizadeh et al.,\n"
        "# \"Data Center TCP (DCTCP)\", SIGCOMM 2010, figure 4; rounded by squall.\n"
        "# Half of the flows are up to 50 KB, 95 % of the bytes are in flows above 1 MB.\n"
        "# Mean 1.602 MB.\n"
        "# bytes probability\n"
        "1KB 0\n"
        "5KB 12%\n"
        "10KB 22%\n"
        "20KB 33%\n"
        "35KB 44%\n"
        "50KB 50%\n"
        "100KB 56%\n"
        "250KB 62%\n"
        "500KB 67%\n"
        "1MB 73%\n"
        "2MB 81%\n"
        "4MB 88%\n"
        "8MB 95%\n"
        "16MB 98.5%\n"
        "30MB 100%\n";

const struct cdf_shipped cdf_shipped[] = {
        {"websearch", websearch},
        {NULL, NULL},
};
