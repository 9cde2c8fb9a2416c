"""The Graves-Lai problem for independent Bernoulli rewards: closed form, cycles, enumeration."""
