"""Generators of synthetic data sets with known rules."""
