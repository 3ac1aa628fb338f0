"""The explorer: a local web page to look at a model and a graph, and to ask. `r5 serve` starts it."""
