# Request sizes of cloud block storage, after what Li et al., "An In-Depth Analysis of Cloud
# Block Storage Workloads in Large-Scale Production", IISWC 2020, report: sizes are powers of
# two from 4 KiB up, three quarters of the requests at most 16 KiB (writes) or 32 KiB (reads);
# points between these by squall.
# bytes probability
512B 0
4095B 2%
4096B 45%
8191B 46%
8192B 58%
16383B 60%
16384B 72%
32767B 74%
32768B 80%
65535B 82%
65536B 88%
131071B 90%
131072B 96%
524287B 97%
524288B 99.5%
1MiB 100%
