"""Execution of runs: one job, local processes, a cluster."""
