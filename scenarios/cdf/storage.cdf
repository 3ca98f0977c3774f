# Request sizes of cloud block storage, after what Li et al., "An In-Depth Analysis of Cloud
# Block Storage Workloads in Large-Scale Production", IISWC 2020, report: sizes are powers of
# two from 4 KiB up, three quarters of the requests at most 16 KiB (writes) or 32 KiB (reads);
# points between these by squall.
# bytes probability
512B 0
4KiB 2%
4KiB 45%
8KiB 46%
8KiB 58%
16KiB 60%
16KiB 72%
32KiB 74%
32KiB 80%
64KiB 82%
64KiB 88%
128KiB 90%
128KiB 96%
512KiB 97%
512KiB 99.5%
1MiB 100%
