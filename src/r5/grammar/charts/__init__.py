"""Charts: all derivations of all spans of a path, in numba kernels."""
