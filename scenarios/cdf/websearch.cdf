# Flow sizes of a web search cluster, after the shape published in Alizadeh et al.,
# "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 4; rounded by squall.
# Half of the flows are up to 50 KB, 95 % of the bytes are in flows above 1 MB.
# Mean 1.602 MB.
# bytes probability
1KB 0
5KB 12%
10KB 22%
20KB 33%
35KB 44%
50KB 50%
100KB 56%
250KB 62%
500KB 67%
1MB 73%
2MB 81%
4MB 88%
8MB 95%
16MB 98.5%
30MB 100%
