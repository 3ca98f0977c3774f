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

static const char fbhadoop[] =
        "# Flow sizes of a Hadoop cluster, after what Roy et al., \"Inside the Social "
        "Network's\n"
        "# (Datacenter) Network\", SIGCOMM 2015, report: the median flow is below 1 KB, 70 % "
        "are below\n"
        "# 10 KB, less than 5 % are above 1 MB; points between these by squall.\n"
        "# bytes probability\n"
        "100B 0\n"
        "300B 20%\n"
        "600B 40%\n"
        "1KB 52%\n"
        "2KB 58%\n"
        "5KB 65%\n"
        "10KB 70%\n"
        "30KB 79%\n"
        "100KB 87%\n"
        "300KB 92%\n"
        "1MB 95.5%\n"
        "3MB 98.5%\n"
        "10MB 100%\n";

static const char storage[] = "# Request sizes of cloud block storage, after what Li et al., "
                              "\"An In-Depth Analysis of Cloud\n"
                              "# Block Storage Workloads in Large-Scale Production\", IISWC "
                              "2020, report: sizes are powers of\n"
                              "# two from 4 KiB up, three quarters of the requests at most 16 "
                              "KiB (writes) or 32 KiB (reads);\n"
                              "# points between these by squall.\n"
                              "# bytes probability\n"
                              "512B 0\n"
                              "4KiB 2%\n"
                              "4KiB 45%\n"
                              "8KiB 46%\n"
                              "8KiB 58%\n"
                              "16KiB 60%\n"
                              "16KiB 72%\n"
                              "32KiB 74%\n"
                              "32KiB 80%\n"
                              "64KiB 82%\n"
                              "64KiB 88%\n"
                              "128KiB 90%\n"
                              "128KiB 96%\n"
                              "512KiB 97%\n"
                              "512KiB 99.5%\n"
                              "1MiB 100%\n";

const struct cdf_shipped cdf_shipped[] = {
        {"websearch", websearch},
        {"fbhadoop", fbhadoop},
        {"storage", storage},
        {NULL, NULL},
};
