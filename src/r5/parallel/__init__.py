"""Parallel work on one core, the threads of this machine or a Ray cluster, with results that are the same bits."""
