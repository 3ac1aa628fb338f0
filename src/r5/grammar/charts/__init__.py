"""Charts: every way to merge every stretch of a path, in numba kernels."""
