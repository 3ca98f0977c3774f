/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fixed point of the DCQCN fluid model: Zhu et al., "ECN or Delay", CoNEXT 2016, Figure 1
 * and Theorem 1. Independent of gen/cc; doubles, SI units, packets where the paper counts
 * packets.
 */
#ifndef TESTS_DCQCN_FLUID_H
#define TESTS_DCQCN_FLUID_H

struct fluid_cfg {
	double link_bps;
	double packet_bytes;
	double kmin_bytes, kmax_bytes, pmax;
	double g;
	double cnp_s;      /* tau: least time between two CNPs of a flow */
	double alpha_s;    /* tau': alpha decays after this time without a CNP */
	double timer_s;    /* T */
	double byte_count; /* B in bytes; INFINITY: no byte counter */
	double fast_steps; /* F */
	double ai_bps;
	double delay_s; /* tau*: control loop delay */
};

struct fluid_point {
	double p;           /* marking probability */
	double p_approx;    /* the paper's cube-root approximation */
	double queue_bytes; /* beyond Kmax where p > Pmax: then there is no fixed point below
	                       Kmax */
	double queue_approx_bytes;
	double alpha;
	double target_over_rate;
	double rate_bps;
};

/* C16 section 3: the parameters that the paper takes as default at 40 Gb/s. */
struct fluid_cfg fluid_default(void);

/* n flows share the link. */
struct fluid_point fluid_fixed_point(const struct fluid_cfg *c, int n);

/* Theorem 2: upper bound on the time in which n flows that differ by C come within 0.1 C/n. */
double fluid_convergence_bound_s(const struct fluid_cfg *c, int n);

#endif
