"""Parts that commands share: console, options, input data, results, progress, cluster."""
