"""Baselines: published neural networks and rule learners that the engines are compared with."""
