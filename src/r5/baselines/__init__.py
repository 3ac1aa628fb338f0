"""Neural baselines: sequence encoders that read a path and graph networks that read the whole graph."""
