"""Benchmarks: published experiments, run here and compared with their published figures."""
