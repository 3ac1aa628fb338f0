"""Private helpers of all packages: arrays, kernels, ordering, files, settings, runtime resources."""
