# Flow sizes of a Hadoop cluster, after what Roy et al., "Inside the Social Network's
# (Datacenter) Network", SIGCOMM 2015, report: the median flow is below 1 KB, 70 % are below
# 10 KB, less than 5 % are above 1 MB; points between these by squall.
# bytes probability
100B 0
300B 20%
600B 40%
1KB 52%
2KB 58%
5KB 65%
10KB 70%
30KB 79%
100KB 87%
300KB 92%
1MB 95.5%
3MB 98.5%
10MB 100%
