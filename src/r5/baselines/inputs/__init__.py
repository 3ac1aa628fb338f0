"""Inputs of the baselines: paths, stories and graphs as arrays."""
