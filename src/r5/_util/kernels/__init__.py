"""Compilation of numba kernels, their cache on disk, and kernels that all packages share."""
