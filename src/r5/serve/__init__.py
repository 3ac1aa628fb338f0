"""Explorer: a local web page and a JSON API for queries to a model; started by `r5 serve`."""
