"""Kernels take and return arrays and scalars, and import nothing from the rest of the library.

They run as Python until compiling them pays, see `kernels.machine.tiers`. The tests contain a slow twin of each.

* `rounds`: rounds of a policy on a decision set; `rewards`, `laws`, `bernoulli` and `late` are what they draw and await;
* `rules`: policies;
* `oracles`: P_LM of each family;
* `search`: P_IM and P_BLM;
* `graphs`, `matroids`: structures and their algorithms;
* `solver`: the inner loops of bounds;
* `machine`: compilation, cache and signals;
* `arrays`, `arithmetic`: for all of them.
"""
